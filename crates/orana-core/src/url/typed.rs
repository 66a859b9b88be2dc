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
