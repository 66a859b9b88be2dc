//! Cuts a URL into its parts, in the order in which Dubbo cuts: parameters, fragment, protocol, path, credentials, port.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Parts, Place, UrlError};

/// A parameter of this prefix defines the one without it, too.
const DEFAULT_PREFIX: &str = "default.";

/// A text and the part of it that has not been cut off yet.
struct Rest<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// Takes `text` apart.
pub(super) fn parts(text: Box<str>) -> Result<Parts, UrlError> {
    if text.is_empty() {
        return Err(UrlError::Empty);
    }
    if u32::try_from(text.len()).is_err() {
        return Err(UrlError::TooLong);
    }
    let mut body = Rest {
        text: &text,
        start: 0,
        end: text.len(),
    };
    let parameters = match body.find("?") {
        Some(at) => {
            body.end = at;
            parameters(&text, at + 1)
        }
        None => Box::default(),
    };
    if let Some(at) = body.find("#") {
        body.end = at;
    }
    let protocol = cut_protocol(&mut body)?;
    let path = body.find("/").map(|at| {
        let path = Rest { start: at, ..body };
        body.end = at;
        let slashes = path.str().len() - path.str().trim_start_matches('/').len();
        path.start + slashes..path.end
    });
    let (user, password) = cut_credentials(&mut body)?;
    let port = cut_port(&mut body)?;
    let host = body.start..body.end;

    let present = |range: Option<Range<usize>>| range.filter(|range| !range.is_empty()).map(Place::from);
    Ok(Parts {
        protocol: present(protocol),
        user: present(user),
        password: present(password),
        host: present(Some(host)),
        port,
        path: present(path),
        parameters,
        text,
    })
}

fn cut_protocol(body: &mut Rest<'_>) -> Result<Option<Range<usize>>, UrlError> {
    // `file:/a/b` has a protocol and a path but no address; its slash belongs to the path.
    let cut = body
        .find("://")
        .map(|at| (at, at + 3))
        .or_else(|| body.find(":/").map(|at| (at, at + 1)));
    let Some((at, rest)) = cut else { return Ok(None) };
    if at == body.start {
        return Err(UrlError::MissingProtocol { at });
    }
    let protocol = body.start..at;
    body.start = rest;
    Ok(Some(protocol))
}

type Credentials = (Option<Range<usize>>, Option<Range<usize>>);

fn cut_credentials(body: &mut Rest<'_>) -> Result<Credentials, UrlError> {
    let Some(at) = body.str().rfind('@').map(|at| body.start + at) else {
        return Ok((None, None));
    };
    let credentials = Rest { end: at, ..*body };
    body.start = at + 1;
    let Some(colon) = credentials.find(":") else {
        return Ok((Some(credentials.start..at), None));
    };
    let (user, password) = (credentials.start..colon, colon + 1..at);
    if user.is_empty() && !password.is_empty() {
        return Err(UrlError::MissingUser { at: user.start });
    }
    Ok((Some(user), Some(password)))
}

fn cut_port(body: &mut Rest<'_>) -> Result<Option<u16>, UrlError> {
    let address = body.str();
    // `[::1]` ends with its bracket, and `fe80::1%en0` with a scope: the last colon of either begins no port.
    let Some(colon) = address.rfind(':').filter(|_| !address.ends_with(']')) else {
        return Ok(None);
    };
    if address.rfind('%').is_some_and(|percent| percent > colon) {
        return Ok(None);
    }
    let at = body.start + colon + 1;
    let digits = address.get(colon + 1..).unwrap_or_default();
    let port = match digits.strip_prefix('-') {
        // Below zero is as good as zero.
        Some(digits) => digits.parse::<u32>().ok().map(|_| 0),
        None => digits.parse::<u16>().ok(),
    };
    body.end = body.start + colon;
    match port {
        Some(0) => Ok(None),
        Some(port) => Ok(Some(port)),
        None => Err(UrlError::Port { at }),
    }
}

/// The parameters that stand in `text` from `start` on.
fn parameters(text: &str, start: usize) -> Box<[(Place, Place)]> {
    let mut explicit = BTreeMap::new();
    let mut implied = BTreeMap::new();
    let mut next = start;
    for pair in text.get(start..).unwrap_or_default().split(['&', ';']) {
        let end = next + pair.len();
        let begin = end - pair.trim_start_matches('=').len();
        next = end + 1;
        let pair = text.get(begin..end).unwrap_or_default();
        let (key, value) = match pair.find('=') {
            Some(equals) => (begin..begin + equals, begin + equals + 1..end),
            None => (begin..end, end..end),
        };
        let Some(name) = text.get(key.clone()).filter(|name| !name.is_empty()) else {
            continue;
        };
        if let Some(short) = name.strip_prefix(DEFAULT_PREFIX).filter(|short| !short.is_empty()) {
            implied.entry(short).or_insert((
                Place::from(key.start + DEFAULT_PREFIX.len()..key.end),
                Place::from(value.clone()),
            ));
        }
        // The last of several wins.
        explicit.insert(name, (Place::from(key), Place::from(value)));
    }
    for (name, places) in implied {
        explicit.entry(name).or_insert(places);
    }
    explicit.into_values().collect()
}

impl<'a> Rest<'a> {
    fn str(&self) -> &'a str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Where `pattern` first stands, counted in the whole text.
    fn find(&self, pattern: &str) -> Option<usize> {
        self.str().find(pattern).map(|at| self.start + at)
    }
}

impl From<Range<usize>> for Place {
    /// Lossless, as no text longer than `u32::MAX` is taken apart.
    fn from(range: Range<usize>) -> Place {
        Place {
            start: range.start as u32,
            end: range.end as u32,
        }
    }
}
