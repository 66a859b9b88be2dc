//! What a plain scalar means in YAML 1.1, and how Java prints it. Knows no documents.
//!
//! The rules are those of SnakeYAML's `Resolver` and `SafeConstructor`: `yes` and `off` are truth values, `010` is eight and
//! `12:30` is 750. Quoted scalars are text, whatever they look like.

use std::sync::Arc;

/// A single value, with numbers in the form in which Java's `toString` gives them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `~`, `null` or nothing.
    Null,
    /// `true`, `yes`, `on`, `false`, `no`, `off`.
    Boolean(bool),
    /// A whole number.
    Integer(Arc<str>),
    /// A number with a fraction or an exponent.
    Float(Arc<str>),
    /// A date, as it was written; Java prints it in the time zone of the process, so nothing can be made of it.
    Timestamp(Arc<str>),
    /// Everything else, and all that is quoted.
    Text(Arc<str>),
}

impl Scalar {
    /// What a scalar without quotes means.
    pub(super) fn plain(text: &str) -> Scalar {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
            "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Scalar::Boolean(true),
            "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => return Scalar::Boolean(false),
            _ => {}
        }
        // Most plain scalars are words: only these can begin a number or a date.
        if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.'))
            || text.len() > 400
        {
            return Scalar::Text(text.into());
        }
        if let Some(number) = integer(text) {
            return Scalar::Integer(number.into());
        }
        if let Some(number) = float(text) {
            return Scalar::Float(number.into());
        }
        if is_timestamp(text) {
            return Scalar::Timestamp(text.into());
        }
        Scalar::Text(text.into())
    }

    /// What it is, in words for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Scalar::Null => "nothing",
            Scalar::Boolean(_) => "a truth value",
            Scalar::Integer(_) | Scalar::Float(_) => "a number",
            Scalar::Timestamp(_) => "a date",
            Scalar::Text(_) => "a text",
        }
    }

    /// What Java's `String.valueOf` makes of it; `None` for a date.
    pub fn to_text(&self) -> Option<Arc<str>> {
        match self {
            Scalar::Null => Some("null".into()),
            Scalar::Boolean(true) => Some("true".into()),
            Scalar::Boolean(false) => Some("false".into()),
            Scalar::Integer(text) | Scalar::Float(text) | Scalar::Text(text) => Some(Arc::clone(text)),
            Scalar::Timestamp(_) => None,
        }
    }
}

/// The sign (negative?) and the rest.
fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Whether `text` is there and has nothing but such characters and `_`.
fn all(text: &str, digit: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte == b'_' || digit(byte))
}

/// The whole number as Java prints it.
fn integer(text: &str) -> Option<String> {
    let (negative, digits) = signed(text);
    let radix = |digits: &str, radix: u32| i128::from_str_radix(&digits.replace('_', ""), radix).ok();
    let print = |number: i128| if negative { -number } else { number }.to_string();
    if let Some(digits) = digits.strip_prefix("0b") {
        let fits = all(digits, |byte| matches!(byte, b'0' | b'1'));
        return fits.then(|| radix(digits, 2).map(print)).flatten();
    }
    if let Some(digits) = digits.strip_prefix("0x") {
        let fits = all(digits, |byte| byte.is_ascii_hexdigit());
        return fits.then(|| radix(digits, 16).map(print)).flatten();
    }
    if digits == "0" {
        return Some("0".into());
    }
    if let Some(digits) = digits.strip_prefix('0') {
        let fits = all(digits, |byte| (b'0'..=b'7').contains(&byte));
        return fits.then(|| radix(digits, 8).map(print)).flatten();
    }
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if digits.contains(':') {
        return sexagesimal(digits).map(print);
    }
    all(digits, |byte| byte.is_ascii_digit()).then(|| {
        let sign = if negative { "-" } else { "" };
        format!("{sign}{}", digits.replace('_', ""))
    })
}

