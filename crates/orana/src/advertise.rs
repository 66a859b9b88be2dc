//! Under which address a provider is to be found: said, or found out.
//!
//! In this order: what the program says; the variables that Dubbo has for it; the address by which this machine reaches the
//! registry. Loopback and container bridges are never guessed: nobody else could call them. Only with a registry on
//! loopback everybody is on this machine, and loopback is right.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use orana_core::ServiceUrl;

/// Variables of the environment that name the advertised host, the first that is set counts.
pub const ADDRESS_VARIABLES: [&str; 2] = ["DUBBO_DUBBO_IP_TO_REGISTRY", "DUBBO_IP_TO_REGISTRY"];

/// Variables of the environment that name the advertised port, the first that is set counts.
pub const PORT_VARIABLES: [&str; 2] = ["DUBBO_DUBBO_PORT_TO_REGISTRY", "DUBBO_PORT_TO_REGISTRY"];

/// All that is known when the address is decided.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// What the program says.
    pub(crate) said: Option<String>,
    /// What the environment says.
    pub(crate) variable: Option<String>,
    /// Where the server listens.
    pub(crate) listening: Option<IpAddr>,
    /// By which address each registry is reached, and whether the registry is on this machine's loopback.
    pub(crate) routes: Vec<Route>,
}

/// The way to one registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) from: IpAddr,
    pub(crate) to: IpAddr,
}

/// Why there is no address to advertise.
pub(crate) const NONE: &str = "there is no address under which others could call this provider: say `listen` with an address that they \
                               reach (`0.0.0.0:20880` for all of this machine's), name it with `advertise`, or set DUBBO_IP_TO_REGISTRY";

/// Decides. `None` if everything known is an address that others could not use.
pub(crate) fn decide(known: &Known) -> Option<String> {
    let said = known.said.iter().chain(&known.variable).find(|host| !host.is_empty());
    if let Some(host) = said {
        return Some(host.clone());
    }
    let local_registry = known.routes.iter().any(|route| route.to.is_loopback());
    if let Some(listening) = known.listening
        && !listening.is_unspecified()
    {
        // Whoever binds one address can be called there and nowhere else; on loopback, by nobody whom a registry elsewhere tells of it.
        let reachable = !listening.is_loopback() || local_registry || known.routes.is_empty();
        return reachable.then(|| written(listening));
    }
    if known.routes.iter().any(|route| usable(route.from)) {
        let route = known.routes.iter().find(|route| usable(route.from))?;
        return Some(written(route.from));
    }
    let local = known.routes.iter().find(|route| route.to.is_loopback());
    local.map(|route| written(route.to))
}

/// What the environment says under one of `names`.
pub(crate) fn variable(names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// By which address this machine reaches the registry at `url`. Sends nothing.
pub(crate) fn route_to(url: &ServiceUrl) -> Option<Route> {
    let host = url.host()?;
    let port = url.port().unwrap_or(9);
    let to: SocketAddr = (host.trim_matches(['[', ']']), port).to_socket_addrs().ok()?.next()?;
    let any: IpAddr = match to {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    // For a datagram socket, connecting only looks up the route.
    socket.connect(to).ok()?;
    let from = socket.local_addr().ok()?.ip();
    Some(Route { from, to: to.ip() })
}

/// Whether others can call that address: neither loopback nor the bridge that Docker makes by default.
fn usable(address: IpAddr) -> bool {
    let docker = match address {
        IpAddr::V4(v4) => matches!(v4.octets(), [172, 17, _, _]),
        IpAddr::V6(_) => false,
    };
    !address.is_loopback() && !address.is_unspecified() && !docker
}

fn written(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(from: &str, to: &str) -> Route {
        Route {
            from: from.parse().unwrap(),
            to: to.parse().unwrap(),
        }
    }

    fn everything() -> Known {
        Known {
            said: Some("said".to_owned()),
            variable: Some("variable".to_owned()),
            listening: Some("10.1.1.1".parse().unwrap()),
            routes: vec![route("10.2.2.2", "10.9.9.9")],
        }
    }

    #[test]
    fn the_more_explicit_wins() {
        let mut known = everything();
        assert_eq!(decide(&known).unwrap(), "said");
        known.said = None;
        assert_eq!(decide(&known).unwrap(), "variable");
        known.variable = Some(String::new());
        assert_eq!(decide(&known).unwrap(), "10.1.1.1");
        known.listening = Some("0.0.0.0".parse().unwrap());
        assert_eq!(decide(&known).unwrap(), "10.2.2.2");
    }

    #[test]
    fn loopback_is_advertised_only_if_the_registry_is_there_too() {
        let known = |routes| Known {
            listening: Some("0.0.0.0".parse().unwrap()),
            routes,
            ..Known::default()
        };
        assert_eq!(
            decide(&known(vec![route("127.0.0.1", "127.0.0.1")])).unwrap(),
            "127.0.0.1"
        );
        assert_eq!(decide(&known(vec![route("172.17.0.1", "172.17.0.2")])), None);
        assert_eq!(decide(&known(vec![])), None);
        let both = vec![route("127.0.0.1", "127.0.0.1"), route("10.2.2.2", "10.9.9.9")];
        assert_eq!(decide(&known(both)).unwrap(), "10.2.2.2");
    }

    #[test]
    fn who_listens_on_loopback_is_not_told_of_in_a_registry_elsewhere() {
        let known = |routes| Known {
            listening: Some("127.0.0.1".parse().unwrap()),
            routes,
            ..Known::default()
        };
        assert_eq!(decide(&known(vec![route("10.2.2.2", "10.9.9.9")])), None);
        assert_eq!(
            decide(&known(vec![route("127.0.0.1", "127.0.0.1")])).unwrap(),
            "127.0.0.1"
        );
        assert_eq!(
            decide(&known(vec![])).unwrap(),
            "127.0.0.1",
            "without a registry nobody is told"
        );
    }

    #[test]
    fn the_way_to_a_registry_on_loopback_is_loopback() {
        let url = ServiceUrl::parse("zookeeper://127.0.0.1:2181").unwrap();
        assert_eq!(route_to(&url), Some(route("127.0.0.1", "127.0.0.1")));
    }

    #[test]
    fn an_ipv6_address_is_bracketed() {
        let known = Known {
            listening: Some("fd00::1".parse().unwrap()),
            ..Known::default()
        };
        assert_eq!(decide(&known).unwrap(), "[fd00::1]");
    }
}
