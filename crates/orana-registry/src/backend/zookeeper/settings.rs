//! What a registry's URL says about a ZooKeeper: where it is, who we are there, and under which node the services stand.
//!
//! Knows the parameters and their defaults; connects to nothing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use orana_core::ServiceUrl;

use crate::error::{RegistryError, RegistryErrorKind};

/// ZooKeeper's own port; an address without one means this.
const PORT: u16 = 2181;

/// The session that Dubbo asks for; the server grants what it allows.
const SESSION: Duration = Duration::from_secs(60);

/// How long one request may take, the time in which the first connection is made included: Dubbo's connection time-out.
const PATIENCE: Duration = Duration::from_secs(30);

/// The node below which Dubbo keeps its services.
const GROUP: &str = "dubbo";

/// Everything about one ZooKeeper registry that does not change while it is used.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Its members, each once, in the order in which they were named.
    pub(crate) members: Vec<Member>,
    /// The members as people know them: `host:port,host:port`, without credentials.
    pub(crate) address: Arc<str>,
    /// The node above all interfaces, chroot included: empty for the root of the tree, otherwise with a leading slash and
    /// without one at its end.
    pub(crate) root: Arc<str>,
    /// `user:password` of the digest scheme.
    pub(crate) credentials: Option<Box<str>>,
    /// The session to ask for.
    pub(crate) session: Duration,
    /// The longest that one request may take.
    pub(crate) patience: Duration,
}

/// Where one server of the ensemble listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// A name or an address, without brackets.
    pub(crate) host: Box<str>,
    /// Its port.
    pub(crate) port: u16,
}

impl Settings {
    /// Takes a registry's URL apart. Parameters: `backup`, `group`, `username`, `password`, `session` and `timeout`
    /// (milliseconds). The chroot is the path of the URL or, as in ZooKeeper's own connection string, what follows the
    /// last member.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`], and which part makes no sense.
    pub(crate) fn from_url(url: &ServiceUrl) -> Result<Settings, RegistryError> {
        Settings::below(url, url.parameter("group").unwrap_or(GROUP))
    }

    /// The same, with the node `directory` below the chroot in place of the group.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`], and which part makes no sense.
    pub(crate) fn below(url: &ServiceUrl, directory: &str) -> Result<Settings, RegistryError> {
        let host = url.host().unwrap_or_default();
        let first = match url.port() {
            // An address without brackets holds colons of its own only if it is IPv6.
            Some(port) if host.contains(':') && !host.starts_with('[') => format!("[{host}]:{port}"),
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let invalid = |what: String| RegistryError::new(RegistryErrorKind::Invalid, first.as_str(), what);
        let (backup, tail) = split_chroot(url.parameter("backup").unwrap_or_default());
        let mut members = Vec::new();
        for text in std::iter::once(first.as_str()).chain(backup.split(',').filter(|text| !text.trim().is_empty())) {
            let member = Member::parse(text.trim())
                .ok_or_else(|| invalid(format!("`{text}` is no address of a zookeeper server")))?;
            if !members.contains(&member) {
                members.push(member);
            }
        }
        // Dubbo puts the name of its own registry interface, or of its own class, where a path could stand.
        let path = url.path();
        let path = path.filter(|path| !path.contains("RegistryService") && !path.contains("ConfigCenterConfig"));
        let mut root = String::new();
        for part in [path, tail, Some(directory)] {
            for name in part.unwrap_or_default().split('/').filter(|name| !name.is_empty()) {
                if name == "." || name == ".." || name.contains('\0') {
                    return Err(invalid(format!("`{name}` cannot be a node above the services")));
                }
                root.push('/');
                root.push_str(name);
            }
        }
        let user = url.user().or_else(|| url.parameter("username")).unwrap_or_default();
        let password = url.password().or_else(|| url.parameter("password")).unwrap_or_default();
        let credentials = (!user.is_empty() || !password.is_empty()).then(|| format!("{user}:{password}").into());
        let time = |keys: &[&str], default| {
            for key in keys {
                if let Some(time) = url.try_millis(key).map_err(|error| invalid(error.to_string()))? {
                    return if time.is_zero() || i32::try_from(time.as_millis()).is_err() {
                        Err(invalid(format!("`{key}={}` is no time to work with", time.as_millis())))
                    } else {
                        Ok(time)
                    };
                }
            }
            Ok(default)
        };
        Ok(Settings {
            address: members
                .iter()
                .map(Member::to_string)
                .collect::<Vec<_>>()
                .join(",")
                .into(),
            members,
            root: root.into(),
            credentials,
            session: time(&["session", "zk.session.expire"], SESSION)?,
            patience: time(&["timeout"], PATIENCE)?,
        })
    }

    /// The user of the credentials, for people to read.
    pub(crate) fn user(&self) -> Option<&str> {
        let (user, _) = self.credentials.as_deref()?.split_once(':')?;
        Some(user)
    }
}

/// With the password left out: this is what ends up in logs.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("address", &self.address)
            .field("root", &self.root)
            .field("user", &self.user())
            .field("session", &self.session)
            .field("patience", &self.patience)
            .finish()
    }
}

