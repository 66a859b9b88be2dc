//! Values of conditions, ready to be compared (`UrlUtils.isMatchGlobPattern`, `ScopeValuePattern`).

use orana_core::ServiceUrl;
use orana_core::rule::Pattern;

use crate::text_match::glob;

/// Which side of a condition a value is on; they judge what is no number differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    When,
    Then,
}

/// Whether `value` is as `pattern` says. `consumer` is whose parameters `$name` means, on the side where it means them.
pub(super) fn matches(pattern: &Pattern, value: &str, side: Side, consumer: &ServiceUrl) -> bool {
    match pattern {
        Pattern::Glob(pattern) => glob(pattern, value),
        Pattern::OfConsumer(name) => match side {
            // What a call is compared with is compared as it is written.
            Side::When => value.strip_prefix('$').is_some_and(|value| glob(name, value)),
            Side::Then => glob(raw_parameter(consumer, name), value),
        },
        Pattern::Range { low, high } => match number(value) {
            Some(number) => low.is_none_or(|low| low <= number) && number <= *high,
            None => side == Side::Then,
        },
        Pattern::BadRange(_) => side == Side::Then,
    }
}

/// A value as `StringUtils.parseInteger` reads it: what is not all digits is 0. None for more than an `int` of Java holds.
fn number(text: &str) -> Option<i64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match all_digits {
        true => text.parse::<i32>().ok().map(i64::from),
        false => Some(0),
    }
}

/// The parameter that `$name` stands for; the parts of the address have names, too (`URL.getRawParameter`).
fn raw_parameter<'a>(url: &'a ServiceUrl, name: &str) -> &'a str {
    let value = match name {
        "protocol" => url.protocol(),
        "username" => url.user(),
        "password" => url.password(),
        "host" => url.host(),
        "path" => url.path(),
        _ => url.parameter(name),
    };
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consumer() -> ServiceUrl {
        ServiceUrl::parse("consumer://10.0.0.1/i?region=east&empty=").unwrap()
    }

    #[test]
    fn a_dollar_name_is_the_consumers_parameter_for_providers_only() {
        let region = Pattern::OfConsumer("region".into());
        assert!(matches(&region, "east", Side::Then, &consumer()));
        assert!(!matches(&region, "west", Side::Then, &consumer()));
        assert!(!matches(&region, "east", Side::When, &consumer()));
        assert!(matches(&region, "$region", Side::When, &consumer()));
        let host = Pattern::OfConsumer("host".into());
        assert!(matches(&host, "10.0.0.1", Side::Then, &consumer()));
        let none = Pattern::OfConsumer("nothing".into());
        assert!(matches(&none, "", Side::Then, &consumer()));
    }

    #[test]
    fn a_range_includes_both_ends_and_what_is_not_all_digits_counts_as_nought() {
        let range = |low, high| Pattern::Range { low, high };
        for side in [Side::When, Side::Then] {
            for (value, holds) in [
                ("1", true),
                ("100", true),
                ("0", false),
                ("101", false),
                ("many", false),
            ] {
                assert_eq!(
                    matches(&range(Some(1), 100), value, side, &consumer()),
                    holds,
                    "{value}"
                );
            }
            for nought in ["many", "-7", "", " 3", "0"] {
                assert!(matches(&range(Some(0), 2), nought, side, &consumer()), "{nought}");
                assert!(matches(&range(None, 2), nought, side, &consumer()), "{nought}");
            }
        }
    }

    #[test]
    fn a_number_that_no_int_holds_and_a_range_that_is_none_pass_for_providers_only() {
        let range = Pattern::Range {
            low: Some(1),
            high: 100,
        };
        for (pattern, value) in [(range, "99999999999"), (Pattern::BadRange("5~".into()), "7")] {
            assert!(!matches(&pattern, value, Side::When, &consumer()));
            assert!(matches(&pattern, value, Side::Then, &consumer()));
        }
    }
}
