//! The text forms of a URL: the one that is registered, the name of its ZooKeeper node, and the one for logs.
//!
//! Nothing is escaped but what would be read as the end of its part; what was read from a text holds no such thing and
//! is written as it was.

use std::fmt::{self, Write};

use super::{ServiceUrl, parse};
use crate::percent;

/// What stands for a secret in a log.
const HIDDEN: &str = "***";

impl ServiceUrl {
    /// The text under which it is registered, with credentials and all parameters ascending by key (`URL.toFullString`).
    ///
    /// Parsing it gives an equal URL, for every URL that was itself parsed from a text without blanks around values. In one
    /// that was built, a character that would end its part (`&` or `;` in a value, `?` in a path, …) is written as `%XX`, and
    /// reads back as that.
    ///
    /// Keys ascend byte by byte; Java's order is another one for keys of characters beyond U+FFFF only.
    pub fn full_text(&self) -> String {
        let mut text = String::with_capacity(256);
        // Writing to a string does not fail.
        let _ = self.write(&mut text, Secrets::Shown);
        text
    }

    /// The name of its node below a category's directory: [`ServiceUrl::full_text`], escaped once as a whole
    /// (`java.net.URLEncoder`).
    pub fn to_node_name(&self) -> String {
        percent::encode(&self.full_text()).into_owned()
    }

    fn write(&self, out: &mut impl Write, secrets: Secrets) -> fmt::Result {
        let protocol = self.protocol().unwrap_or_default();
        if !protocol.is_empty() {
            escape(out, protocol, "?#")?;
            out.write_str("://")?;
        }
        if let Some(user) = self.user() {
            escape(out, user, ":/?#")?;
            if let Some(password) = self.password() {
                out.write_char(':')?;
                match secrets {
                    Secrets::Shown => escape(out, password, "/?#")?,
                    Secrets::Hidden => out.write_str(HIDDEN)?,
                }
            }
            out.write_char('@')?;
        }
        let host = self.host().unwrap_or_default();
        let reads_as_port = self.port().is_none() && parse::port_colon(host).is_some();
        escape(out, host, if reads_as_port { ":/?#@," } else { "/?#@," })?;
        if let Some(port) = self.port() {
            write!(out, ":{port}")?;
        }
        if let Some(path) = self.path() {
            out.write_char('/')?;
            let reads_as_protocol = protocol.is_empty() && path.contains(":/");
            escape(out, path, if reads_as_protocol { ":?#" } else { "?#" })?;
        }
        let mut mark = '?';
        for (key, value) in self.parameters() {
            out.write_char(mark)?;
            mark = '&';
            escape(out, key, "&;=")?;
            out.write_char('=')?;
            if secrets == Secrets::Hidden && is_secret(key) {
                out.write_str(HIDDEN)?;
            } else {
                // Java trims what is a control character, too.
                escape(out, value.trim_matches(|c| c <= ' '), "&;")?;
            }
        }
        Ok(())
    }
}

/// The full text with passwords, secrets and tokens left out: this is what ends up in logs.
impl fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Secrets::Hidden)
    }
}

impl fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServiceUrl({self})")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrets {
    Shown,
    Hidden,
}

/// Whether the value of `key` lets somebody in. A `token` does: who sends it may call the provider that says it.
fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key == "token" || key.contains("password") || key.contains("secret")
}

/// Writes `text` with the characters of `marks`, all ASCII, as `%XX`.
fn escape(out: &mut impl Write, text: &str, marks: &str) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| marks.as_bytes().contains(&byte)) {
        let (plain, marked) = rest.split_at(at);
        let (mark, behind) = marked.split_at(1);
        out.write_str(plain)?;
        for byte in mark.bytes() {
            write!(out, "%{byte:02X}")?;
        }
        rest = behind;
    }
    out.write_str(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parameters_are_written_ascending_and_without_blanks_around_them() {
        let url = ServiceUrl::parse("dubbo://h:0//i#x?b=2&a= 1 &c&=d&B=").unwrap();
        assert_eq!(url.full_text(), "dubbo://h/i?B=&a=1&b=2&c=&d=");
        assert_eq!(
            url.to_node_name(),
            "dubbo%3A%2F%2Fh%2Fi%3FB%3D%26a%3D1%26b%3D2%26c%3D%26d%3D"
        );
    }

    #[test]
    fn a_default_of_an_old_release_is_written_once_and_under_its_own_name() {
        let text = "dubbo://h:1/i?default.timeout=5&timeout2=6";
        assert_eq!(ServiceUrl::parse(text).unwrap().full_text(), text);
    }

    #[test]
    fn logs_show_no_secret() {
        let text = "zookeeper://me:pw1@h:1/i?password=pw2&token=pw3&x.secret.key=pw4&user=me&accessKeySecret=pw5";
        let url = ServiceUrl::parse(text).unwrap();
        let log = "zookeeper://me:***@h:1/i?accessKeySecret=***&password=***&token=***&user=me&x.secret.key=***";
        assert_eq!(url.to_string(), log);
        assert_eq!(format!("{url:?}"), format!("ServiceUrl({log})"));
        assert!(url.full_text().contains("me:pw1@"));
    }

    #[test]
    fn what_would_end_a_part_is_escaped_in_it() {
        let url = ServiceUrl::builder("dubbo", "h/o?s,t")
            .user("u:/")
            .password("p:/@")
            .path("/p?q#r")
            .set("k=&", "a&b;c=d?e#f%")
            .build();
        assert_eq!(url.parameter("k=&"), Some("a&b;c=d?e#f%"));
        let text = "dubbo://u%3A%2F:p:%2F@@h%2Fo%3Fs%2Ct/p%3Fq%23r?k%3D%26=a%26b%3Bc=d?e#f%";
        assert_eq!(url.full_text(), text);
        assert_eq!(ServiceUrl::parse(text).unwrap().full_text(), text);
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_and_written_as_the_same(text in "[a:/@?#&;=%, \\[\\].0-9é-]{1,40}|(a|h|:|//|/|@|,|\\?|&|=|1|timestamp|pid|default\\.)*") {
            if let Ok(url) = ServiceUrl::parse(&text) {
                let written = url.full_text();
                let again = ServiceUrl::parse(&written).unwrap();
                prop_assert_eq!(again.full_text(), written.as_str());
                prop_assert_eq!(ServiceUrl::from_node_name(&url.to_node_name()).unwrap(), again);
            }
        }

        #[test]
        fn what_a_text_said_is_what_its_text_form_says(
            protocol in "[a-z]{1,8}", user in "[a-z@]{0,3}", host in "[a-z0-9.]{1,9}|\\[::1\\]", port in 0u16..,
            path in "[A-Za-z.$/:@=&]{0,9}",
            parameters in proptest::collection::vec(("[a-zA-Zé.]{1,3}|timestamp|pid|token|default\\.a", "([!-%'-:<-~é]([ -%'-:<-~]*[!-%'-:<-~])?)?"), 0..9),
        ) {
            let pairs: Vec<_> = parameters.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let credentials = if user.is_empty() { String::new() } else { format!("{user}:p:w@") };
            let text = format!("{protocol}://{credentials}{host}:{port}/{path}?{}", pairs.join("&"));
            let url = ServiceUrl::parse(&text).unwrap();
            let again = ServiceUrl::parse(&url.full_text()).unwrap();
            prop_assert_eq!(&again, &url);
            prop_assert_eq!(again.full_text(), url.full_text());
        }
    }
}
