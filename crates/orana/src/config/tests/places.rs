//! Which place wins, and what forms a text may have.

use super::*;

/// Every place, strongest first, each with its own timeout.
fn places(leave_out: usize) -> (Layers, Vec<(String, String)>) {
    let key = "dubbo.reference.org.example.Greeter.timeout";
    let mut layers = Layers::new();
    // Said in any order: the kind of place decides.
    if leave_out < 6 {
        layers = layers.file(FILE, &format!("{key}=6")).unwrap();
    }
    if leave_out < 2 {
        layers = layers.environment(pairs(&[("DUBBO_REFERENCE_ORG_EXAMPLE_GREETER_TIMEOUT", "2")]));
    }
    if leave_out < 1 {
        layers = layers.property(key, 1);
    }
    if leave_out < 4 {
        layers = layers
            .external(External::Global, "dubbo.properties", &format!("\n{key}=4"))
            .unwrap();
    }
    if leave_out < 3 {
        layers = layers
            .external(External::Application, "dubbo.properties", &format!("{key}=3"))
            .unwrap();
    }
    let code = if leave_out < 5 {
        pairs(&[("timeout", "5")])
    } else {
        Vec::new()
    };
    (layers, code)
}

#[test]
fn properties_before_variables_before_external_texts_before_code_before_files() {
    let found = |leave_out| {
        let (layers, code) = places(leave_out);
        let said = Said {
            interface: &code,
            ..Said::default()
        };
        let configuration = Configuration::load(layers).unwrap();
        value(&configuration.reference("org.example.Greeter", &[], &said), "timeout")
    };
    assert_eq!(found(0), "1 (property dubbo.reference.org.example.Greeter.timeout)");
    assert_eq!(found(1), "2 (variable DUBBO_REFERENCE_ORG_EXAMPLE_GREETER_TIMEOUT)");
    assert_eq!(
        found(2),
        "3 (configuration centre, dubbo.properties of the application, line 1: dubbo.reference.org.example.Greeter.timeout)"
    );
    assert_eq!(
        found(3),
        "4 (configuration centre, dubbo.properties of all applications, line 2: dubbo.reference.org.example.Greeter.timeout)"
    );
    assert_eq!(found(4), "5 (code)");
    assert_eq!(
        found(5),
        "6 (dubbo.properties:1: dubbo.reference.org.example.Greeter.timeout)"
    );
    assert_eq!(found(6), "");
}

#[test]
fn a_blank_value_is_as_good_as_none() {
    let layers = file("dubbo.consumer.timeout=7").property("dubbo.consumer.timeout", " ");
    let configuration = Configuration::load(layers).unwrap();
    assert_eq!(
        value(&reference(&configuration), "timeout"),
        "7 (dubbo.properties:1: dubbo.consumer.timeout)"
    );
}

#[test]
fn of_two_files_the_later_one_wins_and_of_two_lines_too() {
    let layers = file("dubbo.consumer.timeout=1\ndubbo.consumer.timeout=2\ndubbo.consumer.retries=1");
    let layers = layers.file("b.toml", "[dubbo.consumer]\nretries = 3").unwrap();
    let settings = reference(&Configuration::load(layers).unwrap());
    assert_eq!(
        value(&settings, "timeout"),
        "2 (dubbo.properties:2: dubbo.consumer.timeout)"
    );
    assert_eq!(value(&settings, "retries"), "3 (b.toml:2: dubbo.consumer.retries)");
}

#[test]
fn the_same_words_mean_the_same_in_every_form() {
    let said = |layers: Layers| {
        let settings = reference(&Configuration::load(layers).unwrap());
        settings
            .parameters()
            .map(|(key, value)| format!("{key}={value}"))
            .collect::<Vec<_>>()
            .join("&")
    };
    let properties =
        "dubbo.application.owner=me\ndubbo.consumer.retries=1\ndubbo.reference.org.example.Greeter.say.timeout=5\n";
    let yaml = "dubbo:\n  application: {owner: me}\n  consumer:\n    retries: 1\n  reference:\n    org.example.Greeter:\n      say.timeout: 5\n";
    let toml = "[dubbo]\napplication = { owner = 'me' }\nconsumer.retries = 1\n[dubbo.reference.\"org.example.Greeter\".say]\ntimeout = 5\n";
    let expected = "owner=me&retries=1&say.timeout=5";
    assert_eq!(said(file(properties)), expected);
    assert_eq!(said(Layers::new().file("d.yaml", yaml).unwrap()), expected);
    assert_eq!(said(Layers::new().file("o.toml", toml).unwrap()), expected);
}

#[test]
fn the_files_of_a_directory_are_read_strongest_first() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let name = || {
        let layers = Layers::new().read_files(directory.path()).unwrap();
        Configuration::load(layers)
            .unwrap()
            .application(None)
            .text("name")
            .map(str::to_owned)
    };
    assert_eq!(name(), None);
    write("dubbo.properties", "dubbo.application.name=properties");
    assert_eq!(name().as_deref(), Some("properties"));
    write("dubbo.yaml", "dubbo: {application: {name: yaml}}");
    assert_eq!(name().as_deref(), Some("yaml"));
    write("orana.toml", "[dubbo.application]\nname = 'toml'");
    assert_eq!(name().as_deref(), Some("toml"));
    std::fs::write(directory.path().join("dubbo.properties"), [0xff]).unwrap();
    let error = Layers::new().read_files(directory.path()).unwrap_err().to_string();
    assert!(
        error.ends_with("dubbo.properties` cannot be read: it is not UTF-8"),
        "{error}"
    );
    assert!(Layers::new().read_file(&directory.path().join("none.toml")).is_err());
}

#[test]
fn the_examples_of_the_documentation_say_the_same() {
    let page = include_str!("../../../../../docs/configuration-sdk.md");
    let block = |form: &str| page.split("```").find_map(|block| block.strip_prefix(form)).unwrap();
    let said = |name: &str, form: &str| {
        let configuration = Configuration::load(Layers::new().file(name, block(form)).unwrap()).unwrap();
        assert!(configuration.warnings().is_empty());
        let settings = reference(&configuration);
        let own: Vec<_> = settings
            .parameters()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        (configuration.registries(&[]).unwrap()[0].url.full_text(), own)
    };
    let expected = (
        "zookeeper://127.0.0.1:2181".to_owned(),
        vec!["sayHello.retries=0".to_owned(), "timeout=500".to_owned()],
    );
    assert_eq!(said("orana.toml", "toml"), expected);
    assert_eq!(said("dubbo.yaml", "yaml"), expected);
    assert_eq!(said("dubbo.properties", "properties"), expected);
}
