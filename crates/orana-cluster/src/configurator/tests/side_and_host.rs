//! For whom a rule is by its side, host and port.

use super::*;

#[test]
fn a_document_is_for_the_side_it_names() {
    assert_eq!(
        applies("override://0.0.0.0/bar?configVersion=v2.7&side=consumer&x=1"),
        (true, false)
    );
    assert_eq!(
        applies("override://0.0.0.0/bar?configVersion=v2.7&side=provider&x=1"),
        (false, true)
    );
}

#[test]
fn a_document_item_without_a_side_does_nothing() {
    assert_eq!(applies("override://0.0.0.0/bar?configVersion=v2.7&x=1"), (false, false));
    assert_eq!(
        applies("override://0.0.0.0/bar?configVersion=v2.7&side=*&x=1"),
        (false, false)
    );
}

#[test]
fn a_document_that_omits_its_version_counts_as_versioned() {
    // Java writes the text `null` then.
    assert_eq!(applies("override://0.0.0.0/bar?configVersion=null&x=1"), (false, false));
    assert_eq!(
        applies("override://0.0.0.0/bar?configVersion=null&side=consumer&x=1"),
        (true, false)
    );
}

#[test]
fn an_address_of_a_document_is_that_of_the_consumer_or_that_of_the_provider() {
    assert_eq!(
        applies("override://10.0.0.9/bar?configVersion=v2.7&side=consumer&x=1"),
        (true, false)
    );
    assert_eq!(
        applies("override://10.0.0.1/bar?configVersion=v2.7&side=consumer&x=1"),
        (false, false)
    );
    assert_eq!(
        applies("override://10.0.0.1/bar?configVersion=v2.7&side=provider&x=1"),
        (false, true)
    );
    assert_eq!(
        applies("override://10.0.0.9/bar?configVersion=v2.7&side=provider&x=1"),
        (false, false)
    );
}

#[test]
fn the_port_of_a_document_stands_in_its_provider_addresses() {
    let rule = |addresses| {
        format!("override://10.0.0.1:20880/bar?configVersion=v2.7&side=provider&providerAddresses={addresses}&x=1")
    };
    assert_eq!(applies(&rule("10.0.0.1:20880")), (false, true));
    assert_eq!(applies(&rule("10.0.0.1:20881")), (false, false));
    // By itself it says nothing, other than in Dubbo 2.7.
    assert_eq!(
        applies("override://10.0.0.1:7/bar?configVersion=v2.7&side=provider&x=1"),
        (false, true)
    );
    assert_eq!(
        applies("override://10.0.0.9:7/bar?configVersion=v2.7&side=consumer&x=1"),
        (true, false)
    );
}

#[test]
fn an_old_url_for_everybody_is_for_both_sides() {
    assert_eq!(applies("override://0.0.0.0/bar?x=1"), (true, true));
    assert_eq!(applies("override://0.0.0.0/bar?side=*&x=1"), (true, true));
    assert_eq!(applies("override://0.0.0.0/bar?side=consumer&x=1"), (true, false));
    assert_eq!(applies("override://0.0.0.0/bar?side=provider&x=1"), (false, true));
}

#[test]
fn an_old_url_with_a_port_is_for_that_provider_on_both_sides() {
    assert_eq!(applies("override://10.0.0.1:20880/bar?x=1"), (true, true));
    assert_eq!(applies("override://10.0.0.1:20881/bar?x=1"), (false, false));
    assert_eq!(applies("override://10.0.0.2:20880/bar?x=1"), (false, false));
    assert_eq!(applies("override://0.0.0.0:20880/bar?x=1"), (true, true));
    assert_eq!(applies("override://0.0.0.0:20881/bar?x=1"), (false, false));
}

#[test]
fn an_old_url_with_a_host_alone_is_for_that_consumer() {
    assert_eq!(applies("override://10.0.0.9/bar?x=1"), (true, false));
    assert_eq!(applies("override://10.0.0.8/bar?x=1"), (false, false));
    // Not for the provider, though it is there.
    assert_eq!(applies("override://10.0.0.1/bar?x=1"), (false, false));
}

#[test]
fn an_ipv6_address_is_the_same_in_brackets_and_without() {
    let configurators = of_texts(&["override://[fd00::9]/bar?configVersion=v2.7&side=consumer&x=1"]);
    let place = Applying {
        local_host: "fd00::9",
        ..CONSUMER
    };
    assert_eq!(x(&configurators, MERGED, &place).as_deref(), Some("1"));
    let provider = MERGED.replace("10.0.0.1", "[fd00::1]");
    let configurators = of_texts(&["override://[fd00::1]:20880/bar?x=1"]);
    assert_eq!(x(&configurators, &provider, &CONSUMER).as_deref(), Some("1"));
}

#[test]
fn a_consumers_own_url_is_changed_by_what_is_for_consumers_and_no_provider() {
    let own = "consumer://10.0.0.9/com.foo.Bar?application=web&group=g&side=consumer&version=1.0";
    let applies = |rule| x(&of_texts(&[rule]), own, &CONSUMER).is_some();
    assert!(applies("override://0.0.0.0/bar?configVersion=v2.7&side=consumer&x=1"));
    assert!(applies("override://0.0.0.0/bar?x=1"));
    assert!(!applies("override://10.0.0.1:20880/bar?x=1"));
    assert!(!applies(
        "override://0.0.0.0/bar?configVersion=v2.7&side=consumer&providerAddresses=10.0.0.1:20880&x=1"
    ));
}

#[test]
fn what_a_merged_url_says_of_its_side_does_not_count() {
    // A consumer's merged URL still has the provider's word.
    let merged = MERGED.replace("side=consumer", "side=provider");
    let rule = of_texts(&["override://0.0.0.0/bar?configVersion=v2.7&side=consumer&x=1"]);
    assert_eq!(x(&rule, &merged, &CONSUMER).as_deref(), Some("1"));
    let rule = of_texts(&["override://0.0.0.0/bar?~side=consumer&x=1"]);
    assert_eq!(x(&rule, &merged, &CONSUMER).as_deref(), Some("1"));
}

#[test]
fn what_is_not_enabled_or_without_a_host_does_nothing() {
    assert_eq!(applies("override://0.0.0.0/bar?enabled=false&x=1"), (false, false));
    assert_eq!(applies("override:///bar?x=1"), (false, false));
    let configurators = of_texts(&["override://0.0.0.0/*?x=1"]);
    assert_eq!(x(&configurators, "dubbo:///com.foo.Bar", &CONSUMER), None);
}
