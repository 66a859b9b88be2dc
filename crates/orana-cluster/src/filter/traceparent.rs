//! The W3C trace context: which trace a call belongs to, as the text `traceparent` that travels with it.
//!
//! `00-<32 hex: trace>-<16 hex: span>-<2 hex: flags>`, 55 characters. Chance is an argument.

use std::fmt;

/// The name under which it travels.
pub const TRACEPARENT: &str = "traceparent";

/// The trace, the span that calls, and whether somebody records it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace: u128,
    span: u64,
    sampled: bool,
}

impl TraceParent {
    /// A trace of its own; zeros, which mean nothing, become ones.
    pub fn root(trace: u128, span: u64, sampled: bool) -> TraceParent {
        TraceParent {
            trace: trace.max(1),
            span: span.max(1),
            sampled,
        }
    }

    /// A span within this one, of the same trace.
    pub fn child(self, span: u64) -> TraceParent {
        TraceParent {
            span: span.max(1),
            ..self
        }
    }

    /// Reads the text; none if it is not one, or says nothing. A later version than 00 may have more at the end.
    pub fn parse(text: &str) -> Option<TraceParent> {
        let bytes = text.as_bytes();
        let known = text.len() == 55 || (text.len() > 55 && !text.starts_with("00") && bytes.get(55) == Some(&b'-'));
        if !known || !text.is_ascii() || text.starts_with("ff") {
            return None;
        }
        let mut parts = text.split('-');
        let mut hex = |digits: usize| {
            let part = parts.next()?;
            let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            (part.len() == digits && part.bytes().all(lower)).then_some(part)
        };
        let (_version, trace, span, flags) = (hex(2)?, hex(32)?, hex(16)?, hex(2)?);
        let trace = u128::from_str_radix(trace, 16).ok()?;
        let span = u64::from_str_radix(span, 16).ok()?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        (trace != 0 && span != 0).then_some(TraceParent {
            trace,
            span,
            sampled: flags & 1 == 1,
        })
    }

    /// The trace.
    pub fn trace(self) -> u128 {
        self.trace
    }

    /// The span.
    pub fn span(self) -> u64 {
        self.span
    }

    /// Whether who began the trace records it.
    pub fn is_sampled(self) -> bool {
        self.sampled
    }
}

/// The text that travels.
impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "00-{:032x}-{:016x}-{:02x}",
            self.trace,
            self.span,
            u8::from(self.sampled)
        )
    }
}

impl fmt::Debug for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceParent({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn the_text_of_the_specification_is_read_and_written_the_same() {
        let parent = TraceParent::parse(TEXT).unwrap();
        assert_eq!(parent.trace(), 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
        assert_eq!((parent.span(), parent.is_sampled()), (0xb7ad_6b71_6920_3331, true));
        assert_eq!(parent.to_string(), TEXT);
    }

    #[test]
    fn what_is_no_trace_is_none() {
        for text in [
            "",
            "00",
            &TEXT[1..],
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
            "00-0af7651916cd43dd8448eb211c80319c+b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333é-1",
        ] {
            assert_eq!(TraceParent::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_later_version_may_have_more_and_other_flags_are_not_the_sampled_one() {
        let later = format!("01{}-more", &TEXT[2..]);
        assert_eq!(TraceParent::parse(&later), TraceParent::parse(TEXT));
        let other = TEXT.replace("-01", "-02");
        assert!(!TraceParent::parse(&other).unwrap().is_sampled());
    }

    #[test]
    fn a_child_is_another_span_of_the_same_trace() {
        let parent = TraceParent::parse(TEXT).unwrap();
        let child = parent.child(0);
        assert_eq!(
            (child.trace(), child.span(), child.is_sampled()),
            (parent.trace(), 1, true)
        );
    }
}
