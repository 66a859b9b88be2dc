//! What of a call decides how it is routed. Calls of the same aspect are routed alike, so that the answer is worked out once for all of
//! them.

use smallvec::SmallVec;

/// What routers found worth looking at in one call: the key under which their common answer is kept.
///
/// Two calls with the same bytes must be routed alike by every router that wrote them; which bytes a router writes is its own matter.
#[derive(Clone, Debug, Default)]
pub struct Aspect {
    bytes: SmallVec<[u8; 64]>,
    unique: bool,
}

impl Aspect {
    /// Nothing yet.
    pub fn new() -> Aspect {
        Aspect::default()
    }

    /// Whether something holds for the call.
    pub fn flag(&mut self, holds: bool) {
        self.bytes.push(u8::from(holds));
    }

    /// A text of the call; absent and empty are not the same.
    pub fn text(&mut self, text: Option<&str>) {
        match text {
            None => self.bytes.push(0),
            Some(text) => {
                self.bytes.push(1);
                self.number(text.len() as u64);
                self.bytes.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// A number.
    pub fn number(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Says that this call is like no other: it is routed anew, at the price of looking at every provider.
    pub fn unlike_any_other(&mut self) {
        self.unique = true;
    }

    /// The key, if the answer may be kept.
    pub(crate) fn key(&self) -> Option<&[u8]> {
        (!self.unique).then_some(&*self.bytes)
    }
}
