//! The value that one call has, and where it came from: governance rules, the consumer's settings, the provider's URL, Dubbo's defaults.
//!
//! The order is Dubbo's: the more specific value counts, and of two that are equally specific the consumer's, with what a rule
//! overrides above them.
//!
//! ```text
//!   override of the method > consumer's method > provider's method
//!     > override > consumer's reference > provider's service > consumer's defaults > provider's defaults > constant
//! ```
//!
//! A rule writes into the merged URL (`OverrideConfigurator`). There `timeout=5000` is not `say.timeout`, and whoever has set the latter
//! keeps it: an operator who wants to override a method's value says `say.timeout`.
//!
//! The last steps depend on the release whose consumer is meant; see [`Precedence`].

use orana_core::ServiceUrl;

use super::origin::Origin;
use super::secret::shown;
use super::settings::{Level, Setting, Settings};

/// Values that Dubbo has when nobody says any, as the parameters of a URL.
pub const CONSTANTS: &[(&str, &str)] = &[
    ("actives", "0"),
    ("async", "false"),
    ("check", "true"),
    ("cluster", "failover"),
    ("cluster.availablecheck", "true"),
    ("connections", "0"),
    ("executes", "0"),
    ("forks", "2"),
    ("loadbalance", "random"),
    ("payload", "8388608"),
    ("retries", "2"),
    ("sticky", "false"),
    ("timeout", "1000"),
    ("warmup", "600000"),
    ("weight", "100"),
];

/// Keys that only the consumer decides in Dubbo 3: they are read from its own URL, not from the merged one.
const CONSUMER_ONLY: &[&str] = &[
    "broadcast.fail.percent",
    "cluster",
    "forks",
    "merger",
    "mock",
    "retries",
];

/// Keys that stay the provider's whatever the consumer says.
const PROVIDER_ONLY: &[&str] = &["dubbo", "dubbo.tag", "methods", "release", "timestamp"];

/// Keys of the provider that are not the consumer's business: those of its threads, and a mock that it has no right to impose.
const NOT_FROM_PROVIDER: &[&str] = &[
    "alive",
    "corethreads",
    "mock",
    "queues",
    "threadname",
    "threadpool",
    "threads",
    "transporter",
];

/// Which of the orders that Dubbo has had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precedence {
    /// Whether what `dubbo.consumer.…` says stands below what the provider says of the service. In 2.6 it did, under the name
    /// `default.timeout`; 3.x writes it as `timeout`, so that it cannot be told from the reference's own and beats the
    /// provider's.
    pub defaults_below_provider: bool,
    /// Whether the provider's `retries`, `cluster`, `forks` and `merger` count where the consumer says nothing. In 2.6 and 2.7 they did; 3.x
    /// reads them from the consumer alone, so that a provider's `retries=0` protects from older consumers only.
    pub provider_decides_cluster: bool,
}

impl Precedence {
    /// As documented, and as 2.6 does it.
    pub const DUBBO_2: Precedence = Precedence {
        defaults_below_provider: true,
        provider_decides_cluster: true,
    };

    /// As 3.x does it.
    pub const DUBBO_3: Precedence = Precedence {
        defaults_below_provider: false,
        provider_decides_cluster: false,
    };
}

/// All who have a say.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// What rules override for this consumer and provider, strongest last: key as in the merged URL, value, and the rule.
    pub overrides: &'a [(String, String, Origin)],
    /// What the consumer says; see [`Configuration::reference`](super::Configuration::reference).
    pub consumer: &'a Settings,
    /// The provider's URL as it is registered. `None` before one is chosen.
    pub provider: Option<&'a ServiceUrl>,
    /// Whose order.
    pub precedence: Precedence,
}

/// A value, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effective {
    /// The value; it may be secret, and [`Effective::shown`] is for printing.
    pub value: String,
    /// Where it came from.
    pub origin: Origin,
    /// The key under which it was found: `say.timeout`, `timeout`, `default.timeout`.
    pub key: String,
}

impl Effective {
    /// The value as it may be printed.
    pub fn shown(&self) -> String {
        shown(&self.key, &self.value)
    }
}

