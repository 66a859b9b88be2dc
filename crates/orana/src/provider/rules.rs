//! Everything that rules say for one service of a provider at the moment, and what its URL is under them. Told what stands where; listens to
//! nobody.

use orana_cluster::configurator::{Applying, Configurators, Layer, Side};
use orana_core::ServiceUrl;
use orana_core::rule::OverrideRule;
use orana_wire::rule;

use crate::governance::{Document, Slot, UrlRules, Word};

/// The overrides that may be meant for one service.
#[derive(Default)]
pub(super) struct Rules {
    /// By the number of the registry: what it lists as URLs (2.6).
    of_registries: Vec<UrlRules>,
    application: Document<OverrideRule>,
    service: Document<OverrideRule>,
    configurators: Configurators,
}

impl Rules {
    /// Takes a document as it is now. Gives what is worth a warning.
    pub(super) fn take(&mut self, word: &Word) -> Vec<String> {
        let document = match word.slot {
            Slot::ApplicationOverrides => &mut self.application,
            Slot::ServiceOverrides => &mut self.service,
            // The others are for those who call.
            _ => return Vec::new(),
        };
        if !word.value.is_known() {
            return Vec::new();
        }
        let mut notes = match &word.value.problem {
            Some(problem) => {
                document.cannot_be_had(&word.key, problem);
                Vec::new()
            }
            None => document.take(word.value.text.as_deref(), |text| rule::overrides(&word.key, text)),
        };
        notes.extend(self.configure());
        notes
    }

    /// Takes what the registry of that number lists as rules. Gives what is worth a warning, and was not before.
    pub(super) fn take_urls(&mut self, registry: usize, urls: &[ServiceUrl]) -> Vec<String> {
        if self.of_registries.len() <= registry {
            self.of_registries.resize_with(registry + 1, UrlRules::default);
        }
        let Some(listed) = self.of_registries.get_mut(registry) else {
            return Vec::new();
        };
        let before = std::mem::replace(listed, UrlRules::read(urls));
        let mut notes = listed.news(&before.notes);
        notes.extend(self.configure());
        notes
    }

    /// The URL of the service under all rules: always made of the original, so that a rule that goes leaves nothing behind.
    pub(super) fn over(&self, original: &ServiceUrl) -> ServiceUrl {
        let place = Applying {
            side: Side::Provider,
            local_host: original.host().unwrap_or_default(),
        };
        self.configurators.apply(original, &place)
    }

    /// Dubbo's order (`RegistryProtocol.OverrideListener`): what the registries list, the document of the application, that of the service.
    /// Gives what never applies because a part of it cannot be read, unless that was so before.
    fn configure(&mut self) -> Vec<String> {
        let layers = [
            Layer::new(self.of_registries.iter().flat_map(|listed| &listed.overrides)),
            Layer::new(self.application.rule()),
            Layer::new(self.service.rule()),
        ];
        let before = std::mem::replace(&mut self.configurators, Configurators::new(&layers));
        let new = self.configurators.problems().iter();
        let new = new.filter(|problem| !before.problems().contains(problem));
        new.map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests;