impl Member {
    fn parse(text: &str) -> Option<Member> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']')?;
                (host, rest.strip_prefix(':').or(rest.is_empty().then_some("")))
            }
            None => match text.rsplit_once(':') {
                // More than one colon and no brackets: an IPv6 address without a port.
                Some((host, _)) if host.contains(':') => (text, Some("")),
                Some((host, port)) => (host, Some(port)),
                None => (text, Some("")),
            },
        };
        let port = match port? {
            "" => PORT,
            port => port.parse().ok().filter(|port| *port != 0)?,
        };
        let plain = !host.is_empty() && !host.contains(['/', ',', '[', ']']);
        plain.then(|| Member {
            host: host.into(),
            port,
        })
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// The members, and the chroot behind the last of them.
fn split_chroot(members: &str) -> (&str, Option<&str>) {
    match members.split_once('/') {
        Some((members, chroot)) => (members, Some(chroot)),
        None => (members, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        Settings::from_url(&ServiceUrl::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn a_plain_address_means_dubbos_defaults() {
        let plain = settings("zookeeper://10.0.0.1");
        assert_eq!(&*plain.address, "10.0.0.1:2181");
        assert_eq!(&*plain.root, "/dubbo");
        assert_eq!(plain.credentials, None);
        assert_eq!((plain.session, plain.patience), (SESSION, PATIENCE));
    }

    #[test]
    fn every_member_is_named_once_with_its_port() {
        let several = settings("zookeeper://a:2182?backup=b,c:2183, a:2182,[::1]:2184");
        assert_eq!(&*several.address, "a:2182,b:2181,c:2183,[::1]:2184");
        assert_eq!(&*settings("zookeeper://[fe80::1]:2181").address, "[fe80::1]:2181");
    }

    #[test]
    fn the_services_stand_below_chroot_and_group() {
        for (text, root) in [
            (
                "zookeeper://a/org.apache.dubbo.registry.RegistryService?group=shop",
                "/shop",
            ),
            ("zookeeper://a?group=/shop/", "/shop"),
            ("zookeeper://a?group=/", ""),
            ("zookeeper://a/apps/one", "/apps/one/dubbo"),
            ("zookeeper://a?backup=b:2181/apps&group=x/y", "/apps/x/y"),
        ] {
            assert_eq!(&*settings(text).root, root, "{text}");
        }
    }

    #[test]
    fn credentials_come_from_the_user_part_or_from_parameters_and_are_never_shown() {
        for text in ["zookeeper://ann:secret@a", "zookeeper://a?username=ann&password=secret"] {
            let with = settings(text);
            assert_eq!(with.credentials.as_deref(), Some("ann:secret"));
            assert_eq!(with.user(), Some("ann"));
            assert!(!format!("{with:?}").contains("secret"));
        }
    }

    #[test]
    fn what_makes_no_sense_is_said_by_name() {
        for (text, part) in [
            ("zookeeper://a?session=soon", "`session` is `soon`"),
            ("zookeeper://a?timeout=0", "timeout=0"),
            ("zookeeper://a?backup=b:none", "b:none"),
            ("zookeeper://a?group=..", ".."),
            ("zookeeper:///x", "``"),
        ] {
            let error = Settings::from_url(&ServiceUrl::parse(text).unwrap()).unwrap_err();
            assert_eq!(error.kind(), RegistryErrorKind::Invalid, "{text}");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
    }
}