/// `h:mm:ss`, as many parts as there are.
fn sexagesimal(text: &str) -> Option<i128> {
    let mut parts = text.split(':');
    let first = parts.next().filter(|first| all(first, |byte| byte.is_ascii_digit()))?;
    let mut total: i128 = first.replace('_', "").parse().ok()?;
    for part in parts {
        let fits = part.len() <= 2 && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let part: i128 = part.parse().ok().filter(|part| fits && *part < 60)?;
        total = total.checked_mul(60)?.checked_add(part)?;
    }
    Some(total)
}

/// The number with a fraction or an exponent, as Java prints it.
fn float(text: &str) -> Option<String> {
    let (negative, rest) = signed(text);
    let sign = if negative { -1.0 } else { 1.0 };
    match rest {
        ".inf" | ".Inf" | ".INF" => return Some(java_double(sign * f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if rest == text => return Some(java_double(f64::NAN)),
        _ => {}
    }
    if let Some((whole, fraction)) = rest.rsplit_once('.')
        && whole.contains(':')
    {
        let whole = sexagesimal(whole)? as f64;
        let fraction = fraction.replace('_', "");
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let fraction: f64 = format!("0.{fraction}0").parse().ok()?;
        return Some(java_double(sign * (whole + fraction)));
    }
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (rest.get(..at)?, Some(rest.get(at + 1..)?)),
        None => (rest, None),
    };
    if let Some(exponent) = exponent {
        let (_, digits) = signed(exponent);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
    }
    let digits = |text: &str| text.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
    let begins = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let fits = match mantissa.split_once('.') {
        Some(("", fraction)) => begins(fraction) && digits(fraction),
        Some((whole, fraction)) => begins(whole) && digits(whole) && digits(fraction),
        None => exponent.is_some() && begins(mantissa) && digits(mantissa),
    };
    let number: f64 = fits.then(|| rest.replace('_', "").parse().ok()).flatten()?;
    Some(java_double(sign * number))
}

/// `Double.toString`.
fn java_double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let size = number.abs();
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        // The shortest digits that read as the same number, with `.0` if there is no fraction.
        return format!("{number:?}");
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => format!("{mantissa}E{exponent}"),
        Some((mantissa, exponent)) => format!("{mantissa}.0E{exponent}"),
        None => text,
    }
}

/// `2024-01-31`, or with a time of day and a zone behind it.
fn is_timestamp(text: &str) -> bool {
    fn digits(text: &str, least: usize, most: usize) -> Option<&str> {
        let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
        (count >= least).then(|| text.get(count..)).flatten()
    }
    fn date(text: &str) -> Option<&str> {
        let text = digits(text, 4, 4)?.strip_prefix('-')?;
        let text = digits(text, 1, 2)?.strip_prefix('-')?;
        digits(text, 1, 2)
    }
    fn time(text: &str) -> Option<&str> {
        let text = digits(text, 1, 2)?.strip_prefix(':')?;
        let text = digits(text, 2, 2)?.strip_prefix(':')?;
        let text = digits(text, 2, 2)?;
        match text.strip_prefix('.') {
            Some(text) => Some(text.trim_start_matches(|digit: char| digit.is_ascii_digit())),
            None => Some(text),
        }
    }
    fn zone(text: &str) -> Option<&str> {
        let text = text.trim_start_matches([' ', '\t']);
        if text.is_empty() || text == "Z" {
            return Some("");
        }
        let text = digits(text.strip_prefix(['+', '-'])?, 1, 2)?;
        match text.strip_prefix(':') {
            Some(text) => digits(text, 2, 2),
            None if text.is_empty() => Some(text),
            None => digits(text, 2, 2),
        }
    }
    let Some(rest) = date(text) else {
        return false;
    };
    if rest.is_empty() {
        // Without a time, month and day have two digits.
        return text.len() == 10;
    }
    let clock = match rest.strip_prefix(['T', 't']) {
        Some(clock) => clock,
        None => {
            let clock = rest.trim_start_matches([' ', '\t']);
            if clock.len() == rest.len() {
                return false;
            }
            clock
        }
    };
    time(clock).and_then(zone) == Some("")
}
