//! Parameters as numbers, flags, times and lists. An empty value is as good as none, everywhere
//! (`URL.getParameter(key, default)`).

use std::str::FromStr;
use std::time::Duration;

use super::{ServiceUrl, present};

/// A parameter whose value is not what its reader needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the parameter `{key}` is `{value}`, which is not {wanted}")]
pub struct ParameterError {
    /// The key under which the value was found.
    pub key: String,
    /// The value.
    pub value: String,
    /// What it should have been.
    pub wanted: &'static str,
}

impl ServiceUrl {
    /// The parameter as a number; `None` when it is absent or no such number.
    pub fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        self.try_number(key).ok().flatten()
    }

    /// The parameter as a number; `default` when it is absent or no such number.
    pub fn number_or<T: FromStr>(&self, key: &str, default: T) -> T {
        self.number(key).unwrap_or(default)
    }

    /// The parameter as a number, if it is there; an error when it is no such number.
    pub fn try_number<T: FromStr>(&self, key: &str) -> Result<Option<T>, ParameterError> {
        number(key, self.parameter(key))
    }

    /// The parameter as a flag: `true` in any case of letters is true, anything else is not; `default` when it is absent.
    pub fn flag_or(&self, key: &str, default: bool) -> bool {
        flag(self.parameter(key)).unwrap_or(default)
    }

    /// The parameter as a time in milliseconds; `default` when it is absent or no such time.
    pub fn millis_or(&self, key: &str, default: Duration) -> Duration {
        self.try_millis(key).ok().flatten().unwrap_or(default)
    }

    /// The parameter as a time in milliseconds, if it is there; an error when it is no such time.
    pub fn try_millis(&self, key: &str) -> Result<Option<Duration>, ParameterError> {
        millis(key, self.parameter(key))
    }

    /// The items of a parameter that is a comma list, without blanks around them; empty ones are left out.
    pub fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        self.parameter(key)
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
    }

    /// [`ServiceUrl::number_or`] of [`ServiceUrl::method_parameter`].
    pub fn method_number_or<T: FromStr>(&self, method: &str, key: &str, default: T) -> T {
        self.try_method_number(method, key).ok().flatten().unwrap_or(default)
    }

    /// [`ServiceUrl::try_number`] of [`ServiceUrl::method_parameter`].
    pub fn try_method_number<T: FromStr>(&self, method: &str, key: &str) -> Result<Option<T>, ParameterError> {
        number(key, self.method_parameter(method, key))
    }

    /// [`ServiceUrl::flag_or`] of [`ServiceUrl::method_parameter`].
    pub fn method_flag_or(&self, method: &str, key: &str, default: bool) -> bool {
        flag(self.method_parameter(method, key)).unwrap_or(default)
    }

    /// [`ServiceUrl::millis_or`] of [`ServiceUrl::method_parameter`].
    pub fn method_millis_or(&self, method: &str, key: &str, default: Duration) -> Duration {
        self.try_method_millis(method, key).ok().flatten().unwrap_or(default)
    }

    /// [`ServiceUrl::try_millis`] of [`ServiceUrl::method_parameter`].
    pub fn try_method_millis(&self, method: &str, key: &str) -> Result<Option<Duration>, ParameterError> {
        millis(key, self.method_parameter(method, key))
    }
}

fn number<T: FromStr>(key: &str, value: Option<&str>) -> Result<Option<T>, ParameterError> {
    read(key, value, "a number of its range", |value| value.parse().ok())
}

fn millis(key: &str, value: Option<&str>) -> Result<Option<Duration>, ParameterError> {
    read(key, value, "a number of milliseconds", |value| {
        value.parse().ok().map(Duration::from_millis)
    })
}

fn flag(value: Option<&str>) -> Option<bool> {
    let value = present(value?.trim())?;
    Some(value.eq_ignore_ascii_case("true"))
}

fn read<T>(
    key: &str,
    value: Option<&str>,
    wanted: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, ParameterError> {
    let Some(value) = value.map(str::trim).and_then(present) else {
        return Ok(None);
    };
    match read(value) {
        Some(read) => Ok(Some(read)),
        None => Err(ParameterError {
            key: key.to_owned(),
            value: value.to_owned(),
            wanted,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url() -> ServiceUrl {
        ServiceUrl::parse(
            "dubbo://h:1/i?timeout=3000&weight=many&retries=-1&ratio=0.5&empty=&on=True&off=yes&say.timeout=500\
             &say.empty=&say.on=false&default.connections=7&methods=a, b ,,c&blank= 12 &far=1h",
        )
        .unwrap()
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_parameter_is_read_as_what_is_asked_for() {
        let url = url();
        assert_eq!(url.number_or("retries", 2i32), -1);
        assert_eq!(url.number::<f64>("ratio"), Some(0.5));
        assert_eq!(url.number_or("blank", 0u8), 12);
        assert_eq!(url.number_or("connections", 0u8), 7);
        assert_eq!(url.millis_or("timeout", SECOND), 3 * SECOND);
        assert!(url.flag_or("on", false) && !url.flag_or("off", true));
        assert_eq!(url.list("methods").collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_absent_or_empty_is_the_default() {
        let url = url();
        for key in ["absent", "empty"] {
            assert_eq!(url.number_or(key, 2u8), 2);
            assert_eq!(url.try_number::<u8>(key), Ok(None));
            assert_eq!(url.millis_or(key, SECOND), SECOND);
            assert!(url.flag_or(key, true) && !url.flag_or(key, false));
            assert_eq!(url.list(key).count(), 0);
        }
    }

    #[test]
    fn what_cannot_be_read_is_the_default_and_an_error_for_who_asks() {
        let url = url();
        assert_eq!(url.number_or("weight", 100u32), 100);
        assert_eq!(url.number_or("retries", 2u32), 2, "no number of that range");
        assert_eq!(
            url.try_number::<u32>("weight").unwrap_err().to_string(),
            "the parameter `weight` is `many`, which is not a number of its range"
        );
        assert_eq!(url.millis_or("far", SECOND), SECOND);
        assert_eq!(
            url.try_millis("far").unwrap_err().to_string(),
            "the parameter `far` is `1h`, which is not a number of milliseconds"
        );
        assert!(url.try_millis("retries").is_err(), "no time is below zero");
    }

    #[test]
    fn a_method_has_its_own_values_and_else_those_of_the_service() {
        let url = url();
        assert_eq!(url.method_parameter("say", "timeout"), Some("500"));
        assert_eq!(url.method_parameter("hear", "timeout"), Some("3000"));
        assert_eq!(url.method_parameter("say", "connections"), Some("7"));
        assert_eq!(url.method_parameter("say", "absent"), None);
        assert_eq!(
            url.method_parameter("say", "empty"),
            Some(""),
            "neither is the service's"
        );
        assert_eq!(url.method_millis_or("say", "timeout", SECOND), SECOND / 2);
        assert_eq!(url.method_number_or("hear", "retries", 2), -1);
        assert_eq!(url.method_number_or("say", "weight", 1u8), 1);
        assert!(url.try_method_number::<u8>("say", "weight").is_err());
        assert!(url.method_flag_or("hear", "on", false) && !url.method_flag_or("say", "on", true));
    }
}
