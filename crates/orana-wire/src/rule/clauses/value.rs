//! What keys and values of a condition mean: where a value is found, and how it is compared. Knows no grammar.

use std::sync::Arc;

use orana_core::rule::{Pattern, Subject};

use super::{Dialect, Side};

/// What a key looks at.
pub(super) fn subject(key: &str, side: Side, dialect: Dialect) -> Subject {
    // Java cuts the key at its first dot before it looks for the brackets.
    let head = key.split('.').next().unwrap_or_default();
    if key.starts_with("attachments") && dialect != Dialect::Url {
        return Subject::Attachment(bracketed(head, "attachments[").map(Arc::from));
    }
    if key.starts_with("arguments") {
        return Subject::Argument(argument(head));
    }
    match (key, side) {
        ("method" | "methods", Side::When) => Subject::Method,
        ("host", _) => Subject::Host,
        ("address", _) => Subject::Address,
        ("port", _) => Subject::Port,
        ("protocol", _) => Subject::Protocol,
        ("path", _) => Subject::Path,
        ("username", _) => Subject::User,
        ("password", _) => Subject::Password,
        _ => Subject::Parameter(key.into()),
    }
}

/// What stands between `open` and the last `]`.
fn bracketed<'t>(text: &'t str, open: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    let (inside, _) = rest.rsplit_once(']')?;
    (!inside.is_empty()).then_some(inside)
}

/// The number of the first `arguments[number]`.
fn argument(text: &str) -> Option<usize> {
    text.split("arguments[")
        .skip(1)
        .find_map(|rest| {
            let (number, _) = rest.split_once(']')?;
            is_digits(number).then_some(number)
        })
        .and_then(|number| number.parse::<i32>().ok())
        .and_then(|number| usize::try_from(number).ok())
}

/// What a value is compared with.
pub(super) fn pattern(word: &str, side: Side, dialect: Dialect) -> Pattern {
    if word.contains('~') && dialect != Dialect::Url {
        return range(word).unwrap_or_else(|| Pattern::BadRange(word.into()));
    }
    match (word.strip_prefix('$'), side) {
        (Some(name), Side::Then) => Pattern::OfConsumer(name.into()),
        _ => Pattern::Glob(word.into()),
    }
}

/// `low~high` as `RangeValuePattern` takes it apart.
fn range(word: &str) -> Option<Pattern> {
    // Java leaves out what is empty at the end: `5~` has one part only.
    let mut parts = word.trim_end_matches('~').split('~');
    let (low, high) = (parts.next()?, parts.next()?);
    let low = if low.is_empty() { None } else { Some(number(low)?) };
    let high = match (high.is_empty(), low) {
        (false, _) => number(high)?,
        // `5~~9` has an empty upper end: there is none.
        (true, Some(_)) => i64::MAX,
        (true, None) => return None,
    };
    Some(Pattern::Range { low, high })
}

/// `StringUtils.parseInteger`: what is not all digits is 0, what does not fit fails.
fn number(text: &str) -> Option<i64> {
    if is_digits(text) {
        text.parse::<i32>().ok().map(i64::from)
    } else {
        Some(0)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
