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

/// Writes `text` with the characters of `marks` as `%XX`.
fn escape(out: &mut impl Write, text: &str, marks: &str) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = rest.find(|c| marks.contains(c)) {
        let (plain, marked) = rest.split_at(at);
        out.write_str(plain)?;
        let mut marked = marked.chars();
        if let Some(mark) = marked.next() {
            write!(out, "%{:02X}", u32::from(mark))?;
        }
        rest = marked.as_str();
    }
    out.write_str(rest)
}
