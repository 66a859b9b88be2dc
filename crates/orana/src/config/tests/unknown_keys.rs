//! What is told although it is no error.

use super::*;

#[test]
fn an_unknown_key_is_told_with_the_nearest_known_one() {
    let configuration = load(
        "dubbo.aplication.name=a\ndubbo.registry.adress=b\ndubbo.reference.org.example.Greeter.time-out=1\n\
         dubbo.reference.org.example.Greeter.say.retires=1\ndubbo.registries.x.tiemout=1\ndubbo.service.shutdown.wiat=1\n\
         dubbo.consumer.say.timeout=1\ndubbo.protocols.prot=1\ndubbo=1\nother.key=2\n",
    );
    let told: Vec<_> = configuration
        .warnings()
        .iter()
        .map(|warning| match warning {
            Warning::UnknownKey { given, nearest, .. } => format!("{given} -> {nearest}"),
            other => other.to_string(),
        })
        .collect();
    assert_eq!(
        told,
        [
            "dubbo.aplication.name -> dubbo.application.name",
            "dubbo.registry.adress -> dubbo.registry.address",
            "dubbo.reference.org.example.Greeter.time-out -> dubbo.reference.org.example.Greeter.timeout",
            "dubbo.reference.org.example.Greeter.say.retires -> dubbo.reference.org.example.Greeter.say.retries",
            "dubbo.registries.x.tiemout -> dubbo.registries.x.timeout",
            "dubbo.service.shutdown.wiat -> dubbo.service.shutdown.wait",
            "dubbo.consumer.say.timeout -> dubbo.consumer.timeout",
            "dubbo.protocols.prot -> dubbo.protocols.ID.port",
        ]
    );
    assert_eq!(
        warnings(&configuration)[1],
        "unknown key `dubbo.registry.adress` (dubbo.properties:2: dubbo.registry.adress); the nearest known one is `dubbo.registry.address`"
    );
}

#[test]
fn an_unknown_variable_is_told_if_it_begins_like_a_section() {
    let layers = Layers::new().environment(pairs(&[
        ("DUBBO_REGISTRY_ADRESS", "x"),
        ("DUBBO_IP_TO_REGISTRY", "10.0.0.1"),
        ("DUBBO_HOME", "/opt"),
        ("DUBBO_SERVICE_SHUTDOWN_WAIT", "1"),
        ("DUBBO_REFERENCE_A_B_SAY_TIMEOUT", "5"),
        ("DUBBO_REFERENCE_A_B_TIMEOT", "5"),
        ("PATH", "/bin"),
        ("DUBBO_REGISTRY_PORT", "tcp://10.0.0.1:2181"),
    ]));
    let configuration = Configuration::load(layers).unwrap();
    assert_eq!(
        warnings(&configuration),
        [
            "unknown key `DUBBO_REGISTRY_ADRESS` (variable DUBBO_REGISTRY_ADRESS); the nearest known one is `DUBBO_REGISTRY_ADDRESS`",
            "unknown key `DUBBO_REFERENCE_A_B_TIMEOT` (variable DUBBO_REFERENCE_A_B_TIMEOT); the nearest known one is \
             `DUBBO_REFERENCE_…_TIMEOUT`",
        ]
    );
}

#[test]
fn a_key_that_dubbo_knows_and_we_do_nothing_with_is_told() {
    let configuration =
        load("dubbo.metrics.protocol=prometheus\ndubbo.consumers.x.timeout=1\ndubbo.protocol.triple.x=1");
    assert_eq!(configuration.warnings().len(), 3);
    assert!(
        configuration
            .warnings()
            .iter()
            .all(|warning| matches!(warning, Warning::NoEffect { .. }))
    );
}

#[test]
fn a_text_of_nothing_but_mistakes_takes_no_time_and_few_words() {
    let text: String = (0..10_000)
        .map(|n| format!("dubbo.registry.{n}{}=${{x}}\n", "y".repeat(300)))
        .collect();
    let configuration = load(&text);
    assert_eq!(configuration.warnings().len(), 101);
    assert_eq!(warnings(&configuration)[100], "and 19900 more");
    let text: String = (0..101).map(|n| format!("dubbo.registries.{n}.zone=z\n")).collect();
    assert_eq!(
        refused(file(&text)),
        "there are 101 different identifiers below `dubbo.registries`, more than 100"
    );
    let text: String = (0..10_000)
        .map(|n| format!("dubbo.consumer.parameters.{n}=${{long}}\n"))
        .collect();
    assert!(
        refused(file(&format!(
            "long={}\n{}",
            "x".repeat(60_000),
            &text[..text.len() / 2]
        )))
        .contains("longer by more than")
    );
}
