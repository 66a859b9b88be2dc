//! What becomes of an attribute, and how it may be spelled.

use super::*;

#[test]
fn attributes_become_the_parameters_that_dubbo_makes_of_them() {
    let settings = reference(&load(
        "dubbo.consumer.filter=a,b\ndubbo.consumer.tag=gray\ndubbo.consumer.preferSerialization=x\n\
         dubbo.reference.org.example.Greeter.filter=b,-c\ndubbo.reference.org.example.Greeter.check=false\n\
         dubbo.reference.org.example.Greeter.url=dubbo://h:1\ndubbo.reference.org.example.Greeter.parameters.myKey=v\n\
         dubbo.reference.org.example.Greeter.provided-by=shop\ndubbo.application.register-mode=interface\n",
    ));
    assert_eq!(
        settings.parameters().collect::<Vec<_>>(),
        [
            ("dubbo.tag", "gray"),
            ("myKey", "v"),
            ("provided-by", "shop"),
            ("reference.filter", "a,b,-c")
        ]
    );
    assert!(!settings.flag_or("check", true));
    assert_eq!(settings.text("url"), Some("dubbo://h:1"));

    let configuration = load(
        "dubbo.service.org.example.Greeter.filter=tps\ndubbo.service.org.example.Greeter.prefer-serialization=hessian2\n\
         dubbo.service.org.example.Greeter.token=true\ndubbo.provider.threads=9\ndubbo.protocol.keep-alive=true\n\
         dubbo.service.org.example.Greeter.parameters=[{a:1},{b.c:2}]\n",
    );
    let protocol = configuration.protocols();
    let settings = configuration.service("org.example.Greeter", &[], protocol.first(), &Said::default());
    assert_eq!(
        settings.parameters().collect::<Vec<_>>(),
        [
            ("a", "1"),
            ("b.c", "2"),
            ("keep.alive", "true"),
            ("prefer.serialization", "hessian2"),
            ("service.filter", "tps"),
            ("token", "true"),
        ]
    );
    assert_eq!(settings.text("threads"), Some("9"), "known, and in no url");
}

#[test]
fn every_spelling_of_a_key_is_the_same_key() {
    for key in ["qos-port", "qosPort", "qos_port", "QOS_PORT", "qos.port"] {
        let configuration = load(&format!("dubbo.application.{key}=22222"));
        assert_eq!(configuration.application(None).number("qos-port"), Some(22222), "{key}");
        assert!(configuration.warnings().is_empty());
    }
    assert_eq!(
        load("Dubbo.Application.name=x").application(None).text("name"),
        Some("x")
    );
    let layers = Layers::new().environment(pairs(&[
        ("DUBBO_CONFIG_CENTER_ADDRESS", "zookeeper://h:1"),
        ("dubbo_application_name", "x"),
    ]));
    let configuration = Configuration::load(layers).unwrap();
    assert_eq!(configuration.config_centers().unwrap().len(), 1);
    assert_eq!(configuration.application(None).text("name"), Some("x"));
}

#[test]
fn typed_values_are_read() {
    let settings = reference(&load(
        "dubbo.consumer.timeout=1500\ndubbo.consumer.retries=-1\ndubbo.consumer.sticky=TRUE\ndubbo.consumer.router=a, b",
    ));
    assert_eq!(settings.millis("timeout"), Some(std::time::Duration::from_millis(1500)));
    assert_eq!(settings.number("retries"), Some(-1));
    assert!(settings.flag_or("sticky", false));
    assert_eq!(settings.list("router").collect::<Vec<_>>(), ["a", "b"]);
    assert!(!settings.is_empty() && Settings::default().is_empty());
}

#[test]
fn the_application_is_called_what_the_strongest_says() {
    let configuration = Configuration::load(file("dubbo.application.name=file")).unwrap();
    assert_eq!(configuration.application(None).text("name"), Some("file"));
    assert_eq!(configuration.application(Some("code")).text("name"), Some("code"));
    let configuration = Configuration::load(Layers::new().property("dubbo.application.name", "flag")).unwrap();
    assert_eq!(configuration.application(Some("code")).text("name"), Some("flag"));
}

#[test]
fn a_key_of_no_section_is_found_by_its_name() {
    let layers = file("dubbo.service.shutdown.wait=5000").environment(pairs(&[("DUBBO_LABELS", "region=x")]));
    let configuration = Configuration::load(layers).unwrap();
    let (value, origin) = configuration.property("dubbo.service.shutdown.wait").unwrap();
    assert_eq!(
        (value, &*origin.to_string()),
        ("5000", "dubbo.properties:1: dubbo.service.shutdown.wait")
    );
    assert_eq!(configuration.property("dubbo.labels").unwrap().0, "region=x");
    assert_eq!(configuration.property("dubbo.env.keys"), None);
    assert!(configuration.warnings().is_empty());
}
