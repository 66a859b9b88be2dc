//! Cuts a text into the parts of a URL, in the order in which Dubbo cuts: parameters, fragment, protocol, path,
//! credentials, further addresses, port (`org.apache.dubbo.common.URLStrParser`).

use std::borrow::Cow;

use super::{Parts, ServiceUrl, UrlError};
use crate::percent;

/// A part of a text that has not been cut up yet, and where in the whole it stands.
#[derive(Clone, Copy)]
struct Rest<'a> {
    text: &'a str,
    at: usize,
}

/// The text that a ZooKeeper node is named after.
pub(super) fn node_text(name: &str) -> Result<Cow<'_, str>, UrlError> {
    // An escape takes three bytes for one; what is longer than that is not worth decoding.
    if name.len() > 3 * ServiceUrl::MAX_BYTES {
        return Err(UrlError::TooLong { bytes: name.len() });
    }
    Ok(percent::decode(name)?)
}

/// Takes `text` apart.
pub(super) fn parts(text: &str) -> Result<Parts<'_>, UrlError> {
    if text.is_empty() {
        return Err(UrlError::Empty);
    }
    if text.len() > ServiceUrl::MAX_BYTES {
        return Err(UrlError::TooLong { bytes: text.len() });
    }
    let mut rest = Rest { text, at: 0 };
    let query = rest.cut_tail('?');
    rest.cut_tail('#');
    let mut parameters = match query {
        Some(query) => cut_parameters(query)?,
        None => Vec::new(),
    };
    let protocol = cut_protocol(&mut rest)?;
    let path = rest.cut_tail('/').map_or("", |path| path.text.trim_start_matches('/'));
    let (user, password) = cut_credentials(&mut rest)?;
    let further = rest.cut_tail(',').map_or("", |further| further.text);
    add_backup(&mut parameters, further);
    let port = cut_port(&mut rest)?;
    let parts = Parts {
        protocol,
        user,
        password,
        host: rest.text,
        port,
        path,
        parameters,
    };
    if parts.is_empty() {
        return Err(UrlError::Empty);
    }
    Ok(parts)
}

fn cut_protocol<'a>(rest: &mut Rest<'a>) -> Result<&'a str, UrlError> {
    // `file:/a/b` has a protocol and a path but no address; its slash belongs to the path.
    let protocol = match rest.cut_head("://") {
        Some(protocol) => protocol,
        None => match rest.text.find(":/") {
            Some(colon) => rest.split(colon, 1),
            None => return Ok(""),
        },
    };
    if protocol.text.is_empty() {
        return Err(UrlError::MissingProtocol { at: protocol.at });
    }
    Ok(protocol.text)
}

fn cut_credentials<'a>(rest: &mut Rest<'a>) -> Result<(&'a str, &'a str), UrlError> {
    let Some(at) = rest.text.rfind('@') else {
        return Ok(("", ""));
    };
    let mut user = rest.split(at, 1);
    let password = user.cut_tail(':').map_or("", |password| password.text);
    if user.text.is_empty() && !password.is_empty() {
        return Err(UrlError::MissingUser { at: user.at });
    }
    Ok((user.text, password))
}

fn cut_port(rest: &mut Rest<'_>) -> Result<Option<u16>, UrlError> {
    let Some(colon) = port_colon(rest.text) else {
        return Ok(None);
    };
    let host = rest.split(colon, 1);
    let digits = *rest;
    *rest = host;
    let port = match digits.text.strip_prefix('-') {
        // Below zero is as good as zero.
        Some(digits) => digits.parse::<u32>().ok().map(|_| 0),
        None => digits.text.parse::<u16>().ok(),
    };
    match port {
        Some(0) => Ok(None),
        Some(port) => Ok(Some(port)),
        None => Err(UrlError::Port { at: digits.at }),
    }
}

/// Where the colon before the port stands in an address, if one is read as such.
///
/// `[::1]` ends with its bracket, and `fe80::1%en0` with a scope: the last colon of either begins no port.
pub(super) fn port_colon(address: &str) -> Option<usize> {
    let colon = address.rfind(':').filter(|_| !address.ends_with(']'))?;
    let scoped = address.rfind('%').is_some_and(|percent| percent > colon);
    (!scoped).then_some(colon)
}

/// The parameters of a query, ascending by key; the last of several of one key wins.
fn cut_parameters(query: Rest<'_>) -> Result<Vec<(&str, Cow<'_, str>)>, UrlError> {
    let mut parameters: Vec<(&str, Cow<'_, str>)> = Vec::with_capacity(32);
    let mut sorted = true;
    let mut rest = Some(query);
    while let Some(mut pair) = rest.take() {
        // Both separators are ASCII, so a byte of that value is one of them.
        let end = pair.text.bytes().position(|byte| matches!(byte, b'&' | b';'));
        if let Some(end) = end {
            let before = pair.split(end, 1);
            rest = Some(std::mem::replace(&mut pair, before));
        }
        let text = pair.text.trim_start_matches('=');
        if text.is_empty() {
            continue;
        }
        if parameters.len() == ServiceUrl::MAX_PARAMETERS {
            return Err(UrlError::TooManyParameters { at: pair.at });
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        sorted = sorted && parameters.last().is_none_or(|(last, _)| *last < key);
        parameters.push((key, value.into()));
    }
    if !sorted {
        parameters.sort_by_key(|(key, _)| *key);
        parameters.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(later, kept);
            }
            same
        });
    }
    Ok(parameters)
}

/// Addresses after the first one mean the same as a `backup` parameter, and stand before what that says.
fn add_backup<'a>(parameters: &mut Vec<(&'a str, Cow<'a, str>)>, further: &'a str) {
    if further.is_empty() {
        return;
    }
    match parameters.binary_search_by_key(&"backup", |(key, _)| key) {
        Ok(found) => {
            if let Some((_, value)) = parameters.get_mut(found) {
                *value = format!("{further},{value}").into();
            }
        }
        Err(place) => parameters.insert(place, ("backup", further.into())),
    }
}

impl<'a> Rest<'a> {
    /// Cuts off and returns what stands behind the first `mark`.
    fn cut_tail(&mut self, mark: char) -> Option<Rest<'a>> {
        let at = self.text.find(mark)?;
        let mut tail = *self;
        *self = tail.split(at, mark.len_utf8());
        Some(tail)
    }

    /// Cuts off and returns what stands before the first `mark`.
    fn cut_head(&mut self, mark: &str) -> Option<Rest<'a>> {
        let at = self.text.find(mark)?;
        Some(self.split(at, mark.len()))
    }

    /// Returns what stands before byte `at` and keeps what stands `skip` bytes behind it.
    fn split(&mut self, at: usize, skip: usize) -> Rest<'a> {
        let head = Rest {
            text: self.text.get(..at).unwrap_or_default(),
            at: self.at,
        };
        *self = Rest {
            text: self.text.get(at + skip..).unwrap_or_default(),
            at: self.at + at + skip,
        };
        head
    }
}
