//! How a registry is to be used, read from the parameters of its URL under the names that Dubbo gives them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orana_core::ServiceUrl;

use crate::convergence::Retry;
use crate::error::{RegistryError, RegistryErrorKind};
use crate::lists::OnEmpty;

/// The policy of one registry.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether to register and to subscribe fail when the registry cannot be reached. `check`, on.
    pub check: bool,
    /// How long a request may take, and how long one that is checked waits for the link. `timeout`, 10 s.
    pub timeout: Duration,
    /// How failures are tried again. `retry.period`, 5 s, and `retry.times`, for ever; a service's own URL overrides both.
    pub retry: Retry,
    /// The first change is told at once, and those that follow within this time together at its end.
    /// `delay-notification`, 0; slow readers see joined changes anyway.
    pub merge_window: Duration,
    /// What an empty list of providers means. `on-empty=trust`, `on-empty=keep` or `on-empty=keep:MILLISECONDS`; also
    /// `enable-empty-protection=true`, which keeps for ever.
    pub on_empty: OnEmpty,
    /// How long providers are kept that the first list of a new session lacks, or that go within this time after the link came back
    /// in the same session: the registry may have lost its memory, or their sessions, and they register again within that
    /// time if they live. `recovery-grace`, 15 s.
    pub grace: Duration,
    /// Where lists outlive the process; `None` is nowhere.
    pub cache: Option<CacheSettings>,
}

/// Where and how lists are kept on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// The file. `file`, by default `~/.dubbo/dubbo-registry-APPLICATION-HOST-PORT.cache`, where Dubbo has its own.
    pub file: PathBuf,
    /// Whether a list is on disk before subscribers are told of it. `save.file`, off.
    pub synchronous: bool,
}

impl Settings {
    /// The settings in a registry's URL; `home` is the directory of the user, for the default place of the cache.
    ///
    /// There is no default place without an `application`; `file-cache=false` switches the cache off.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] for a parameter that is no number, or an unknown `on-empty`.
    pub fn from_url(url: &ServiceUrl, home: Option<&Path>) -> Result<Settings, RegistryError> {
        let address = url.address();
        let invalid = |what: String| RegistryError::new(RegistryErrorKind::Invalid, address.as_str(), what);
        let millis = |key, default: u64| match url.try_millis(key) {
            Ok(given) => Ok(given.unwrap_or(Duration::from_millis(default))),
            Err(error) => Err(invalid(error.to_string())),
        };
        let on_empty = match url.parameter("on-empty") {
            None if url.flag_or("enable-empty-protection", false) => OnEmpty::Keep(None),
            None | Some("trust") => OnEmpty::Trust,
            Some("keep") => OnEmpty::Keep(None),
            Some(other) => match other.strip_prefix("keep:").map(str::parse) {
                Some(Ok(period)) => OnEmpty::Keep(Some(Duration::from_millis(period))),
                _ => {
                    return Err(invalid(format!(
                        "`on-empty` is `{other}`: write `trust`, `keep` or `keep:MILLISECONDS`"
                    )));
                }
            },
        };
        Ok(Settings {
            check: url.flag_or("check", true),
            timeout: millis("timeout", 10_000)?,
            retry: retry(url, Retry::default()).map_err(|error| invalid(error.to_string()))?,
            merge_window: millis("delay-notification", 0)?,
            on_empty,
            grace: millis("recovery-grace", 15_000)?,
            cache: cache(url, home),
        })
    }
}

impl Default for Retry {
    fn default() -> Retry {
        Retry {
            period: Duration::from_secs(5),
            times: None,
        }
    }
}

/// The retries that a URL asks for, of a registry or of a service.
pub(crate) fn retry(url: &ServiceUrl, default: Retry) -> Result<Retry, orana_core::ParameterError> {
    Ok(Retry {
        period: url.try_millis("retry.period")?.unwrap_or(default.period),
        times: match url.try_number::<i64>("retry.times")? {
            None => default.times,
            // Dubbo writes -1 for ever, and takes 0 for the same.
            Some(times) => u32::try_from(times).ok().filter(|times| *times > 0),
        },
    })
}

fn cache(url: &ServiceUrl, home: Option<&Path>) -> Option<CacheSettings> {
    if !url.flag_or("file-cache", true) {
        return None;
    }
    let file = match url.parameter("file").filter(|file| !file.is_empty()) {
        Some(file) => PathBuf::from(file),
        None => {
            let application = url.parameter("application").filter(|name| !name.is_empty())?;
            let address = url.address().replace(':', "-");
            // A name is a name, not a way out of the directory.
            let name = format!("dubbo-registry-{application}-{address}.cache").replace('/', "-");
            home?.join(".dubbo").join(name)
        }
    };
    Some(CacheSettings {
        file,
        synchronous: url.flag_or("save.file", false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<Settings, RegistryError> {
        Settings::from_url(&ServiceUrl::parse(text).unwrap(), Some(Path::new("home")))
    }

    #[test]
    fn a_bare_url_means_the_defaults_and_no_file() {
        let settings = settings("zookeeper://h:2181").unwrap();
        assert!(settings.check);
        assert_eq!((settings.retry, settings.on_empty), (Retry::default(), OnEmpty::Trust));
        assert_eq!(settings.cache, None);
    }

    #[test]
    fn the_parameters_are_those_of_dubbo() {
        let settings = settings(
            "zookeeper://h:2181?check=false&timeout=100&retry.period=200&retry.times=3&delay-notification=5&save.file=true&file=/a/b",
        )
        .unwrap();
        assert!(!settings.check);
        assert_eq!(settings.timeout, Duration::from_millis(100));
        assert_eq!(
            (settings.retry.period, settings.retry.times),
            (Duration::from_millis(200), Some(3))
        );
        assert_eq!(settings.merge_window, Duration::from_millis(5));
        let cache = settings.cache.unwrap();
        assert_eq!((cache.file, cache.synchronous), (PathBuf::from("/a/b"), true));
    }

    #[test]
    fn the_cache_lies_where_dubbo_has_it() {
        let file = |text| settings(text).unwrap().cache.map(|cache| cache.file);
        assert_eq!(
            file("zookeeper://10.0.0.1:2181?application=shop"),
            Some(PathBuf::from("home/.dubbo/dubbo-registry-shop-10.0.0.1-2181.cache"))
        );
        assert_eq!(
            file("zookeeper://h:1?application=../../etc"),
            Some(PathBuf::from("home/.dubbo/dubbo-registry-..-..-etc-h-1.cache"))
        );
        assert_eq!(file("zookeeper://h:1?application=shop&file-cache=false"), None);
    }

    #[test]
    fn on_empty_is_a_choice() {
        let on_empty = |text| settings(text).map(|settings| settings.on_empty);
        assert_eq!(on_empty("zookeeper://h?on-empty=trust").unwrap(), OnEmpty::Trust);
        assert_eq!(
            on_empty("zookeeper://h?enable-empty-protection=true").unwrap(),
            OnEmpty::Keep(None)
        );
        let minute = Some(Duration::from_secs(60));
        assert_eq!(
            on_empty("zookeeper://h?on-empty=keep:60000").unwrap(),
            OnEmpty::Keep(minute)
        );
        let error = on_empty("zookeeper://h?on-empty=perhaps").unwrap_err();
        assert_eq!(error.kind(), RegistryErrorKind::Invalid);
        assert!(error.to_string().contains("perhaps"));
    }

    #[test]
    fn a_number_that_is_none_is_told() {
        let error = settings("zookeeper://h?timeout=soon").unwrap_err();
        assert!(error.to_string().contains("timeout"), "{error}");
    }
}
