//! A URL and what has been laid over it so far. Takes no memory until something changes.

use orana_core::rule::Mode;
use orana_core::{ServiceUrl, UrlBuilder};

use super::Side;
use super::compiled::Compiled;
use super::effect::Change;

/// A URL under its overrides.
pub(super) struct Laid<'u> {
    original: &'u ServiceUrl,
    side: Side,
    edited: Option<UrlBuilder>,
}

impl<'u> Laid<'u> {
    pub(super) fn over(original: &'u ServiceUrl, side: Side) -> Laid<'u> {
        Laid {
            original,
            side,
            edited: None,
        }
    }

    /// The URL without what was laid over it: who it is about.
    pub(super) fn original(&self) -> &'u ServiceUrl {
        self.original
    }

    /// The value of a parameter by now.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        match &self.edited {
            // What a consumer merged still says that it is a provider's.
            _ if key == "side" => Some(self.side.name()),
            Some(edited) => edited.parameter(key),
            None => self.original.parameter(key),
        }
    }

    /// Lays the values of `rule` over it.
    pub(super) fn lay(&mut self, rule: &Compiled) {
        self.lay_telling(rule, |_| {});
    }

    /// Lays the values of `rule` over it and tells what that changes.
    pub(super) fn lay_telling(&mut self, rule: &Compiled, mut tell: impl FnMut(Change)) {
        for (key, value) in rule.parameters() {
            let before = self.value(key);
            let stays = match rule.mode() {
                Mode::Override => before == Some(value),
                Mode::Absent => before.is_some(),
            };
            if stays {
                continue;
            }
            tell(Change::new(key, before, value));
            let edited = self.edited.take().unwrap_or_else(|| self.original.edit());
            self.edited = Some(edited.set(key, value));
        }
    }

    /// The URL as it is now; the very same one if it says the same.
    pub(super) fn into_url(self) -> ServiceUrl {
        match self.edited.map(|edited| edited.build()) {
            Some(url) if url != *self.original => url,
            _ => self.original.clone(),
        }
    }
}
