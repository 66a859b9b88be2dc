//! Everything that rules say for one consumer at the moment, and what comes of it. Told what stands where; listens to nobody.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use orana_cluster::configurator::{Applying, Configurators, Layer, Side};
use orana_cluster::router::{ConditionRouter, MockSelector, Noted, Routers, TagRouter};
use orana_cluster::{Configurator, Governance, Router};
use orana_core::rule::{ConditionRule, OverrideRule, RuleError, TagRule};
use orana_core::{Category, ServiceUrl};
use orana_wire::rule::{self, Parsed};

use super::document::Document;
use super::keys::Slot;
use super::url_rules::UrlRules;

/// Rules of the program's own, for one reference.
#[derive(Clone, Default)]
pub(crate) struct OwnRules {
    /// Behind those of documents and URLs.
    pub(crate) routers: Vec<Arc<dyn Router>>,
    /// Above those of documents and URLs.
    pub(crate) overrides: Vec<OverrideRule>,
}

/// What is in force for one consumer.
pub(crate) struct Rules {
    /// The host under which this consumer registers: what rules for single consumers are compared with.
    local_host: Box<str>,
    own: OwnRules,
    of_urls: OfUrls,
    /// The lists that those come of.
    listed: BTreeMap<Category, Arc<[ServiceUrl]>>,
    /// What is wrong with overrides among them, which was told already.
    notes_of_overrides: Vec<String>,
    /// Overrides of all places that never apply because a part of them cannot be read.
    problems: Vec<RuleError>,
    application_overrides: Document<OverrideRule>,
    service_overrides: Document<OverrideRule>,
    service_conditions: Document<ConditionRule>,
    provider_conditions: Document<ConditionRule>,
    application_conditions: Document<ConditionRule>,
    tags: Document<TagRule>,
    /// Kinds that are never run, by their router.
    unsupported: Vec<(Slot, Document<Infallible>)>,
    /// The same as they apply here; another one only when they change, since lists are worked through anew then.
    configurator: Option<Arc<dyn Configurator>>,
}

/// Rules that stand in the registry as URLs (2.6).
#[derive(Default)]
struct OfUrls {
    conditions: Vec<ConditionRule>,
    overrides: Vec<OverrideRule>,
    notes: Vec<String>,
}

impl Rules {
    /// None yet but the program's own.
    pub(crate) fn new(local_host: &str, own: OwnRules) -> Rules {
        let unsupported = [
            Slot::ServiceAffinity,
            Slot::ProviderAffinity,
            Slot::ProviderScript,
            Slot::ProviderMesh,
        ];
        let mut rules = Rules {
            local_host: local_host.into(),
            own,
            of_urls: OfUrls::default(),
            listed: BTreeMap::new(),
            notes_of_overrides: Vec::new(),
            problems: Vec::new(),
            application_overrides: Document::default(),
            service_overrides: Document::default(),
            service_conditions: Document::default(),
            provider_conditions: Document::default(),
            application_conditions: Document::default(),
            tags: Document::default(),
            unsupported: unsupported.map(|slot| (slot, Document::default())).into(),
            configurator: None,
        };
        rules.configure();
        rules
    }

    /// Takes the text that stands under `key` now, the document of that slot. Gives what is worth a warning.
    pub(crate) fn take(&mut self, slot: Slot, key: &str, text: Option<&str>) -> Vec<String> {
        let mut notes = match slot {
            Slot::ApplicationOverrides => self.application_overrides.take(text, |text| rule::overrides(key, text)),
            Slot::ServiceOverrides => self.service_overrides.take(text, |text| rule::overrides(key, text)),
            Slot::ServiceConditions => self.service_conditions.take(text, |text| rule::condition(key, text)),
            Slot::ProviderConditions => self.provider_conditions.take(text, |text| rule::condition(key, text)),
            Slot::ApplicationConditions => self
                .application_conditions
                .take(text, |text| rule::condition(key, text)),
            Slot::ProviderTags => self
                .tags
                .take(text, |text| rule::tag(key, text).and_then(with_usable_patterns)),
            Slot::ServiceAffinity | Slot::ProviderAffinity => self.note(slot, text, |text| rule::affinity(key, text)),
            Slot::ProviderScript => self.note(slot, text, |text| rule::script(key, text)),
            Slot::ProviderMesh => self.note(slot, text, |text| Ok(rule::mesh(key, text))),
        };
        if matches!(slot, Slot::ApplicationOverrides | Slot::ServiceOverrides) {
            notes.extend(self.configure());
        }
        notes
    }

