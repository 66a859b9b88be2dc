//! The rules of precedence, spelling and refusal, one by one: here is what the tests share.

mod attributes;
mod endpoints;
mod levels;
mod methods;
mod places;
mod refusals;
mod unknown_keys;

use super::*;

const FILE: &str = "dubbo.properties";

fn load(file: &str) -> Configuration {
    Configuration::load(Layers::new().file(FILE, file).unwrap()).unwrap()
}

fn refused(layers: Layers) -> String {
    Configuration::load(layers).unwrap_err().to_string()
}

fn file(text: &str) -> Layers {
    Layers::new().file(FILE, text).unwrap()
}

fn pairs(said: &[(&str, &str)]) -> Vec<(String, String)> {
    said.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn reference(configuration: &Configuration) -> Settings {
    configuration.reference("org.example.Greeter", &["say", "sayHello"], &Said::default())
}

fn value(settings: &Settings, key: &str) -> String {
    settings
        .get(key)
        .map(|setting| format!("{} ({})", setting.value, setting.origin))
        .unwrap_or_default()
}

fn warnings(configuration: &Configuration) -> Vec<String> {
    configuration.warnings().iter().map(ToString::to_string).collect()
}

fn urls(endpoints: &[Endpoint]) -> Vec<String> {
    endpoints.iter().map(|endpoint| endpoint.url.full_text()).collect()
}
