//! URLs as Dubbo applications write them, and texts that nobody should write.

use proptest::prelude::*;

use super::*;

fn url(text: &str) -> ServiceUrl {
    ServiceUrl::parse(text).expect("a url")
}

/// A provider of Dubbo 3.3 as its node is named below `/dubbo/com.example.Greeter/providers`.
const PROVIDER_NODE: &str = "dubbo%3A%2F%2F127.0.0.1%3A20880%2Fcom.example.Greeter%3Fapplication%3Ddemo-provider%26deprecated%3Dfalse%26dubbo%3D2.0.2%26dynamic%3Dtrue%26generic%3Dfalse%26group%3Dblue%26interface%3Dcom.example.Greeter%26methods%3Dgreet%2CsayHello%26prefer.serialization%3Dhessian2%2Cfastjson2%26release%3D3.3.6%26service-name-mapping%3Dtrue%26side%3Dprovider%26timestamp%3D1764500000000%26version%3D1.0.0";

/// A consumer of Dubbo 2.7.
const CONSUMER_NODE: &str = "consumer%3A%2F%2F10.20.30.40%2Fcom.example.Greeter%3Fapplication%3Ddemo-consumer%26category%3Dconsumers%26check%3Dfalse%26dubbo%3D2.0.2%26interface%3Dcom.example.Greeter%26methods%3DsayHello%26pid%3D4242%26qos.enable%3Dfalse%26release%3D2.7.23%26side%3Dconsumer%26sticky%3Dfalse%26timestamp%3D1764500000001";

#[test]
fn a_provider_node_is_read() {
    let url = ServiceUrl::from_node_name(PROVIDER_NODE).expect("a url");
    assert_eq!(url.protocol(), Some("dubbo"));
    assert_eq!((url.host(), url.port()), (Some("127.0.0.1"), Some(20880)));
    assert_eq!(url.path(), Some("com.example.Greeter"));
    assert_eq!((url.user(), url.password()), (None, None));
    assert_eq!(url.parameter("methods"), Some("greet,sayHello"));
    assert_eq!(url.parameter("prefer.serialization"), Some("hessian2,fastjson2"));
    assert_eq!(url.parameter("absent"), None);
    assert_eq!(url.category(), Some(Category::Providers));
    assert_eq!(
        url.service_key().expect("an interface").to_string(),
        "blue/com.example.Greeter:1.0.0"
    );
    assert_eq!(url.parameters().count(), 14);
}

#[test]
fn a_consumer_node_has_no_port_and_its_own_category() {
    let url = ServiceUrl::from_node_name(CONSUMER_NODE).expect("a url");
    assert_eq!((url.host(), url.port()), (Some("10.20.30.40"), None));
    assert_eq!(url.category(), Some(Category::Consumers));
    assert_eq!(
        url.service_key(),
        Some(ServiceKey::new("com.example.Greeter", None, None))
    );
}

#[test]
fn a_route_rule_keeps_the_escapes_that_its_writer_put_into_the_value() {
    let node = "route%3A%2F%2F0.0.0.0%2Fcom.example.Greeter%3Fcategory%3Drouters%26dynamic%3Dfalse%26router%3Dcondition%26rule%3Dhost%2520%253D%252010.20.*%2520%253D%253E%2520host%2520%253D%252010.30.*";
    let url = ServiceUrl::from_node_name(node).expect("a url");
    assert_eq!(url.category(), Some(Category::Routers));
    let rule = url.parameter("rule").expect("a rule");
    assert_eq!(rule, "host%20%3D%2010.20.*%20%3D%3E%20host%20%3D%2010.30.*");
    assert_eq!(percent::decode(rule).as_deref(), Ok("host = 10.20.* => host = 10.30.*"));
}

