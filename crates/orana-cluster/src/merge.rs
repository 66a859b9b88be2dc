//! What a consumer makes of a provider's URL: its own parameters laid over the provider's
//! (`DefaultProviderURLMergeProcessor`, `RegistryDirectory.mergeUrl`).

use orana_core::ServiceUrl;

/// Parameters about a provider's own threads; they say nothing to a consumer. Also with `default.` before them.
const OF_THE_PROVIDER_ALONE: [&str; 7] = [
    "threadname",
    "threadpool",
    "corethreads",
    "threads",
    "queues",
    "alive",
    "transporter",
];

/// Parameters that describe the provider; a consumer's of the same name are about the consumer.
const ALWAYS_THE_PROVIDERS: [&str; 5] = ["release", "dubbo", "methods", "timestamp", "dubbo.tag"];

/// Parameters that a provider's word settles if it has one.
const RATHER_THE_PROVIDERS: [&str; 3] = ["group", "version", "generic"];

/// Parameters whose two values are joined, the provider's first.
const JOINED: [&str; 2] = ["reference.filter", "invoker.listener"];

/// The provider's URL as `consumer` is to use it: method and interface parameters of the consumer win, identity and start time
/// are the provider's, `remote.application` is who provides. A provider cannot impose a `mock`.
pub fn merged(provider: &ServiceUrl, consumer: &ServiceUrl) -> ServiceUrl {
    let mut url = provider.edit();
    for name in OF_THE_PROVIDER_ALONE.iter().chain(&["mock"]) {
        // Takes `default.NAME` away, too. Most providers have neither, and a builder remembers what it was told.
        if provider.parameter(name).is_some() {
            url = url.remove(name);
        }
    }
    if let Some(application) = provider.parameter("application") {
        url = url.set("remote.application", application);
    }
    for (key, value) in consumer.parameters() {
        let settled = ALWAYS_THE_PROVIDERS.contains(&key)
            || (RATHER_THE_PROVIDERS.contains(&key) && provider.parameter(key).is_some());
        if settled || OF_THE_CONSUMER_ALONE.contains(&key) {
            continue;
        }
        match provider.parameter(key) {
            Some(own) if JOINED.contains(&key) && !own.is_empty() => url = url.set(key, format!("{own},{value}")),
            _ => url = url.set(key, value),
        }
    }
    if provider.path().is_none()
        && let Some(interface) = consumer.interface()
    {
        // Providers from before 1.0 register without a path.
        url = url.path(interface);
    }
    url.build()
}

/// What a consumer says about itself as something registered; laid over a provider's URL it would say it of the provider.
const OF_THE_CONSUMER_ALONE: [&str; 3] = ["category", "check", "side"];

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> ServiceUrl {
        ServiceUrl::parse(text).unwrap()
    }

    #[test]
    fn the_consumers_word_counts_but_for_what_the_provider_is() {
        let provider = url(
            "dubbo://h:1/i?application=shop&timeout=5&threads=9&default.threads=8&mock=return&group=g&methods=a,b&timestamp=7&release=3.3.6",
        );
        let consumer = url(
            "consumer://me/i?application=web&timeout=9&retries=0&group=*&methods=a&timestamp=8&release=2.7&category=consumers&check=false&side=consumer&mock=fail",
        );
        let url = merged(&provider, &consumer);
        let value = |key| url.parameter(key);
        assert_eq!(value("application"), Some("web"));
        assert_eq!(value("remote.application"), Some("shop"));
        assert_eq!(value("timeout"), Some("9"));
        assert_eq!(value("retries"), Some("0"));
        assert_eq!(value("group"), Some("g"));
        assert_eq!(value("methods"), Some("a,b"));
        assert_eq!(value("timestamp"), Some("7"));
        assert_eq!(value("release"), Some("3.3.6"));
        assert_eq!(value("threads").or(value("default.threads")), None);
        assert_eq!(value("category").or(value("check")), None);
        assert_eq!(
            (url.host(), url.port(), url.protocol()),
            (Some("h"), Some(1), Some("dubbo"))
        );
    }

    #[test]
    fn filters_of_both_sides_are_joined_and_a_missing_path_is_the_interface() {
        let provider = url("dubbo://h:1?reference.filter=a");
        let consumer = url("consumer://me/org.Shop?reference.filter=b&interface=org.Shop");
        let url = merged(&provider, &consumer);
        assert_eq!(url.parameter("reference.filter"), Some("a,b"));
        assert_eq!(url.path(), Some("org.Shop"));
    }

    #[test]
    fn a_provider_cannot_impose_a_mock() {
        let provider = url("dubbo://h:1/i?mock=force:return+null");
        assert_eq!(merged(&provider, &url("consumer://me/i")).parameter("mock"), None);
    }
}
