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
        Pattern::Range { low, high } => match value.trim().parse::<i64>() {
            Ok(number) => low.is_none_or(|low| low <= number) && number <= *high,
            Err(_) => side == Side::Then,
        },
        Pattern::BadRange(_) => side == Side::Then,
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
    fn a_range_includes_both_ends_and_a_text_that_is_no_number_passes_for_providers_only() {
        let range = Pattern::Range {
            low: Some(1),
            high: 100,
        };
        for (value, holds) in [("1", true), ("100", true), ("0", false), ("101", false)] {
            assert_eq!(matches(&range, value, Side::When, &consumer()), holds, "{value}");
        }
        let below = Pattern::Range { low: None, high: 5 };
        assert!(matches(&below, "-7", Side::When, &consumer()));
        for pattern in [range, Pattern::BadRange("5~".into())] {
            assert!(!matches(&pattern, "many", Side::When, &consumer()));
            assert!(matches(&pattern, "many", Side::Then, &consumer()));
        }
    }
}