#[test]
fn every_part_may_be_there_or_not() {
    let whole = url("dubbo://admin:hello1234@10.20.130.230:20880/context/path?version=1.0.0&application=morgan");
    assert_eq!((whole.user(), whole.password()), (Some("admin"), Some("hello1234")));
    assert_eq!(whole.path(), Some("context/path"));
    assert_eq!(
        whole.parameters().collect::<Vec<_>>(),
        [("application", "morgan"), ("version", "1.0.0")]
    );

    let bare = url("10.20.130.230");
    assert_eq!(
        (bare.protocol(), bare.host(), bare.port(), bare.path()),
        (None, Some("10.20.130.230"), None, None)
    );
    let address = url("10.20.130.230:20880/path?a=b");
    assert_eq!((address.port(), address.path()), (Some(20880), Some("path")));
    let parameters = url("?a=b");
    assert_eq!((parameters.host(), parameters.parameter("a")), (None, Some("b")));
    let user = url("dubbo://admin@host/");
    assert_eq!(
        (user.user(), user.password(), user.host(), user.path()),
        (Some("admin"), None, Some("host"), None)
    );
    let file = url("file:/home/user1/router.js?type=script");
    assert_eq!(
        (file.protocol(), file.host(), file.path()),
        (Some("file"), None, Some("home/user1/router.js"))
    );
    let file = url("file:///home/user1/router.js");
    assert_eq!(
        (file.protocol(), file.host(), file.path()),
        (Some("file"), None, Some("home/user1/router.js"))
    );
}

#[test]
fn credentials_end_at_the_last_at_sign_and_split_at_the_first_colon() {
    let url = url("zookeeper://us@er:pa:ss@word@host:2181/x@y");
    assert_eq!((url.user(), url.password()), (Some("us@er"), Some("pa:ss@word")));
    assert_eq!(
        (url.host(), url.port(), url.path()),
        (Some("host"), Some(2181), Some("x@y"))
    );
}

#[test]
fn ipv6_hosts_are_read_with_and_without_port() {
    let port = |text| (url(text).host().map(str::to_owned), url(text).port());
    assert_eq!(
        port("dubbo://[2001:db8::1]:20880/i"),
        (Some("[2001:db8::1]".into()), Some(20880))
    );
    assert_eq!(port("dubbo://[2001:db8::1]/i"), (Some("[2001:db8::1]".into()), None));
    assert_eq!(
        port("dubbo://fe80:0:0:0:894:aeec:f37d:23e1%en0/i"),
        (Some("fe80:0:0:0:894:aeec:f37d:23e1%en0".into()), None)
    );
}

#[test]
fn a_port_of_zero_or_less_is_none() {
    assert_eq!(url("a://h:0/p"), url("a://h/p"));
    assert_eq!(url("a://h:-1/p").port(), None);
}

#[test]
fn the_fragment_of_the_body_is_dropped_and_that_of_a_value_kept() {
    let url = url("dubbo://h:1/p#frag/x?a=1#2");
    assert_eq!((url.path(), url.parameter("a")), (Some("p"), Some("1#2")));
}

#[test]
fn parameters_follow_the_rules_of_dubbo_3() {
    let url = url("a://h?x=1;y=2&z&=w=3&==v==4=5&&=&q=&x=9&u=a?b/c:d@e");
    let all: Vec<_> = url.parameters().collect();
    assert_eq!(
        all,
        [
            ("q", ""),
            ("u", "a?b/c:d@e"),
            ("v", "=4=5"),
            ("w", "3"),
            ("x", "9"),
            ("y", "2"),
            ("z", "")
        ]
    );
}

#[test]
fn a_default_parameter_is_found_under_its_short_name_unless_that_is_given() {
    let old = url("dubbo://h/i?default.timeout=1000&default.retries=0&retries=2&default.=x");
    assert_eq!(old.parameter("timeout"), Some("1000"));
    assert_eq!(old.parameter("default.timeout"), Some("1000"));
    assert_eq!(old.parameter("retries"), Some("2"));
    assert_eq!(old.parameter("default."), Some("x"));
    assert_eq!(old.parameter(""), None);
}

#[test]
fn the_interface_is_the_parameter_or_else_the_path() {
    assert_eq!(url("tri://h/custom?interface=com.a.B").interface(), Some("com.a.B"));
    assert_eq!(url("tri://h/com.a.B?interface=").interface(), Some("com.a.B"));
    assert_eq!(url("tri://h").service_key(), None);
}

#[test]
fn urls_are_equal_when_all_parts_are_whatever_the_order_of_parameters() {
    assert_eq!(url("a://h/i?x=1&y=2"), url("a://h//i?y=2;x=1"));
    assert_ne!(url("a://h/i?timestamp=1"), url("a://h/i?timestamp=2"));
    assert_ne!(url("a://u@h/i"), url("a://h/i"));
}

#[test]
fn a_category_of_somebodys_own_is_none_of_ours() {
    assert_eq!(
        url("a://h/i?category=configurators").category(),
        Some(Category::Configurators)
    );
    assert_eq!(url("a://h/i?category=mine").category(), None);
}

