//! Whether an address is one that an expression of an operator names (`NetUtils.matchIpExpression`).
//!
//! | expression | names |
//! |---|---|
//! | `*`, `*.*.*.*` | everybody, a host name too |
//! | `10.0.0.0/8`, `fd00::/8` | the addresses of a network; a port is not possible |
//! | `10.0.*.1-63`, `fd00:0:0:0:0:0:0:1-ff` | segment by segment: any, a range with both ends, or the same; IPv6 needs all eight |
//! | `10.0.0.1`, `fd00::1` | one address |
//! | one of the last two with a port: `10.0.0.1:20880`, `[fd00::1]:20880` | the same, at that port only |
//! | `0.0.0.0:20880` | everybody at that port |
//!
//! Whatever is none of these names nobody, as it does for Java, which logs an error at each call. Knows no name service: Java asks it for
//! the address of a provider that gives a host name, here such a provider is named by `*` and by its port only.

use std::net::IpAddr;

/// An address that is looked for, taken apart once for any number of expressions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    ip: Option<IpAddr>,
    /// 0 where none is known, as in a URL.
    port: u16,
}

/// An expression that names addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AddressPattern {
    /// Everybody.
    Everybody,
    /// Everybody at a port.
    AtPort(u16),
    /// A network: its first bits are these.
    Network { base: IpAddr, bits: u32 },
    /// One address.
    One { ip: IpAddr, port: Option<u16> },
    /// Addresses of four segments, each one as these say.
    V4 { segments: [Segment; 4], port: Option<u16> },
    /// The same with the eight segments of IPv6.
    V6 { segments: [Segment; 8], port: Option<u16> },
    /// Not an expression.
    Nobody,
}

/// What a segment of an address may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Anything.
    Any,
    /// One of these, both ends included; empty when the first is greater.
    Between(i32, i32),
}

impl Address {
    /// The address of a URL: a host, with or without the brackets of IPv6, and its port.
    pub(crate) fn new(host: &str, port: Option<u16>) -> Address {
        Address {
            ip: unbracketed(host).parse().ok().map(|ip: IpAddr| ip.to_canonical()),
            port: port.unwrap_or(0),
        }
    }
}

impl AddressPattern {
    /// Reads an expression.
    pub(crate) fn new(text: &str) -> AddressPattern {
        // Java takes blanks away from all but networks.
        if let Some((base, bits)) = text.split_once('/') {
            return network(base, bits).unwrap_or(AddressPattern::Nobody);
        }
        let text = text.trim();
        if matches!(text, "*" | "*.*.*.*") {
            return AddressPattern::Everybody;
        }
        let Some((host, port)) = host_and_port(text) else {
            return AddressPattern::Nobody;
        };
        if let (Some(port), "0.0.0.0") = (port, host) {
            return AddressPattern::AtPort(port);
        }
        segments(host, port).unwrap_or(AddressPattern::Nobody)
    }

    /// Whether it names `address`.
    pub(crate) fn names(&self, address: &Address) -> bool {
        let at = |port: &Option<u16>| port.is_none_or(|port| port == address.port);
        match (self, address.ip) {
            (AddressPattern::Everybody, _) => true,
            (AddressPattern::AtPort(port), _) => *port == address.port,
            (AddressPattern::Network { base, bits }, Some(ip)) => same_network(*base, ip, *bits),
            (AddressPattern::One { ip: one, port }, Some(ip)) => *one == ip && at(port),
            (AddressPattern::V4 { segments, port }, Some(IpAddr::V4(ip))) => {
                at(port) && all(segments, ip.octets().map(i32::from))
            }
            (AddressPattern::V6 { segments, port }, Some(IpAddr::V6(ip))) => {
                at(port) && all(segments, ip.segments().map(i32::from))
            }
            _ => false,
        }
    }
}

fn all<const N: usize>(segments: &[Segment; N], values: [i32; N]) -> bool {
    segments.iter().zip(values).all(|(segment, value)| match segment {
        Segment::Any => true,
        Segment::Between(first, last) => *first <= value && value <= *last,
    })
}

/// A host without the brackets that an IPv6 address has in a URL.
pub(crate) fn unbracketed(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

fn network(base: &str, bits: &str) -> Option<AddressPattern> {
    let base: IpAddr = unbracketed(base).parse().ok()?;
    Some(AddressPattern::Network {
        base: base.to_canonical(),
        // More bits than there are mean all of them.
        bits: bits.parse().ok()?,
    })
}

/// Whether two addresses agree in their first bits. They are compared as numbers, so that `::/0` is everybody, as in Java.
fn same_network(base: IpAddr, ip: IpAddr, bits: u32) -> bool {
    let (base, width) = number(base);
    let rest = width.saturating_sub(bits);
    base.checked_shr(rest) == number(ip).0.checked_shr(rest)
}

/// The number that an address is, and how many bits it has.
fn number(ip: IpAddr) -> (u128, u32) {
    match ip {
        IpAddr::V4(ip) => (ip.to_bits().into(), 32),
        IpAddr::V6(ip) => (ip.to_bits(), 128),
    }
}

/// Takes the port off; `None` if there is one that is none.
fn host_and_port(text: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']')?;
            let port = match rest {
                "" => None,
                _ => Some(rest.strip_prefix(':')?),
            };
            (host, port)
        }
        None => match text.split_once(':') {
            // A second colon: an IPv6 address, which has a port only behind brackets.
            Some((_, rest)) if rest.contains(':') => (text, None),
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    let port = match port {
        Some(text) => {
            let port: u16 = text.parse().ok()?;
            // Java compares the texts.
            (port.to_string() == text).then_some(Some(port))?
        }
        None => None,
    };
    Some((host, port))
}