/// The value of `key` for a call of `method`; `None` if nobody says any and Dubbo has no default. An empty value is as good as none.
pub fn resolve(method: &str, key: &str, sources: &Sources<'_>) -> Option<Effective> {
    let of_method = format!("{method}.{key}");
    let consumer_decides = !PROVIDER_ONLY.contains(&key);
    let provider_decides = !NOT_FROM_PROVIDER.contains(&key)
        && (sources.precedence.provider_decides_cluster || !CONSUMER_ONLY.contains(&key));
    let overriding = |key: &str| sources.overriding(key);
    let of_consumer = |key: &str, levels: &[Level]| sources.of_consumer(key, levels).filter(|_| consumer_decides);
    let of_provider = |key: &str| sources.of_provider(key).filter(|_| provider_decides);

    let every: &[Level] = &EVERY_LEVEL;
    let (own, defaults) = match sources.precedence.defaults_below_provider {
        true => (&EVERY_LEVEL[..1], &EVERY_LEVEL[1..]),
        false => (every, &[][..]),
    };
    overriding(&of_method)
        .or_else(|| of_consumer(&of_method, every))
        .or_else(|| of_provider(&of_method))
        .or_else(|| overriding(key))
        .or_else(|| of_consumer(key, own))
        .or_else(|| of_provider(key))
        .or_else(|| of_consumer(key, defaults))
        .or_else(|| of_provider(&format!("default.{key}")))
        .or_else(|| constant(key))
}

/// Most specific first.
const EVERY_LEVEL: [Level; 4] = [Level::Interface, Level::Defaults, Level::Module, Level::Application];

impl Sources<'_> {
    fn overriding(&self, key: &str) -> Option<Effective> {
        let (_, value, origin) = self.overrides.iter().rev().find(|(said, ..)| said == key)?;
        effective(key, value, origin.clone())
    }

    fn of_consumer(&self, key: &str, levels: &[Level]) -> Option<Effective> {
        let said = |level: &Level| {
            self.consumer
                .at(*level, key)
                .filter(|setting| !setting.value.is_empty())
        };
        let setting: &Setting = levels.iter().find_map(said)?;
        effective(key, &setting.value, setting.origin.clone())
    }

    fn of_provider(&self, key: &str) -> Option<Effective> {
        let provider = self.provider?;
        // Not `parameter`, which finds `default.timeout` under `timeout`.
        let (_, value) = provider.parameters().find(|(said, _)| *said == key)?;
        effective(key, value, Origin::Provider(provider.address().into()))
    }
}

fn constant(key: &str) -> Option<Effective> {
    let (_, value) = CONSTANTS.iter().find(|(known, _)| *known == key)?;
    effective(key, value, Origin::Default)
}