#[test]
fn mistakes_are_refused_at_their_place() {
    let refused = |text| ServiceUrl::parse(text).expect_err("no url");
    for text in ["", "/", "?", "#a", "?&=", "@//"] {
        assert_eq!(refused(text), UrlError::Empty, "{text}");
    }
    assert_eq!(refused("://h"), UrlError::MissingProtocol { at: 0 });
    assert_eq!(refused(":/h"), UrlError::MissingProtocol { at: 0 });
    assert_eq!(refused("a://:pw@h"), UrlError::MissingUser { at: 4 });
    assert_eq!(refused("a://h:20x/i"), UrlError::Port { at: 6 });
    assert_eq!(refused("a://h:/i"), UrlError::Port { at: 6 });
    assert_eq!(refused("a://h:65536/i"), UrlError::Port { at: 6 });
    assert_eq!(
        ServiceUrl::from_node_name("a%3").expect_err("no url").to_string(),
        "`%` at 1 is not followed by two hexadecimal digits"
    );
}

#[test]
fn a_text_beyond_any_need_is_refused() {
    let refused = |text: &str| ServiceUrl::parse(text).expect_err("no url");
    let long = format!("a://h/{}", "x".repeat(ServiceUrl::MAX_BYTES - 5));
    assert_eq!(refused(&long), UrlError::TooLong { bytes: long.len() });
    assert!(ServiceUrl::parse(&long[..ServiceUrl::MAX_BYTES]).is_ok());
    let mebibyte = "%41".repeat(1 << 20);
    assert!(ServiceUrl::from_node_name(&mebibyte).is_err());
    let many: String = (0..=ServiceUrl::MAX_PARAMETERS).map(|key| format!("{key}&")).collect();
    let at = "a://h?".len() + many.len() - format!("{}&", ServiceUrl::MAX_PARAMETERS).len();
    assert_eq!(refused(&format!("a://h?{many}")), UrlError::TooManyParameters { at });
    assert!(ServiceUrl::parse(&format!("a://h?{}", &many[2..])).is_ok());
}

#[test]
fn a_password_does_not_reach_a_log() {
    let text = format!("{:?}", url("a://me:secret@h"));
    assert!(text.contains("me") && !text.contains("secret"), "{text}");
}

proptest! {
    #[test]
    fn no_text_makes_parsing_panic(text in any::<String>()) {
        let _ = ServiceUrl::parse(&text).map(|url| (url.parameters().count(), url.service_key()));
        let _ = ServiceUrl::from_node_name(&text);
    }

    #[test]
    fn no_text_of_delimiters_makes_parsing_panic(text in "[a:/@?#&;=%\\[\\].0-9é-]{0,40}") {
        if let Ok(url) = ServiceUrl::parse(&text) {
            for (key, value) in url.parameters() {
                prop_assert!(!key.is_empty());
                prop_assert_eq!(url.parameter(key), Some(value));
            }
            prop_assert_eq!(&url, &url.clone());
        }
    }

    #[test]
    fn the_parts_that_were_written_are_the_parts_that_are_read(
        protocol in "[a-z]{1,8}", user in proptest::option::of("[a-z]{1,5}"), host in "[a-z0-9.]{1,20}",
        port in proptest::option::of(1u16..), path in "[A-Za-z.$/]{1,30}", parameters in proptest::collection::btree_map("[a-z.]{1,9}", "[^&;]{0,9}", 0..6),
    ) {
        let joined: Vec<_> = parameters.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let text = format!(
            "{protocol}://{}{host}{}/{path}?{}",
            user.as_ref().map_or(String::new(), |user| format!("{user}:pw@")),
            port.map_or(String::new(), |port| format!(":{port}")),
            joined.join("&"),
        );
        let url = ServiceUrl::from_node_name(&percent::encode(&text)).expect("a url");
        prop_assert_eq!(&url, &ServiceUrl::parse(&text).expect("a url"));
        prop_assert_eq!(url.protocol(), Some(protocol.as_str()));
        prop_assert_eq!(url.user(), user.as_deref());
        prop_assert_eq!(url.password(), user.as_ref().map(|_| "pw"));
        prop_assert_eq!(url.host(), Some(host.as_str()));
        prop_assert_eq!(url.port(), port);
        prop_assert_eq!(url.path().unwrap_or(""), path.trim_start_matches('/'));
        for (key, value) in &parameters {
            prop_assert_eq!(url.parameter(key), Some(value.as_str()));
        }
    }
}