fn segments(host: &str, port: Option<u16>) -> Option<AddressPattern> {
    if !host.contains(['*', '-']) {
        return host.parse().ok().map(|ip| AddressPattern::One { ip, port });
    }
    // What is empty at the end does not count, as Java splits it.
    if host.contains(':') {
        let segments = read(host.trim_end_matches(':').split(':'), 16)?;
        Some(AddressPattern::V6 { segments, port })
    } else {
        let segments = read(host.trim_end_matches('.').split('.'), 10)?;
        Some(AddressPattern::V4 { segments, port })
    }
}

fn read<'t, const N: usize>(texts: impl Iterator<Item = &'t str>, radix: u32) -> Option<[Segment; N]> {
    let segments: Vec<_> = texts
        .take(N + 1)
        .map(|text| segment(text, radix))
        .collect::<Option<_>>()?;
    segments.try_into().ok()
}

fn segment(text: &str, radix: u32) -> Option<Segment> {
    let number = |text: &str| i32::from_str_radix(text, radix).ok();
    if text == "*" {
        return Some(Segment::Any);
    }
    if let Some((first, last)) = text.split_once('-') {
        return Some(Segment::Between(number(first)?, number(last)?));
    }
    let value = number(text)?;
    // Java compares with the shortest spelling in small letters, and knows zeros of up to four digits.
    let shortest = if radix == 16 {
        format!("{value:x}")
    } else {
        value.to_string()
    };
    let same = text == shortest || (value == 0 && text.len() <= 4 && text.bytes().all(|digit| digit == b'0'));
    same.then_some(Segment::Between(value, value))
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;

    fn names(pattern: &str, host: &str, port: u16) -> bool {
        AddressPattern::new(pattern).names(&Address::new(host, Some(port)))
    }

    #[test]
    fn a_network_is_its_first_bits() {
        assert!(names("192.168.1.0/24", "192.168.1.255", 1));
        assert!(!names("192.168.1.0/24", "192.168.2.0", 1));
        // The base need not be the first address.
        assert!(names("192.168.1.77/26", "192.168.1.64", 1) && !names("192.168.1.77/26", "192.168.1.63", 1));
        assert!(names("10.1.2.3/32", "10.1.2.3", 1) && !names("10.1.2.3/32", "10.1.2.2", 1));
        assert!(names("10.1.2.3/99", "10.1.2.3", 1) && !names("10.1.2.3/99", "10.1.2.2", 1));
        assert!(names("0.0.0.0/0", "255.255.255.255", 1) && !names("0.0.0.0/0", "fd00::1", 1));
        assert!(names("::/0", "fd00::1", 1) && names("::/0", "10.0.0.1", 1) && !names("::/32", "fd00::1", 1));
        assert!(names("234e:0:4567::3d:ee/80", "234e:0:4567::9:1", 1));
        assert!(!names("234e:0:4567::3d:ee/80", "234e:0:4567:0:1::", 1));
        assert!(names("fd00::/8", "[fdff::1]", 1));
    }

    #[test]
    fn a_network_has_no_port_and_no_blanks() {
        for text in [
            "10.0.0.0/8:20880",
            "10.0.0.0/8 ",
            " 10.0.0.0/8",
            "10.0.0.0/",
            "/8",
            "10.0.0.0/-1",
            "h/8",
            "a/b/c",
        ] {
            assert_eq!(AddressPattern::new(text), AddressPattern::Nobody, "{text}");
        }
    }

    #[test]
    fn segments_are_any_a_range_or_the_same() {
        assert!(names("192.168.1.1-63", "192.168.1.1", 9) && names("192.168.1.1-63", "192.168.1.63", 9));
        assert!(!names("192.168.1.1-63", "192.168.1.64", 9) && !names("192.168.1.1-63", "192.168.1.0", 9));
        assert!(names("192.168.*.1-63", "192.168.77.5", 9));
        assert!(names("*.*.*.5", "1.2.3.5", 9) && !names("*.*.*.5", "1.2.3.6", 9));
        assert!(names("10.000.0.*", "10.0.0.7", 9));
        assert!(names("234e:0:4567:0:0:0:3d:0-ee", "234e:0:4567::3d:e", 9));
        assert!(!names("234e:0:4567:0:0:0:3d:0-ee", "234e:0:4567::3d:ff", 9));
        assert!(names(" 10.0.0.* ", "10.0.0.7", 9) && names("10.0.0.*.", "10.0.0.7", 9));
    }

    #[test]
    fn one_address_is_the_same_however_it_is_spelled() {
        assert!(names("10.0.0.1", "10.0.0.1", 9) && !names("10.0.0.1", "10.0.0.11", 9));
        assert!(names("fd00::1", "fd00:0:0:0:0:0:0:1", 9) && names("[FD00::1]", "[fd00::1]", 9));
    }

    #[test]
    fn a_port_is_the_only_one_that_counts() {
        assert!(names("10.0.0.1:20880", "10.0.0.1", 20880) && !names("10.0.0.1:20880", "10.0.0.1", 20881));
        assert!(names("192.168.1.*:90", "192.168.1.7", 90) && !names("192.168.1.*:90", "192.168.1.7", 91));
        assert!(names("[fd00::1]:90", "fd00::1", 90) && !names("[fd00::1]:90", "fd00::1", 91));
        assert!(names("[234e:0:4567:0:0:0:3d:*]:90", "234e:0:4567::3d:e", 90));
        assert!(!AddressPattern::new("10.0.0.1:90").names(&Address::new("10.0.0.1", None)));
        for port in ["*", "090", "+90", "", "x", "70000"] {
            assert_eq!(
                AddressPattern::new(&format!("10.0.0.1:{port}")),
                AddressPattern::Nobody,
                "{port}"
            );
        }
    }

    #[test]
    fn stars_are_everybody_and_zeros_with_a_port_everybody_there() {
        assert!(names("*", "10.0.0.1", 9) && names("*.*.*.*", "fd00::1", 9) && names("*", "a-host", 9));
        assert!(names("0.0.0.0:9", "10.0.0.1", 9) && names("0.0.0.0:9", "a-host", 9));
        assert!(!names("0.0.0.0:9", "10.0.0.1", 8) && !names("0.0.0.0", "10.0.0.1", 9));
    }

    #[test]
    fn addresses_of_the_other_family_are_not_meant() {
        assert!(!names("10.0.0.*", "fd00::1", 9) && !names("fd00::*", "10.0.0.1", 9));
        assert!(!names("10.0.0.1", "fd00::1", 9) && !names("fd00::1", "10.0.0.1", 9));
        // An IPv4 address in the clothes of IPv6 is one.
        assert!(names("10.0.0.*", "::ffff:10.0.0.1", 9));
    }

    #[test]
    fn what_is_no_expression_names_nobody() {
        for text in [
            "",
            " ",
            "a-host",
            "10.0.0",
            "10.0.0.*.1",
            "10.0.*",
            "10.0.0.-5",
            "10.0.0.1-2-3",
            "10.0.0.x-9",
            "10.0.0.5*",
            "010.0.0.*",
            "fd00::*",
            "fd00:*",
            "0:0:0:0:0:0:0:00000-",
            "FD00:0:0:0:0:0:0:*",
            "[fd00::1",
            "[fd00::1]9",
            "10.0.0.99999999999-1",
            "10.0.0.1:2:3",
        ] {
            let pattern = AddressPattern::new(text);
            assert_eq!(pattern, AddressPattern::Nobody, "{text}");
            assert!(!pattern.names(&Address::new("10.0.0.1", Some(9))));
        }
        assert!(!names("10.0.0.9-1", "10.0.0.5", 9));
    }

    #[test]
    fn expressions_name_whom_they_name_in_dubbo() {
        let cases = include_str!("address_match/golden.txt")
            .lines()
            .filter(|line| !line.starts_with('#'));
        let mut count = 0;
        for case in cases {
            let [pattern, host, port, wanted] = case.split('|').collect::<Vec<_>>()[..] else {
                panic!("{case}");
            };
            assert_eq!(
                names(pattern, host, port.parse().unwrap()).to_string(),
                wanted,
                "{case}"
            );
            count += 1;
        }
        assert_eq!(count, 300);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_any_host_is_looked_for(text in "[0-9a-f.:*/\\[\\]-]{0,40}|\\PC{0,20}", host in "\\PC{0,20}") {
            let pattern = AddressPattern::new(&text);
            pattern.names(&Address::new(&host, None));
            pattern.names(&Address::new("10.0.0.1", Some(1)));
            pattern.names(&Address::new("fd00::1", Some(1)));
        }

        #[test]
        fn an_address_names_itself_and_lies_in_each_of_its_networks(ip: [u8; 4], bits in 0u32..=32) {
            let ip = Ipv4Addr::from(ip).to_string();
            prop_assert!(names(&ip, &ip, 1));
            let network = format!("{ip}/{bits}");
            prop_assert!(names(&network, &ip, 1));
        }

        #[test]
        fn an_ipv6_address_names_itself_and_lies_in_each_of_its_networks(ip: [u16; 8], bits in 0u32..=128) {
            let ip = Ipv6Addr::from(ip);
            prop_assume!(ip.to_ipv4_mapped().is_none());
            let ip = ip.to_string();
            prop_assert!(names(&ip, &ip, 1));
            let network = format!("{ip}/{bits}");
            prop_assert!(names(&network, &ip, 1));
        }
    }
}
