//! The twelve providers: where they listen and what they say of themselves. Each offers the service twice: plain, and as
//! version 1.0.0 of the group `blue`, where some have tags.
//!
//! | provider | 1–3 | 4–6 | 7–9 | 10–12 |
//! |---|---|---|---|---|
//! | host | 10.20.1.1 | 10.20.1.2 | 10.20.2.1 | 10.20.2.2 |
//!
//! | provider | 1–4 | 5–8 | 9–11 | 12 |
//! |---|---|---|---|---|
//! | `region` | hangzhou | beijing | shanghai | none |
//! | `rack` | r1 | r2 | r3 | none |
//!
//! The ports of a host are 20880, 20881 and 20882; `env` is `prod` for odd and `stage` for even numbers and `canary` for 12;
//! `score` is ten times the number, and no number for 12; `zone` is `hz-1` and so on: the beginning of the region and the
//! number; 11 has half the weight. In the group `blue`, 3 and 4 have the tag `gray`, 5 `beta`, 6 `beta|team1`. What is called
//! `region` and `env`, some consumers have, too.

use std::collections::BTreeMap;

use anyhow::Result;
use orana::{Application, Export, Provider};
use serde_json::json;

use super::orders::{OrderServiceService, Orders};

/// How many there are.
pub const PROVIDERS: usize = 12;

/// The application that all of them belong to.
pub const APPLICATION: &str = "order-service";

/// The group and version under which the service is offered once more.
pub const BLUE: (&str, &str) = ("blue", "1.0.0");

const HOSTS: [&str; 4] = ["10.20.1.1", "10.20.1.2", "10.20.2.1", "10.20.2.2"];
const PORTS: [u16; 3] = [20880, 20881, 20882];

/// The hosts of all providers.
pub fn hosts() -> impl Iterator<Item = &'static str> {
    HOSTS.into_iter()
}

/// Host and port of a provider, `number` from 1 on.
pub fn address(number: usize) -> String {
    let index = number - 1;
    format!("{}:{}", HOSTS[index / PORTS.len()], PORTS[index % PORTS.len()])
}

/// Who has an address.
pub fn number(address: &str) -> Option<usize> {
    (1..=PROVIDERS).find(|number| self::address(*number) == address)
}

/// Starts all of them; they are registered when this returns.
pub async fn start(registry: &str) -> Result<Vec<Provider>> {
    let application = Application::new(APPLICATION).registry(registry);
    let mut providers = Vec::new();
    for number in 1..=PROVIDERS {
        let address = address(number);
        let orders = || OrderServiceService::new(Orders(address.clone()));
        let mut blue = Export::new(orders()).group(BLUE.0).version(BLUE.1);
        if let Some(tag) = tag(number) {
            blue = blue.parameter("dubbo.tag", tag);
        }
        let builder = application.provider().listen(&address).advertise(&address);
        let builder = parameters(number)
            .into_iter()
            .fold(builder.export(orders()).export(blue), |builder, (key, value)| {
                builder.parameter(key, value)
            });
        providers.push(builder.start().await?);
    }
    Ok(providers)
}

/// The arguments of `org.orana.interop.governance.fleet.Provider`, which is the same provider in Java.
pub fn java_arguments(number: usize, registry: &str) -> Vec<String> {
    let mut arguments: Vec<String> = [registry, APPLICATION, BLUE.0, BLUE.1].map(str::to_owned).into();
    let index = number - 1;
    let parameters: BTreeMap<_, _> = parameters(number).into_iter().collect();
    let (host, port) = (HOSTS[index / PORTS.len()], PORTS[index % PORTS.len()]);
    let provider = json!({ "host": host, "port": port, "parameters": parameters, "tag": tag(number) });
    arguments.push(provider.to_string());
    arguments
}

/// What a provider says of itself, beside what every provider says.
pub fn parameters(number: usize) -> Vec<(&'static str, String)> {
    let place = match number {
        1..=4 => Some(("hangzhou", "r1")),
        5..=8 => Some(("beijing", "r2")),
        9..=11 => Some(("shanghai", "r3")),
        _ => None,
    };
    let zone = match number {
        1..=4 => "hz",
        5..=8 => "bj",
        _ => "sh",
    };
    let env = match number {
        PROVIDERS => "canary",
        odd if odd % 2 == 1 => "prod",
        _ => "stage",
    };
    let score = match number {
        PROVIDERS => "unknown".to_owned(),
        _ => (number * 10).to_string(),
    };
    let mut parameters = vec![
        ("env", env.to_owned()),
        ("score", score),
        // Else it gets few calls in its first ten minutes.
        ("warmup", "1".to_owned()),
        ("zone", format!("{zone}-{number}")),
    ];
    if let Some((region, rack)) = place {
        parameters.extend([("region", region.to_owned()), ("rack", rack.to_owned())]);
    }
    parameters.extend((number == 11).then(|| ("weight", "50".to_owned())));
    parameters
}

/// The tag of a provider in the group `blue`.
pub fn tag(number: usize) -> Option<&'static str> {
    match number {
        3 | 4 => Some("gray"),
        5 => Some("beta"),
        6 => Some("beta|team1"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_belongs_to_one_provider() {
        assert_eq!(address(1), "10.20.1.1:20880");
        assert_eq!(address(12), "10.20.2.2:20882");
        for provider in 1..=PROVIDERS {
            assert_eq!(number(&address(provider)), Some(provider));
        }
        assert_eq!(number("127.0.0.1:20880"), None);
    }
}
