//! Nodes that Dubbo 2.6, 2.7 and 3.3 registered are read, and written again as they were.

use std::time::Duration;

use orana_core::{Category, ServiceUrl, UrlPool, percent};

const GOLDEN: [(&str, &str); 3] = [
    ("2.6.12", include_str!("golden/urls/dubbo-2.6.12.txt")),
    ("2.7.23", include_str!("golden/urls/dubbo-2.7.23.txt")),
    ("3.3.6", include_str!("golden/urls/dubbo-3.3.6.txt")),
];

/// The nodes of a release, each with its category.
fn nodes(golden: &'static str) -> Vec<(&'static str, &'static str)> {
    golden.lines().map(|line| line.split_once(' ').unwrap()).collect()
}

/// The one with much configuration.
fn rich(golden: &'static str) -> ServiceUrl {
    let urls = nodes(golden)
        .into_iter()
        .map(|(_, name)| ServiceUrl::from_node_name(name).unwrap());
    urls.into_iter().find(|url| url.path() == Some("shop/Greeter")).unwrap()
}

#[test]
fn what_dubbo_wrote_is_written_again_as_it_was() {
    let pool = UrlPool::new();
    for (release, golden) in GOLDEN {
        let nodes = nodes(golden);
        assert_eq!(nodes.len(), 5, "{release}");
        for (category, name) in nodes {
            let url = ServiceUrl::from_node_name(name).unwrap();
            assert_eq!(url.to_node_name(), name, "{release}");
            assert_eq!(url.full_text(), percent::decode(name).unwrap(), "{release}");
            assert_eq!(url.category(), Category::from_name(category), "{release} {name}");
            assert_eq!(ServiceUrl::parse(&url.full_text()).unwrap(), url, "{release}");
            let pooled = pool.from_node_name(name).unwrap();
            assert_eq!(pooled, url, "{release}");
            assert_eq!(pooled.to_node_name(), name, "{release}");
        }
    }
}

#[test]
fn every_release_says_what_it_was_configured_with() {
    for (release, golden) in GOLDEN {
        let url = rich(golden);
        assert_eq!(url.interface(), Some("Capture$Greeter"), "{release}");
        assert_eq!(
            url.service_key().unwrap().to_string(),
            "blue/Capture$Greeter:1.0.0",
            "{release}"
        );
        assert!(url.address().starts_with("127.0.0.1:2719"), "{release}: {url}");
        assert_eq!(url.number_or("weight", 100u32), 200, "{release}");
        let timeout = |method| {
            url.method_millis_or(method, "timeout", Duration::from_secs(1))
                .as_millis()
        };
        assert_eq!(timeout("sayHello"), 700, "{release}");
        // The override of `golden-shop` had reached the providers of 2.7 and 3.3 by then.
        assert_eq!(
            timeout("add"),
            if release == "2.6.12" { 4321 } else { 900 },
            "{release}"
        );
        assert_eq!(url.method_number_or("sayHello", "retries", 2), 0, "{release}");
        assert_eq!(url.method_number_or("add", "retries", 2), 1, "{release}");
        let mut methods: Vec<_> = url.list("methods").collect();
        methods.sort_unstable();
        assert_eq!(methods, ["add", "ping", "sayHello"], "{release}");
        let token = url.parameter("token").unwrap();
        assert!(!url.to_string().contains(token), "{release}: {url}");
    }
}

#[test]
fn odd_characters_arrive() {
    for (release, golden) in GOLDEN.into_iter().filter(|(release, _)| *release != "2.6.12") {
        let url = rich(golden);
        assert_eq!(url.parameter("note"), Some("a b+c~d*e=f?g#h/i:j@k"), "{release}");
        assert_eq!(url.parameter("city"), Some("杭州"), "{release}");
        assert_eq!(url.parameter("smile"), Some("😀"), "{release}");
    }
}

#[test]
fn the_consumer_of_a_release_asks_for_its_configured_provider_and_not_for_the_plain_one() {
    for (release, golden) in GOLDEN {
        let find = |category| {
            let mut nodes = nodes(golden).into_iter().filter(move |(of, _)| *of == category);
            std::iter::from_fn(move || nodes.next().map(|(_, name)| ServiceUrl::from_node_name(name).unwrap()))
        };
        let consumer = find("consumers").next().unwrap();
        let asks = consumer
            .edit()
            .set("category", "providers,configurators,routers")
            .build();
        let wanted: Vec<_> = find("providers").filter(|url| asks.subscribes_to(url)).collect();
        assert_eq!(wanted, [rich(golden)], "{release}");
        assert!(asks.subscribes_to(&find("configurators").next().unwrap()), "{release}");
        assert!(!asks.subscribes_to(&consumer), "{release}");
    }
}

#[test]
fn the_rule_of_a_route_is_read_by_who_knows_that_it_is_escaped() {
    for (release, golden) in GOLDEN {
        let route = nodes(golden)
            .into_iter()
            .find(|(category, _)| *category == "routers")
            .unwrap()
            .1;
        let url = ServiceUrl::from_node_name(route).unwrap();
        assert!(url.is_router() && !url.is_provider(), "{release}");
        assert_eq!(
            percent::decode(url.parameter("rule").unwrap()).as_deref(),
            Ok("host = 10.20.* & method = say* => host != 10.30.*"),
            "{release}"
        );
    }
}
