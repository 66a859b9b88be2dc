//! What an operator does, and who may be called afterwards. Decides nothing about time.

use std::collections::BTreeSet;

use orana_core::percent;

use crate::dubbo::SERVICE;

/// The application that provides.
pub const PROVIDER: &str = "stock";
/// The application that consumes.
pub const CONSUMER: &str = "shop";
/// The regions of the four providers, in order.
pub const REGIONS: [&str; 4] = ["east", "west", "north", "south"];

/// Providers by port; none at all where a rule forbids calls.
pub type Members = BTreeSet<u16>;

/// Who may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// By calls without a tag.
    pub plain: Members,
    /// By calls with the tag `gray`.
    pub gray: Members,
}

/// Where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A document under that key of the configuration centre.
    Document(String),
    /// A URL among the service's `routers` or `configurators`.
    Url(&'static str, String),
}

/// What is done there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Its content is this from now on; what is not there is made.
    Write(Vec<u8>),
    /// It goes.
    Delete,
}

/// One change of one rule.
#[derive(Debug, Clone)]
pub struct Change {
    /// In words.
    pub what: &'static str,
    /// Where.
    pub place: Place,
    /// What.
    pub act: Act,
    /// What comes of it.
    pub then: Expected,
}

impl Place {
    /// The node.
    pub fn path(&self) -> String {
        match self {
            Place::Document(key) => format!("/dubbo/config/dubbo/{key}"),
            Place::Url(category, url) => format!("/dubbo/{SERVICE}/{category}/{}", percent::encode(url)),
        }
    }
}

/// Changes one after the other that begin and end without any rule, for providers at these ports, in the order of their regions.
pub fn cycle(ports: [u16; 4]) -> Vec<Change> {
    let [east, west, north, south] = ports;
    let of = |ports: &[u16]| ports.iter().copied().collect::<Members>();
    let both = |ports: &[u16]| Expected {
        plain: of(ports),
        gray: of(ports),
    };
    let all = || both(&ports);
    let service = || Place::Document(format!("{SERVICE}::.condition-router"));
    let consumer = || Place::Document(format!("{CONSUMER}.condition-router"));
    let tags = || Place::Document(format!("{PROVIDER}.tag-router"));
    let configurators = || Place::Document(format!("{SERVICE}::.configurators"));
    let route = || {
        let rule = percent::encode("=> region=west").into_owned();
        let rest = format!("category=routers&router=condition&dynamic=false&enabled=true&priority=1&rule={rule}");
        Place::Url("routers", format!("route://0.0.0.0/{SERVICE}?{rest}"))
    };
    let weightless = |port: u16| {
        let rest = "category=configurators&dynamic=false&enabled=true&weight=0";
        Place::Url("configurators", format!("override://127.0.0.1:{port}/{SERVICE}?{rest}"))
    };
    let mut changes = Vec::new();
    let mut then = |what, place, act, then| {
        changes.push(Change { what, place, act, then });
    };
    let write = |text: &str| Act::Write(text.as_bytes().to_vec());
    let condition = |text: &str| write(&format!("configVersion: v3.0\nconditions: [ '{text}' ]\n"));
    let gray = |ports: &[u16]| {
        let addresses: Vec<String> = ports.iter().map(|port| format!("'127.0.0.1:{port}'")).collect();
        write(&format!(
            "tags: [ {{ name: gray, addresses: [ {} ] }} ]\n",
            addresses.join(", ")
        ))
    };
    let config = |ports: &[u16], parameters: &str| {
        let addresses: Vec<String> = ports.iter().map(|port| format!("'127.0.0.1:{port}'")).collect();
        write(&format!(
            "configVersion: v2.7\nscope: service\nkey: {SERVICE}\nenabled: true\nconfigs:\n  - side: consumer\n    \
             providerAddresses: [ {} ]\n    parameters: {{ {parameters} }}\n",
            addresses.join(", ")
        ))
    };

    then(
        "a condition comes",
        service(),
        condition("=> region=east"),
        both(&[east]),
    );
    then(
        "a condition changes",
        service(),
        condition("=> region=west"),
        both(&[west]),
    );
    then("a condition breaks", service(), condition("a == b"), both(&[west]));
    then(
        "a condition is no text",
        service(),
        Act::Write(vec![0xff, 0, 0xc0, 0x80]),
        both(&[west]),
    );
    let nobody = write("force: true\nconditions: [ '=> region=nowhere' ]\n");
    then("a condition forbids", service(), nobody, both(&[]));
    then("a condition goes", service(), Act::Delete, all());

    let some = Expected {
        plain: of(&[south]),
        gray: of(&[east, west, north]),
    };
    then("a tag comes", tags(), gray(&[east, west, north]), some);
    let one = Expected {
        plain: of(&[east, west, north]),
        gray: of(&[south]),
    };
    then("a tag changes", tags(), gray(&[south]), one.clone());
    then("a tag breaks", tags(), write("tags: [ { name: [ gray"), one);
    then("a tag goes", tags(), Act::Delete, all());

    then(
        "a consumer's condition comes",
        consumer(),
        condition("=> region=north"),
        both(&[north]),
    );
    let two = condition("=> region=south,east");
    then("a consumer's condition changes", consumer(), two, both(&[south, east]));
    then("a consumer's condition goes", consumer(), Act::Delete, all());

    let weights = config(&[west, north, south], "weight: 0");
    then("a configurator comes", configurators(), weights, both(&[east]));
    let weights = config(&[east, west, north], "weight: 0");
    then("a configurator changes", configurators(), weights, both(&[south]));
    then(
        "a configurator breaks",
        configurators(),
        write("configs: 7\n"),
        both(&[south]),
    );
    let timeout = config(&ports, "timeout: 4000");
    then("a configurator says something else", configurators(), timeout, all());
    then("a configurator goes", configurators(), Act::Delete, all());

    then("a route url comes", route(), Act::Write(Vec::new()), both(&[west]));
    then("a route url goes", route(), Act::Delete, all());

    let others = [west, north, south];
    then(
        "an override url comes",
        weightless(east),
        Act::Write(Vec::new()),
        both(&others),
    );
    then(
        "another override url comes",
        weightless(west),
        Act::Write(Vec::new()),
        both(&[north, south]),
    );
    then(
        "an override url goes",
        weightless(east),
        Act::Delete,
        both(&[east, north, south]),
    );
    then("the other override url goes", weightless(west), Act::Delete, all());
    changes
}
