//! What rules make of a provider's URL, by name.

use orana_registry::Freshness;
use orana_registry::config_center::ConfigValue;

use super::*;

fn original() -> ServiceUrl {
    url("dubbo://10.0.0.1:20880/demo.Hi?application=shop&interface=demo.Hi&side=provider&weight=50")
}

fn url(text: &str) -> ServiceUrl {
    ServiceUrl::parse(text).unwrap()
}

fn word(slot: Slot, text: Option<&str>) -> Word {
    let key = match slot {
        Slot::ApplicationOverrides => "shop.configurators",
        _ => "demo.Hi::.configurators",
    };
    Word {
        slot,
        key: key.into(),
        value: ConfigValue {
            text: text.map(Into::into),
            freshness: Freshness::Fresh,
            problem: None,
        },
    }
}

fn service(parameters: &str) -> Word {
    let text = format!(
        "configVersion: v3.0\nscope: service\nkey: demo.Hi\nconfigs:\n  - side: provider\n    parameters: {{ {parameters} }}\n"
    );
    word(Slot::ServiceOverrides, Some(&text))
}

fn application(parameters: &str) -> Word {
    let text = format!(
        "configVersion: v3.0\nscope: application\nkey: shop\nconfigs:\n  - side: provider\n    parameters: {{ {parameters} }}\n"
    );
    word(Slot::ApplicationOverrides, Some(&text))
}

fn weight(rules: &Rules) -> String {
    rules.over(&original()).parameter("weight").unwrap_or("none").to_owned()
}

#[test]
fn the_service_wins_over_the_application_and_that_over_the_urls_of_registries() {
    let mut rules = Rules::default();
    let listed = url("override://0.0.0.0/demo.Hi?category=configurators&dynamic=false&enabled=true&weight=1");
    assert!(rules.take_urls(1, std::slice::from_ref(&listed)).is_empty());
    assert_eq!(weight(&rules), "1");
    assert!(rules.take(&application("weight: 2")).is_empty());
    assert_eq!(weight(&rules), "2");
    assert!(rules.take(&service("weight: 3")).is_empty());
    assert_eq!(weight(&rules), "3");

    rules.take(&word(Slot::ServiceOverrides, None));
    assert_eq!(weight(&rules), "2");
    rules.take(&word(Slot::ApplicationOverrides, None));
    assert_eq!(weight(&rules), "1");
    rules.take_urls(1, &[]);
    assert_eq!(rules.over(&original()), original());
}

#[test]
fn what_one_registry_lists_stays_when_another_lists_nothing() {
    let mut rules = Rules::default();
    rules.take_urls(0, &[url("override://0.0.0.0/demo.Hi?category=configurators&weight=1")]);
    rules.take_urls(1, &[]);
    assert_eq!(weight(&rules), "1");
}

#[test]
fn a_rule_that_cannot_be_read_is_told_once_and_the_one_before_it_stays() {
    let mut rules = Rules::default();
    rules.take(&service("weight: 3"));
    let notes = rules.take(&word(Slot::ServiceOverrides, Some("configs: [ nonsense")));
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("demo.Hi::.configurators") && notes[0].contains("stays in force"),
        "{notes:?}"
    );
    assert_eq!(weight(&rules), "3");

    let broken = [
        url("override://0.0.0.0/demo.Hi?category=mine&weight=1"),
        url("what://h/demo.Hi"),
    ];
    let notes = rules.take_urls(0, &broken);
    assert!(!notes.is_empty());
    assert!(rules.take_urls(0, &broken).is_empty(), "it was told before");
    assert_eq!(weight(&rules), "3");
}

#[test]
fn a_rule_for_consumers_or_for_another_provider_changes_nothing() {
    let mut rules = Rules::default();
    for text in [
        "configVersion: v3.0\nscope: service\nkey: demo.Hi\nconfigs: [ { side: consumer, parameters: { weight: 1 } } ]",
        "configVersion: v3.0\nscope: service\nkey: demo.Hi\nconfigs: [ { side: provider, addresses: ['10.0.0.1:1'], parameters: { weight: 1 } } ]",
        "configVersion: v3.0\nscope: service\nkey: g/demo.Hi\nconfigs: [ { side: provider, parameters: { weight: 1 } } ]",
        "configVersion: v3.0\nscope: service\nkey: demo.Hi\nenabled: false\nconfigs: [ { side: provider, parameters: { weight: 1 } } ]",
    ] {
        rules.take(&word(Slot::ServiceOverrides, Some(text)));
        assert_eq!(rules.over(&original()), original(), "{text}");
    }
    let own = "configVersion: v3.0\nscope: service\nkey: demo.Hi\nconfigs: [ { side: provider, addresses: ['10.0.0.1:20880'], parameters: { weight: 1 } } ]";
    rules.take(&word(Slot::ServiceOverrides, Some(own)));
    assert_eq!(weight(&rules), "1");
}

#[test]
fn a_document_that_is_not_known_yet_or_cannot_be_had_leaves_what_was() {
    let mut rules = Rules::default();
    rules.take(&service("weight: 3"));
    let mut unknown = word(Slot::ServiceOverrides, None);
    unknown.value.freshness = Freshness::NotReady;
    assert!(rules.take(&unknown).is_empty());
    assert_eq!(weight(&rules), "3");
    let mut long = service("weight: 3");
    long.value.problem = Some("it is too long".into());
    assert!(
        rules.take(&long).is_empty(),
        "the configuration centre has warned of it"
    );
    assert_eq!(weight(&rules), "3");
}
