//! Which level wins.

use super::*;

#[test]
fn reference_before_all_references_before_consumer_before_application() {
    let lines = [
        "dubbo.reference.org.example.Greeter.version=1",
        "dubbo.reference.version=2",
        "dubbo.consumer.version=3",
        "dubbo.application.parameters.version=4",
    ];
    for (index, expected) in ["1", "2", "3", "4"].into_iter().enumerate() {
        let settings = reference(&load(&lines[index..].join("\n")));
        assert_eq!(settings.text("version"), Some(expected));
    }
}

#[test]
fn code_of_a_reference_beats_a_property_of_the_consumer() {
    let layers = Layers::new().property("dubbo.consumer.timeout", 1);
    let code = pairs(&[("timeout", "2")]);
    let said = Said {
        interface: &code,
        ..Said::default()
    };
    let settings = Configuration::load(layers)
        .unwrap()
        .reference("org.example.Greeter", &[], &said);
    assert_eq!(value(&settings, "timeout"), "2 (code)");
    assert_eq!(settings.at(Level::Defaults, "timeout").unwrap().value, "1");
}

#[test]
fn what_is_said_of_all_references_is_weaker_than_code_of_one() {
    let layers = Layers::new().property("dubbo.reference.timeout", 1);
    let code = pairs(&[("timeout", "2")]);
    let said = Said {
        interface: &code,
        ..Said::default()
    };
    let settings = Configuration::load(layers)
        .unwrap()
        .reference("org.example.Greeter", &[], &said);
    assert_eq!(settings.text("timeout"), Some("2"));
}

#[test]
fn code_has_its_three_levels() {
    let (application, defaults, interface) = (
        pairs(&[("a", "1"), ("b", "1"), ("c", "1")]),
        pairs(&[("b", "2"), ("c", "2")]),
        pairs(&[("c", "3")]),
    );
    let said = Said {
        application: &application,
        defaults: &defaults,
        interface: &interface,
    };
    let settings = load("").reference("org.example.Greeter", &[], &said);
    let all: Vec<_> = settings
        .iter()
        .map(|setting| (&*setting.key, &*setting.value, setting.level))
        .collect();
    assert_eq!(
        all,
        [
            ("a", "1", Level::Application),
            ("b", "2", Level::Defaults),
            ("c", "3", Level::Interface)
        ]
    );
}

#[test]
fn a_service_has_its_provider_then_its_protocol_then_its_own() {
    let lines = [
        "dubbo.service.org.example.Greeter.accesslog=1",
        "dubbo.protocol.accesslog=2",
        "dubbo.provider.accesslog=3",
    ];
    for (index, expected) in ["1", "2", "3"].into_iter().enumerate() {
        let configuration = load(&lines[index..].join("\n"));
        let protocols = configuration.protocols();
        let settings = configuration.service("org.example.Greeter", &[], protocols.first(), &Said::default());
        assert_eq!(settings.text("accesslog"), Some(expected));
    }
}
