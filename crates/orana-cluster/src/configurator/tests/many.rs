//! Large numbers of URLs and rules.

use super::*;

fn provider(number: usize) -> String {
    MERGED.replace(
        "10.0.0.1:20880",
        &format!("10.{}.{}.1:{}", number / 250, number % 250, 20_000 + number % 3),
    )
}

#[test]
fn a_rule_for_each_provider_changes_its_provider_only() {
    let count = 2_000;
    let mut texts: Vec<String> = (0..count)
        .map(|number| {
            let url = url(&provider(number));
            format!("override://{}/bar?x={number}", url.address())
        })
        .collect();
    texts.push("override://0.0.0.0/bar?all=1&x=all".into());
    let configurators = one_layer(texts.iter().map(|text| read(text)).collect());
    let applicable = configurators.at(&CONSUMER);
    for number in 0..count {
        let made = applicable.apply(&url(&provider(number)));
        assert_eq!(made.parameter("x"), Some(number.to_string().as_str()));
        assert_eq!(made.parameter("all"), Some("1"));
    }
    let stranger = applicable.apply(&url(MERGED));
    assert_eq!(stranger.parameter("x"), Some("all"));
}

#[test]
fn what_can_never_apply_at_a_place_is_left_out() {
    let configurators = of_texts(&[
        "override://0.0.0.0/bar?enabled=false&x=1",
        "override://0.0.0.0/bar?configVersion=v2.7&x=1",
        "override://0.0.0.0/bar?configVersion=v2.7&side=provider&x=1",
        "override://10.0.0.8/bar?x=1",
        "override://0.0.0.0/bar?side=provider&x=1",
    ]);
    assert!(configurators.at(&CONSUMER).is_empty());
    assert!(!configurators.at(&PROVIDER).is_empty());
}

#[test]
fn overrides_of_one_item_share_its_long_list_of_providers() {
    let list: Vec<String> = (0..2_000).map(|number| url(&provider(number)).address()).collect();
    let list = list.join(",");
    let overrides = (0..2_000)
        .map(|number| {
            let address = url(&provider(number)).address();
            read(&format!(
                "override://{address}/bar?configVersion=v2.7&side=provider&x={number}&y=1"
            ))
        })
        .map(|mut rule| {
            rule.provider_addresses = Some(list.split(',').map(Arc::from).collect());
            rule
        })
        .collect();
    let configurators = one_layer(overrides);
    let lists: Vec<_> = configurators
        .overrides
        .iter()
        .filter_map(|rule| rule.providers.as_ref())
        .collect();
    assert!(lists.windows(2).all(|pair| Arc::ptr_eq(pair[0], pair[1])));
    assert_eq!(x(&configurators, &provider(77), &PROVIDER).as_deref(), Some("77"));
}