    /// Notes that what stands under `key` cannot be had.
    pub(crate) fn cannot_be_had(&mut self, slot: Slot, key: &str, problem: &str) {
        match slot {
            Slot::ApplicationOverrides => self.application_overrides.cannot_be_had(key, problem),
            Slot::ServiceOverrides => self.service_overrides.cannot_be_had(key, problem),
            Slot::ServiceConditions => self.service_conditions.cannot_be_had(key, problem),
            Slot::ProviderConditions => self.provider_conditions.cannot_be_had(key, problem),
            Slot::ApplicationConditions => self.application_conditions.cannot_be_had(key, problem),
            Slot::ProviderTags => self.tags.cannot_be_had(key, problem),
            Slot::ServiceAffinity | Slot::ProviderAffinity | Slot::ProviderScript | Slot::ProviderMesh => {}
        }
    }

    /// Takes the rules that the registry lists as URLs; a category that it did not speak about stays. Gives what is worth a warning and was
    /// not before; nothing if the list is the one that is known, which is not read again.
    pub(crate) fn take_urls(&mut self, category: Category, urls: &Arc<[ServiceUrl]>) -> Option<Vec<String>> {
        let known = self.listed.insert(category, Arc::clone(urls));
        if known.is_some_and(|known| known == *urls) {
            return None;
        }
        let read = UrlRules::read(urls);
        if category == Category::Routers {
            let notes = read.news(&self.of_urls.notes);
            let mut conditions = read.conditions;
            conditions.sort_by_key(|condition| condition.priority);
            self.of_urls.conditions = conditions;
            self.of_urls.notes = read.notes;
            return Some(notes);
        }
        let mut notes = read.news(&self.notes_of_overrides);
        self.notes_of_overrides = read.notes;
        if self.of_urls.overrides != read.overrides {
            self.of_urls.overrides = read.overrides;
            notes.extend(self.configure());
        }
        Some(notes)
    }

    /// What is laid over the directory's lists.
    pub(crate) fn governance(&self) -> Governance {
        Governance {
            configurator: self.configurator.clone(),
            routers: Arc::new(Routers::new(self.routers())),
        }
    }

    /// Dubbo's order: mocks, what 2.6 has as URLs, tags, conditions of the service, of the application that provides, of the one that consumes;
    /// then the program's own.
    fn routers(&self) -> Vec<Arc<dyn Router>> {
        let mut routers: Vec<Arc<dyn Router>> = vec![Arc::new(MockSelector)];
        routers.extend(self.of_urls.conditions.iter().flat_map(ConditionRouter::of));
        note(&mut routers, "condition", &self.of_urls.notes);
        routers.push(Arc::new(TagRouter::new(self.tags.rule())));
        note(&mut routers, "tag", self.tags.notes());
        for document in [
            &self.service_conditions,
            &self.provider_conditions,
            &self.application_conditions,
        ] {
            routers.extend(document.rule().into_iter().flat_map(ConditionRouter::of));
            note(&mut routers, "condition", document.notes());
        }
        for (slot, document) in &self.unsupported {
            let name = match slot {
                Slot::ProviderScript => "script",
                Slot::ProviderMesh => "mesh",
                _ => "affinity",
            };
            note(&mut routers, name, document.notes());
        }
        routers.extend(self.own.routers.iter().cloned());
        routers
    }

    fn note(
        &mut self,
        slot: Slot,
        text: Option<&str>,
        read: impl FnOnce(&str) -> Result<Parsed<Infallible>, RuleError>,
    ) -> Vec<String> {
        let document = self.unsupported.iter_mut().find(|(known, _)| *known == slot);
        document.map_or_else(Vec::new, |(_, document)| document.take(text, read))
    }

    /// Gives what never applies because a part of it cannot be read, unless that was so before.
    fn configure(&mut self) -> Vec<String> {
        let layers = [
            Layer::new(&self.of_urls.overrides),
            Layer::new(self.application_overrides.rule()),
            Layer::new(self.service_overrides.rule()),
            Layer::new(&self.own.overrides),
        ];
        let configurators = Configurators::new(&layers);
        let place = Applying {
            side: Side::Consumer,
            local_host: &self.local_host,
        };
        self.configurator =
            (!configurators.is_empty()).then(|| Arc::new(configurators.at(&place)) as Arc<dyn Configurator>);
        let before = std::mem::replace(&mut self.problems, configurators.problems().to_vec());
        let new = self.problems.iter().filter(|problem| !before.contains(problem));
        new.map(ToString::to_string).collect()
    }
}

/// Refuses tags with patterns that only reading does not show to be wrong.
fn with_usable_patterns(parsed: Parsed<TagRule>) -> Result<Parsed<TagRule>, RuleError> {
    match parsed.rule().and_then(TagRouter::problem) {
        Some(problem) => Err(problem),
        None => Ok(parsed),
    }
}

/// A rule that has no effect stands in the chain so that explanations name it.
fn note(routers: &mut Vec<Arc<dyn Router>>, name: &str, notes: &[String]) {
    routers.extend(
        notes
            .iter()
            .map(|note| Arc::new(Noted::new(name, note)) as Arc<dyn Router>),
    );
}