fn effective(key: &str, value: &str, origin: Origin) -> Option<Effective> {
    (!value.is_empty()).then(|| Effective {
        value: value.to_owned(),
        origin,
        key: key.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Configuration, Layers, Said};
    use super::*;

    /// One who says something: the words of the consumer's file, of the provider's URL, of a rule.
    struct World {
        consumer: Vec<&'static str>,
        provider: Vec<&'static str>,
        overrides: Vec<(String, String, Origin)>,
    }

    fn found(world: &World, precedence: Precedence) -> (String, String) {
        let file = world.consumer.join("\n");
        let layers = Layers::new().file("d.properties", &file).unwrap();
        let consumer = Configuration::load(layers)
            .unwrap()
            .reference("a.B", &[], &Said::default());
        let url = format!("dubbo://10.0.0.1:20880/a.B?{}", world.provider.join("&"));
        let effective = resolve(
            "say",
            "timeout",
            &Sources {
                overrides: &world.overrides,
                consumer: &consumer,
                provider: Some(&ServiceUrl::parse(&url).unwrap()),
                precedence,
            },
        )
        .unwrap();
        (effective.value, effective.origin.to_string())
    }

    fn everybody() -> World {
        let rule = |key: &str, value: &str| {
            (
                key.to_owned(),
                value.to_owned(),
                Origin::Override("shop.configurators:3".into()),
            )
        };
        World {
            consumer: vec![
                "dubbo.reference.a.B.say.timeout=2",
                "dubbo.reference.a.B.timeout=5",
                "dubbo.consumer.timeout=7",
            ],
            provider: vec!["say.timeout=3", "timeout=6", "default.timeout=8"],
            overrides: vec![rule("say.timeout", "1"), rule("timeout", "4")],
        }
    }

    /// Takes the strongest away again and again; says who is left to count.
    fn order(precedence: Precedence, strongest_first: &[&str]) -> Vec<String> {
        let mut world = everybody();
        let mut order = vec![found(&world, precedence).0];
        for gone in strongest_first {
            let value = |text: &str| text.rsplit_once('=').is_some_and(|(_, value)| value == *gone);
            world.consumer.retain(|text| !value(text));
            world.provider.retain(|text| !value(text));
            world.overrides.retain(|(_, value, _)| value != gone);
            order.push(found(&world, precedence).0);
        }
        order
    }

    #[test]
    fn method_before_interface_before_defaults_and_consumer_before_provider_and_override_above() {
        assert_eq!(
            order(Precedence::DUBBO_2, &["1", "2", "3", "4", "5", "6", "7", "8"]),
            ["1", "2", "3", "4", "5", "6", "7", "8", "1000"]
        );
    }

    #[test]
    fn a_default_of_the_consumer_beats_the_providers_service_in_3_x() {
        assert_eq!(
            order(Precedence::DUBBO_3, &["1", "2", "3", "4", "5", "7", "6", "8"]),
            ["1", "2", "3", "4", "5", "7", "6", "8", "1000"]
        );
    }

    #[test]
    fn the_origin_of_each_value_is_told() {
        let mut world = everybody();
        assert_eq!(found(&world, Precedence::DUBBO_3).1, "override shop.configurators:3");
        world.overrides.clear();
        assert_eq!(
            found(&world, Precedence::DUBBO_3).1,
            "d.properties:1: dubbo.reference.a.B.say.timeout"
        );
        world.consumer.clear();
        assert_eq!(found(&world, Precedence::DUBBO_3).1, "provider 10.0.0.1:20880");
        world.provider.clear();
        assert_eq!(
            found(&world, Precedence::DUBBO_3),
            ("1000".to_owned(), "default".to_owned())
        );
    }

    fn of_provider(key: &str, parameters: &str, precedence: Precedence) -> Option<String> {
        let sources = Sources {
            overrides: &[],
            consumer: &Settings::default(),
            provider: Some(&ServiceUrl::parse(&format!("dubbo://h:1/a.B?{parameters}")).unwrap()),
            precedence,
        };
        resolve("say", key, &sources).map(|effective| effective.value)
    }

    #[test]
    fn a_providers_retries_protect_from_older_consumers_only() {
        assert_eq!(of_provider("retries", "retries=0", Precedence::DUBBO_2).unwrap(), "0");
        assert_eq!(of_provider("retries", "retries=0", Precedence::DUBBO_3).unwrap(), "2");
        assert_eq!(
            of_provider("loadbalance", "loadbalance=p2c", Precedence::DUBBO_3).unwrap(),
            "p2c"
        );
    }

    #[test]
    fn a_provider_imposes_no_mock_and_no_threads() {
        for precedence in [Precedence::DUBBO_2, Precedence::DUBBO_3] {
            assert_eq!(of_provider("mock", "mock=force:return 1", precedence), None);
            assert_eq!(of_provider("threads", "threads=9", precedence), None);
        }
    }

    #[test]
    fn a_tag_stays_the_providers() {
        let layers = Layers::new()
            .property("dubbo.consumer.tag", "mine")
            .property("dubbo.consumer.timeout", 9);
        let consumer = Configuration::load(layers)
            .unwrap()
            .reference("a.B", &[], &Said::default());
        let provider = ServiceUrl::parse("dubbo://h:1/a.B?dubbo.tag=gray").unwrap();
        let sources = Sources {
            overrides: &[],
            consumer: &consumer,
            provider: Some(&provider),
            precedence: Precedence::DUBBO_3,
        };
        assert_eq!(resolve("say", "dubbo.tag", &sources).unwrap().value, "gray");
        assert_eq!(
            resolve("say", "timeout", &sources).unwrap().origin.to_string(),
            "property dubbo.consumer.timeout"
        );
    }

    #[test]
    fn an_empty_value_is_none_and_the_newest_override_counts() {
        let rule = |value: &str| ("timeout".to_owned(), value.to_owned(), Origin::Override(value.into()));
        let sources = Sources {
            overrides: &[rule("1"), rule("2")],
            consumer: &Settings::default(),
            provider: Some(&ServiceUrl::parse("dubbo://h:1/a.B?say.timeout=&retries=").unwrap()),
            precedence: Precedence::DUBBO_2,
        };
        assert_eq!(resolve("say", "timeout", &sources).unwrap().value, "2");
        assert_eq!(resolve("say", "retries", &sources).unwrap().origin, Origin::Default);
        assert_eq!(resolve("say", "nothing", &sources), None);
    }
}
