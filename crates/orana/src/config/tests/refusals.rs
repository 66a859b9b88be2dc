//! Placeholders, what is refused, and that nothing else happens to a bad text.

use proptest::prelude::*;

use super::*;

#[test]
fn placeholders_are_replaced_from_every_place() {
    let layers =
        file("zk=file\ndubbo.registry.address=zookeeper://${zk}:${ZK_PORT:2181}\ndubbo.consumer.timeout=${slow}\n")
            .environment(pairs(&[("slow", "9")]))
            .property("zk", "flag");
    let configuration = Configuration::load(layers).unwrap();
    assert_eq!(urls(&configuration.registries(&[]).unwrap()), ["zookeeper://flag:2181"]);
    assert_eq!(reference(&configuration).text("timeout"), Some("9"));
}

#[test]
fn a_placeholder_without_a_value_is_told() {
    let configuration = load("dubbo.application.owner=${who}\nunused=${nobody}");
    assert_eq!(configuration.application(None).text("owner"), Some("${who}"));
    assert_eq!(
        warnings(&configuration),
        [
            "`dubbo.application.owner` (dubbo.properties:1: dubbo.application.owner) asks for `who`, which has no value and no default"
        ]
    );
}

#[test]
fn a_circle_of_placeholders_is_refused_with_its_place() {
    assert_eq!(
        refused(file("a=${b}\nb=${a}\ndubbo.application.name=${a}")),
        "`dubbo.application.name` (dubbo.properties:3: dubbo.application.name): `a` is made from itself: a -> b -> a"
    );
}

#[test]
fn a_value_of_the_wrong_type_is_refused_with_its_place_and_reason() {
    assert_eq!(
        refused(file("\ndubbo.consumer.timeout=soon")),
        "`dubbo.consumer.timeout` (dubbo.properties:2: dubbo.consumer.timeout) is `soon`, which is not a whole number of 32 bits"
    );
    let wrong = |text: &str| refused(file(text));
    assert!(
        wrong("dubbo.reference.org.example.Greeter.say.timeout=1s")
            .contains("`dubbo.reference.org.example.Greeter.say.timeout`")
    );
    assert!(wrong("dubbo.reference.org.example.Greeter.check=no").contains("is `no`, which is not `true` or `false`"));
    assert!(wrong("dubbo.protocol.port=70000").contains("a port up to 65535"));
    assert!(wrong("dubbo.protocol.parameters=a=b").contains("[{name:value},{name:value}]"));
    assert!(wrong("dubbo.reference.org.example.Greeter.say.0.callback=1").contains("`true` or `false`"));
    assert!(wrong("dubbo.registry.address=zookeeper://h:port").contains("no url"));
    assert!(wrong("dubbo.registry.address=zookeeper://").contains("names no host"));
    let variable = Layers::new().environment(pairs(&[("DUBBO_CONSUMER_TIMEOUT", "soon")]));
    assert_eq!(
        refused(variable),
        "`dubbo.consumer.timeout` (variable DUBBO_CONSUMER_TIMEOUT) is `soon`, which is not a whole number of 32 bits"
    );
    assert!(refused(file("dubbo.consumer.timeout=${t}")).contains("is `${t}`"));
}

#[test]
fn a_file_of_no_known_form_is_refused() {
    let error = Layers::new().file("dubbo.json", "{}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`dubbo.json` ends in none of `.properties`, `.yaml`, `.yml`, `.toml`"
    );
}

#[test]
fn secrets_are_never_printed() {
    let text = "dubbo.registry.address=zookeeper://me:tell@h:1?password=tell\ndubbo.registry.password=tell\ndubbo.consumer.password=tell\n\
                dubbo.service.org.example.Greeter.token=tell\ndubbo.consumer.parameters.access-key=tell\n";
    let layers = file(text);
    assert!(!format!("{layers:?}").contains("tell"));
    let configuration = Configuration::load(layers).unwrap();
    let registries = configuration.registries(&[]).unwrap();
    let service = configuration.service("org.example.Greeter", &[], None, &Said::default());
    let printed = format!(
        "{configuration:?} {registries:?} {:?} {:?} {service:?}",
        registries[0].settings,
        reference(&configuration)
    );
    assert!(!printed.contains("tell"), "{printed}");
    assert!(printed.contains("***@h:1"), "{printed}");
    let refused = refused(file("dubbo.registry.address=zookeeper://me:tell@h:port?password=tell"));
    assert!(!refused.contains("tell"), "{refused}");
}

proptest! {
    /// Whatever stands in the places, it is taken or refused, and both in words.
    #[test]
    fn no_text_makes_loading_panic(lines in proptest::collection::vec(
        "(dubbo\\.|DUBBO_|)(registr(y|ies)|reference|consumers?|protocol|x|é)[._](a|B|address|parameters|say|0|)[._=](timeout|callback|é|\\$\\{a:?)[=]?[a\\$\\{\\}:;,@/?&=0-9 ]{0,12}", 0..12),
    ) {
        let text = lines.join("\n");
        let pairs = lines.iter().filter_map(|line| line.split_once('=')).map(|(name, value)| (name.to_owned(), value.to_owned()));
        let Ok(layers) = Layers::new().environment(pairs).file(FILE, &text) else { return Ok(()) };
        match Configuration::load(layers) {
            Ok(configuration) => {
                let settings = configuration.reference("a.B", &["say"], &Said::default());
                let service = configuration.service("a.B", &[], configuration.protocols().first(), &Said::default());
                let _ = format!("{settings:?} {service:?} {:?}", warnings(&configuration));
                for (key, value) in settings.parameters() {
                    prop_assert!(!key.is_empty() && !value.is_empty());
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn no_text_makes_reading_panic(text in any::<String>(), more in "[a-c:\\[\\]{}=\"'.&*\n -]{0,60}") {
        for name in ["d.properties", "d.yaml", "o.toml"] {
            for text in [&text, &more] {
                if let Err(ConfigError::Syntax { line, .. }) = Layers::new().file(name, text) {
                    prop_assert!(line >= 1 && line <= text.split(['\n', '\r']).count() + 1);
                }
            }
        }
    }
}
