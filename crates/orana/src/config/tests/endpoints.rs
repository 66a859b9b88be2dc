//! Registries, other addresses, and protocols.

use super::*;

#[test]
fn a_registry_is_an_address_with_its_settings() {
    let configuration = load(
        "dubbo.registry.address=zookeeper://10.0.0.1:2181?timeout=1&backup=10.0.0.2:2181\ndubbo.registry.timeout=2\n\
         dubbo.registry.group=g\ndubbo.registry.username=me\ndubbo.registry.password=tell\ndubbo.registry.parameters.recovery-grace=9\n\
         dubbo.registry.extraKeys=a\ndubbo.application.enable-file-cache=false\n",
    );
    assert_eq!(
        urls(&configuration.registries(&[]).unwrap()),
        [
            "zookeeper://me:tell@10.0.0.1:2181?backup=10.0.0.2:2181&extra-keys=a&file-cache=false&group=g&recovery-grace=9&timeout=1"
        ]
    );
}

#[test]
fn an_address_needs_neither_protocol_nor_port_of_its_own() {
    let configuration =
        load("dubbo.registry.address=a,b:1, c\ndubbo.registry.protocol=zookeeper\ndubbo.registry.port=2181\n");
    assert_eq!(
        urls(&configuration.registries(&[]).unwrap()),
        ["zookeeper://a:2181?backup=b:1,c"]
    );
    let two = load("dubbo.registry.address=zookeeper://a:1 ; nacos://b:2 | N/A");
    assert_eq!(urls(&two.registries(&[]).unwrap()), ["zookeeper://a:1", "nacos://b:2"]);
    assert!(load("dubbo.registry.address=N/A").registries(&[]).unwrap().is_empty());
    assert!(load("dubbo.registry.timeout=1").registries(&[]).unwrap().is_empty());
}

#[test]
fn registries_with_identifiers_are_several_and_hide_the_one_without() {
    let configuration = load(
        "dubbo.registries.b.address=zookeeper://b:1\ndubbo.registries.a.address=zookeeper://a:1\ndubbo.registries.a.zone=east\n\
         dubbo.registries.a.default=false\ndubbo.registry.address=zookeeper://c:1\n",
    );
    let registries = configuration.registries(&[]).unwrap();
    assert_eq!(urls(&registries), ["zookeeper://b:1", "zookeeper://a:1?zone=east"]);
    assert_eq!(
        registries
            .iter()
            .map(|one| (one.id.as_deref(), one.default))
            .collect::<Vec<_>>(),
        [(Some("b"), true), (Some("a"), false)]
    );
    assert_eq!(
        warnings(&configuration),
        [
            "`dubbo.registry.address` (dubbo.properties:5: dubbo.registry.address) has no effect: others of this kind have identifiers, and \
          then only those count"
        ]
    );
    let overridden = Configuration::load(
        file("dubbo.registries.a.address=zookeeper://a:1")
            .environment(pairs(&[("DUBBO_REGISTRIES_A_ADDRESS", "zookeeper://z:1")])),
    );
    assert_eq!(urls(&overridden.unwrap().registries(&[]).unwrap()), ["zookeeper://z:1"]);
}

#[test]
fn a_registry_of_the_code_stands_between_properties_and_files() {
    let code = ["zookeeper://code:1".to_owned()];
    let in_file = load("dubbo.registry.address=zookeeper://file:1\ndubbo.registry.timeout=5");
    assert_eq!(
        urls(&in_file.registries(&code).unwrap()),
        ["zookeeper://code:1?timeout=5"]
    );
    let property = Configuration::load(Layers::new().property("dubbo.registry.address", "zookeeper://flag:1")).unwrap();
    assert_eq!(urls(&property.registries(&code).unwrap()), ["zookeeper://flag:1"]);
    let with_identifier = load("dubbo.registries.a.address=zookeeper://a:1");
    assert_eq!(
        urls(&with_identifier.registries(&code).unwrap()),
        ["zookeeper://code:1", "zookeeper://a:1"]
    );
    let two = ["zookeeper://x:1".to_owned(), "zookeeper://y:1".to_owned()];
    assert_eq!(urls(&property.registries(&two).unwrap()), two);
    assert!(in_file.registries(&["zookeeper://h:port".to_owned()]).is_err());
}

#[test]
fn configuration_centres_and_metadata_reports_are_recognised() {
    let configuration = load(
        "dubbo.config-center.address=zookeeper://h:1\ndubbo.config-center.namespace=dev\ndubbo.config-center.config-file=x\n\
         dubbo.metadata-report.address=zookeeper://m:1\ndubbo.metadata-report.sync-report=true\ndubbo.monitor.address=registry\n",
    );
    assert_eq!(
        urls(&configuration.config_centers().unwrap()),
        ["zookeeper://h:1?config-file=x&namespace=dev"]
    );
    assert_eq!(
        urls(&configuration.metadata_reports().unwrap()),
        ["zookeeper://m:1?sync-report=true"]
    );
    assert_eq!(configuration.monitor().text("address"), Some("registry"));
    assert!(configuration.warnings().is_empty());
}

#[test]
fn a_protocol_says_where_to_listen() {
    let protocols =
        load("dubbo.protocol.port=-1\ndubbo.protocol.host=127.0.0.1\ndubbo.protocol.triple.max-body-size=9")
            .protocols();
    assert_eq!(
        (protocols[0].name.as_str(), protocols[0].port(), protocols[0].host()),
        ("dubbo", Some(0), Some("127.0.0.1"))
    );
    let protocols = load("dubbo.protocols.tri.port=50051\ndubbo.protocols.b.name=dubbo").protocols();
    let said: Vec<_> = protocols
        .iter()
        .map(|one| (one.id.as_deref(), &*one.name, one.port()))
        .collect();
    assert_eq!(said, [(Some("tri"), "tri", Some(50051)), (Some("b"), "dubbo", None)]);
    assert!(load("").protocols().is_empty());
}
