//! `/v1/services`: the Dubbo view of the tree. Every directory `/<root>/<interface>/providers` or `…/consumers` is
//! a service of that interface; group and version stand in the URLs below it.

use std::collections::BTreeMap;

use orana_core::percent;
use orana_core::{ServiceKey, ServiceUrl};
use orana_state::{NodeRef, State};
use serde::Serialize;

/// One page of the list.
#[derive(Serialize)]
pub(super) struct Services {
    total: usize,
    services: Vec<Service>,
}

/// One service. An interface that nobody provides or consumes any more has neither group nor version.
#[derive(Serialize)]
struct Service {
    interface: String,
    group: Option<String>,
    version: Option<String>,
    providers: usize,
    consumers: usize,
}

#[derive(Default)]
struct Seats {
    providers: usize,
    consumers: usize,
}

/// Rows `(page - 1) * size …`, ordered by interface, group and version.
pub(super) fn page(state: &State, page: usize, size: usize) -> Services {
    let mut services = BTreeMap::new();
    if let Some(root) = state.node("/") {
        for group in root.children() {
            for interface in group.children() {
                collect(interface, &mut services);
            }
        }
    }
    let total = services.len();
    let rows = services
        .into_iter()
        .skip(page.saturating_sub(1).saturating_mul(size))
        .take(size);
    let services = rows.map(|((interface, group, version), seats)| Service {
        interface,
        group,
        version,
        providers: seats.providers,
        consumers: seats.consumers,
    });
    Services {
        total,
        services: services.collect(),
    }
}

type Key = (String, Option<String>, Option<String>);

fn collect(directory: NodeRef<'_>, services: &mut BTreeMap<Key, Seats>) {
    let (mut is_service, mut anybody) = (false, false);
    let interface = percent::decode(directory.name())
        .unwrap_or(directory.name().into())
        .into_owned();
    for category in directory.children() {
        let providers = match category.name() {
            "providers" => true,
            "consumers" => false,
            _ => continue,
        };
        is_service = true;
        for node in category.children() {
            anybody = true;
            // Something that is no URL is still somebody who registered here.
            let key = ServiceUrl::from_node_name(node.name())
                .ok()
                .and_then(|url| url.service_key());
            let part = |part: fn(&ServiceKey) -> Option<&str>| key.as_ref().and_then(part).map(str::to_owned);
            let key = (interface.clone(), part(ServiceKey::group), part(ServiceKey::version));
            let seats = services.entry(key).or_default();
            if providers {
                seats.providers += 1;
            } else {
                seats.consumers += 1;
            }
        }
    }
    if is_service && !anybody {
        services.entry((interface, None, None)).or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orana_state::{AclEntry, Action, Command, Entry, Lifetime, Write};

    fn state(paths: &[&str]) -> State {
        let mut state = State::new();
        let create = |path: &&str| Command {
            issuer: None,
            identities: [].into(),
            action: Action::Write(Write::Create {
                path: (*path).into(),
                data: None,
                acl: vec![AclEntry::open()],
                lifetime: Lifetime::Persistent,
                sequential: false,
            }),
        };
        let applied = state.apply(&Entry {
            index: 1,
            at: 1,
            commands: paths.iter().map(create).collect(),
        });
        assert!(
            applied.outcomes.iter().all(|outcome| outcome.result.is_ok()),
            "{:?}",
            applied.outcomes
        );
        state
    }

    #[test]
    fn services_are_counted_by_group_and_version() {
        let url = |host: &str, rest: &str| {
            percent::encode(&format!("dubbo://{host}:20880/a.B?interface=a.B{rest}")).into_owned()
        };
        let names = [
            url("10.0.0.1", "&group=g&version=1"),
            url("10.0.0.2", "&group=g&version=1"),
            url("10.0.0.3", ""),
        ];
        let mut paths: Vec<String> = [
            "/dubbo",
            "/dubbo/a.B",
            "/dubbo/a.B/providers",
            "/dubbo/a.B/consumers",
            "/dubbo/config",
            "/dubbo/c.D",
            "/dubbo/c.D/providers",
        ]
        .map(str::to_owned)
        .to_vec();
        paths.extend(names.iter().map(|name| format!("/dubbo/a.B/providers/{name}")));
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let all = page(&state(&paths), 1, 10);
        assert_eq!(all.total, 3);
        let rows: Vec<_> = all
            .services
            .iter()
            .map(|s| (&*s.interface, s.group.as_deref(), s.providers))
            .collect();
        assert_eq!(rows, [("a.B", None, 1), ("a.B", Some("g"), 2), ("c.D", None, 0)]);
        let second = page(&state(&paths), 2, 2);
        assert_eq!((second.total, second.services.len()), (3, 1));
    }
}
