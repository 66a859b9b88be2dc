//! Settings of methods and arguments.

use super::*;

#[test]
fn a_method_has_its_own_settings() {
    let configuration = load(
        "dubbo.reference.org.example.Greeter.say.timeout=5\ndubbo.reference.org.example.Greeter.say.parameters.x.y=z\n\
         dubbo.reference.org.example.Greeter.say.0.callback=true\ndubbo.reference.org.example.Greeter.hear.retry=false\n\
         dubbo.reference.org.example.Greeter.see.retry=true\n",
    );
    let settings = configuration.reference("org.example.Greeter", &[], &Said::default());
    let parameters: Vec<_> = settings.parameters().collect();
    assert_eq!(
        parameters,
        [
            ("hear.retries", "0"),
            ("say.0.callback", "true"),
            ("say.timeout", "5"),
            ("say.x.y", "z")
        ]
    );
}

#[test]
fn what_is_said_of_one_interface_is_not_said_of_another() {
    let configuration = load(
        "dubbo.reference.Greeter.timeout=1\ndubbo.reference.org.example.Greeter.Inner.timeout=2\n\
         dubbo.reference.org.example.Greeters.timeout=3\ndubbo.reference.org.example.timeout=4\n",
    );
    assert!(reference(&configuration).is_empty(), "{:?}", reference(&configuration));
    assert_eq!(
        configuration
            .reference("Greeter", &[], &Said::default())
            .text("timeout"),
        Some("1")
    );
    assert!(configuration.warnings().is_empty());
}

#[test]
fn whether_to_check_stays_out_of_the_url_even_if_code_says_it() {
    let code = pairs(&[("check", "false"), ("x", "y")]);
    let said = Said {
        interface: &code,
        ..Said::default()
    };
    let settings = load("dubbo.consumer.check=true").reference("org.example.Greeter", &[], &said);
    assert!(!settings.flag_or("check", true));
    assert_eq!(settings.parameters().collect::<Vec<_>>(), [("x", "y")]);
}

#[test]
fn a_variable_finds_a_method_that_is_known() {
    let layers = Layers::new().environment(pairs(&[
        ("DUBBO_REFERENCE_ORG_EXAMPLE_GREETER_SAYHELLO_TIMEOUT", "5"),
        ("DUBBO_CONSUMER_RETRIES", "1"),
        ("dubbo.consumer.actives", "9"),
    ]));
    let configuration = Configuration::load(layers).unwrap();
    assert_eq!(
        reference(&configuration).parameters().collect::<Vec<_>>(),
        [("actives", "9"), ("retries", "1"), ("sayHello.timeout", "5")]
    );
    assert!(warnings(&configuration).is_empty(), "{:?}", warnings(&configuration));
}

#[test]
fn a_method_that_the_interface_does_not_have_is_told() {
    let configuration =
        load("dubbo.reference.org.example.Greeter.sya.timeout=5\ndubbo.service.org.example.Greeter.say.executes=1");
    let told: Vec<_> = configuration
        .unknown_methods("org.example.Greeter", &["say", "hear"])
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "`dubbo.reference.org.example.Greeter.sya.timeout` (dubbo.properties:1: dubbo.reference.org.example.Greeter.sya.timeout) is for a \
          method that the interface does not have; the nearest one is `say`"
        ]
    );
    assert!(configuration.unknown_methods("org.example.Greeter", &[]).is_empty());
}
