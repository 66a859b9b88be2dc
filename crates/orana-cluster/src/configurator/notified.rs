//! Which of the URLs that a registry lists below `configurators` count (`RegistryDirectory.notify`, `Configurator.toConfigurators`). How
//! such a URL is read is the matter of `orana-wire`.

use orana_core::{Category, ServiceUrl};

/// The overrides of a notification, in their order; `None` when it does not speak of them, so that the earlier ones stay. An empty list
/// means that there are none any more, which only an `empty://` says.
///
/// Not among them:
/// - what carries `compatible_config`: a console's copy of a document, for consumers older than 2.7;
/// - what has no parameters, or only `anyhost`. Dubbo 2.6 took it for "forget what was listed before", Dubbo 2.7 and 3 leave it out; no
///   registry promises an order of its list, so the former could not be relied on.
pub fn notified(urls: &[ServiceUrl]) -> Option<Vec<&ServiceUrl>> {
    let ours = |url: &&ServiceUrl| {
        let of_category = url.category() == Some(Category::Configurators);
        let rule = matches!(url.protocol(), Some("override" | "absent"));
        (rule || (of_category && url.protocol() == Some("empty"))) && url.parameter("compatible_config").is_none()
    };
    let mut ours = urls.iter().filter(ours).peekable();
    ours.peek()?;
    let mut overrides = Vec::new();
    for url in ours {
        if url.protocol() == Some("empty") {
            return Some(Vec::new());
        }
        if url.parameters().any(|(key, _)| key != "anyhost") {
            overrides.push(url);
        }
    }
    Some(overrides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(texts: &[&str]) -> Vec<ServiceUrl> {
        texts.iter().map(|text| ServiceUrl::parse(text).unwrap()).collect()
    }

    fn counted(texts: &[&str]) -> Option<Vec<String>> {
        let urls = urls(texts);
        notified(&urls).map(|urls| urls.iter().map(|url| url.full_text()).collect())
    }

    const ONE: &str = "override://0.0.0.0/i?category=configurators&timeout=1";
    const TWO: &str = "absent://0.0.0.0/i?category=configurators&timeout=2";

    #[test]
    fn overrides_count_in_their_order() {
        let provider = "dubbo://h:1/i";
        let route = "route://0.0.0.0/i?category=routers";
        assert_eq!(
            counted(&[TWO, provider, route, ONE]),
            Some(vec![TWO.into(), ONE.into()])
        );
    }

    #[test]
    fn a_notification_about_something_else_leaves_the_overrides() {
        assert_eq!(counted(&["dubbo://h:1/i"]), None);
        assert_eq!(counted(&[]), None);
        assert_eq!(counted(&["empty://h/i?category=providers"]), None);
        assert_eq!(counted(&["empty://h/i"]), None);
    }

    #[test]
    fn an_empty_url_clears_wherever_it_stands() {
        let empty = "empty://h/i?category=configurators";
        assert_eq!(counted(&[empty]), Some(vec![]));
        assert_eq!(counted(&[ONE, empty, TWO]), Some(vec![]));
    }

    #[test]
    fn a_copy_of_a_document_for_old_consumers_does_not_count() {
        let copy = "override://0.0.0.0/i?category=configurators&compatible_config=true&timeout=3";
        assert_eq!(counted(&[ONE, copy]), Some(vec![ONE.into()]));
        assert_eq!(counted(&[copy]), None);
    }

    #[test]
    fn an_override_without_parameters_is_left_out_and_clears_nothing() {
        assert_eq!(
            counted(&[ONE, "override://0.0.0.0/i?anyhost=true"]),
            Some(vec![ONE.into()])
        );
        assert_eq!(counted(&["override://0.0.0.0/i"]), Some(vec![]));
    }
}
