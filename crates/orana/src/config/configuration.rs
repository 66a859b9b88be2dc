//! The configuration of an application, checked: what is effective for the application itself, its registries, protocols, references and
//! services.

use std::collections::HashSet;
use std::fmt;

use super::check;
use super::endpoint::{self, Endpoint};
use super::error::ConfigError;
use super::gather::{Methods, Wanted, gather, is_said};
use super::key::item;
use super::layer::{Entry, Layer, Rest};
use super::layers::Layers;
use super::origin::Origin;
use super::protocol::Protocol;
use super::settings::{Level, Setting, Settings};
use super::spelling::nearest;
use super::table::{
    APPLICATION_SECTION, CONFIG_CENTER_SECTION, CONSUMER_SECTION, METADATA_REPORT_SECTION, MODULE_SECTION,
    MONITOR_SECTION, PROTOCOL_SECTION, PROVIDER_SECTION, REFERENCE_SECTION, REGISTRY_SECTION, SERVICE_SECTION, SEVERAL,
    Section,
};
use super::warning::{Warning, Warnings};

/// A checked configuration; by default one that says nothing. A clone copies it.
#[derive(Clone, Default)]
pub struct Configuration {
    /// Weakest first, placeholders replaced.
    layers: Vec<Layer>,
    warnings: Vec<Warning>,
}

/// How many registries, protocols and so on there may be.
const MAX_IDENTIFIERS: usize = 100;

/// What the program's code says, by the names of URL parameters (`timeout`, `say.timeout`, `reference.filter`); of a key said twice the
/// later value counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// For all that the application does.
    pub application: &'a [(String, String)],
    /// For all references of a consumer, or all services of a provider.
    pub defaults: &'a [(String, String)],
    /// For the reference or service alone.
    pub interface: &'a [(String, String)],
}

impl Configuration {
    /// Checks all that is said.
    ///
    /// # Errors
    /// A value of the wrong type, a placeholder without end, an address that is no URL; each with its place.
    pub fn load(layers: Layers) -> Result<Configuration, ConfigError> {
        let mut layers = layers.sorted();
        let mut warnings = Warnings::default();
        check::replace_placeholders(&mut layers, &mut warnings)?;
        check::check(&layers, &mut warnings)?;
        let mut configuration = Configuration {
            layers,
            warnings: Vec::new(),
        };
        configuration.check_several(&mut warnings)?;
        configuration.registries(&[])?;
        configuration.config_centers()?;
        configuration.metadata_reports()?;
        configuration.warnings = warnings.told();
        Ok(configuration)
    }

    /// What is odd about it: unknown keys with the nearest known one, keys without effect, placeholders without a value.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The strongest value under exactly that name, of a key that belongs to no section: `dubbo.service.shutdown.wait`.
    pub fn property(&self, key: &str) -> Option<(&str, &Origin)> {
        let said = |layer: &&Layer, entry: &&Entry| !entry.value.trim().is_empty() && entry.is_for(layer.rank, key);
        self.layers.iter().rev().find_map(|layer| {
            let entry = layer.entries.iter().rev().find(|entry| said(&layer, entry))?;
            Some((entry.value.trim(), &entry.origin))
        })
    }

    /// What is said about the application: `name`, `owner`, …; `name` is what code calls it.
    pub fn application(&self, name: Option<&str>) -> Settings {
        let code: Vec<_> = name
            .map(|name| ("name".to_owned(), name.to_owned()))
            .into_iter()
            .collect();
        self.plain(APPLICATION_SECTION, "dubbo.application", &code, Level::Application)
    }

    /// The registries: those with identifiers, else that without, and those that code names.
    ///
    /// What code names is weaker than a property, variable or external text without identifier, which replaces it if it is one; what a file
    /// says without identifier is weaker than code and only counts if code names none.
    ///
    /// # Errors
    /// [`ConfigError::Address`] of what code says.
    pub fn registries(&self, code: &[String]) -> Result<Vec<Endpoint>, ConfigError> {
        let application = self.application(None);
        let of_all = ["file-cache", "register-mode", "enable-empty-protection"];
        let of_all: Vec<_> = of_all
            .into_iter()
            .filter_map(|key| Some((key, application.get(key)?)))
            .collect();
        let mut found = Vec::new();
        let mut add = |id: Option<&str>, settings: Settings| -> Result<(), ConfigError> {
            found.extend(endpoint::endpoints(
                id,
                &endpoint::with_application(&settings, of_all.iter().copied()),
            )?);
            Ok(())
        };
        let single = |address: &str| {
            let code = [("address".to_owned(), address.to_owned())];
            let mut settings = self.plain(REGISTRY_SECTION, "dubbo.registry", &code, Level::Defaults);
            if let Some(mut setting) = settings.take(Level::Defaults, "address") {
                setting.in_url = false;
                settings.put(setting);
            }
            settings
        };
        match code {
            [only] => add(None, single(only))?,
            several => {
                for address in several {
                    let mut settings = Settings::default();
                    settings.put(Setting {
                        key: "address".to_owned(),
                        value: address.clone(),
                        origin: Origin::Code,
                        level: Level::Defaults,
                        in_url: false,
                        appends: false,
                    });
                    add(None, settings)?;
                }
            }
        }
        for (id, settings) in self.several(REGISTRY_SECTION, "dubbo.registries", "dubbo.registry", code.is_empty()) {
            add(id.as_deref(), settings)?;
        }
        Ok(found)
    }

    /// The configuration centres.
    ///
    /// # Errors
    /// None that [`Configuration::load`] has not told of.
    pub fn config_centers(&self) -> Result<Vec<Endpoint>, ConfigError> {
        self.endpoints(CONFIG_CENTER_SECTION, "dubbo.config-centers", "dubbo.config-center")
    }

    /// The metadata reports.
    ///
    /// # Errors
    /// None that [`Configuration::load`] has not told of.
    pub fn metadata_reports(&self) -> Result<Vec<Endpoint>, ConfigError> {
        self.endpoints(
            METADATA_REPORT_SECTION,
            "dubbo.metadata-reports",
            "dubbo.metadata-report",
        )
    }

    /// What is said about the monitor.
    pub fn monitor(&self) -> Settings {
        self.plain(MONITOR_SECTION, "dubbo.monitor", &[], Level::Defaults)
    }

    /// The protocols of a provider; none if nothing is said about any.
    pub fn protocols(&self) -> Vec<Protocol> {
        let protocol = |(id, settings): (Option<String>, Settings)| Protocol {
            name: settings.text("name").or(id.as_deref()).unwrap_or("dubbo").to_owned(),
            id,
            settings,
        };
        let said = self.several(PROTOCOL_SECTION, "dubbo.protocols", "dubbo.protocol", true);
        said.into_iter().map(protocol).collect()
    }

    /// What counts for a reference: the application's, the module's and the consumer's settings, then those of `dubbo.reference.…`, its
    /// own, and its methods'. `methods` are the interface's, if they are known: then what is said of others does not count (see
    /// [`Configuration::unknown_methods`]), and variables can name them.
    pub fn reference(&self, interface: &str, methods: &[&str], said: &Said<'_>) -> Settings {
        let mut settings = self.shared(said);
        self.put(
            CONSUMER_SECTION,
            "dubbo.consumer",
            said.defaults,
            Level::Defaults,
            &mut settings,
        );
        self.put_interface(REFERENCE_SECTION, interface, methods, said.interface, &mut settings);
        settings
    }

    /// What counts for a service, the other way round: between the provider's settings and its own stand those of the `protocol`.
    pub fn service(&self, interface: &str, methods: &[&str], protocol: Option<&Protocol>, said: &Said<'_>) -> Settings {
        let mut settings = self.shared(said);
        self.put(
            PROVIDER_SECTION,
            "dubbo.provider",
            said.defaults,
            Level::Defaults,
            &mut settings,
        );
        for setting in protocol.iter().flat_map(|protocol| protocol.settings.iter()) {
            settings.put(Setting {
                level: Level::Protocol,
                ..setting.clone()
            });
        }
        self.put_interface(SERVICE_SECTION, interface, methods, said.interface, &mut settings);
        settings
    }

    /// What is said about methods of an interface that it does not have.
    pub fn unknown_methods(&self, interface: &str, methods: &[&str]) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if methods.is_empty() {
            return warnings;
        }
        for section in [REFERENCE_SECTION, SERVICE_SECTION] {
            let prefix = format!("dubbo.{}.{interface}", section.name);
            for (layer, entry) in self.entries() {
                let Some(rest @ Rest::Dotted(_)) = entry.below(layer.rank, &prefix) else {
                    continue;
                };
                let method = item(section, &rest, &[]).and_then(|item| item.method);
                if let Some(method) = method.filter(|method| !methods.contains(method)) {
                    warnings.push(Warning::UnknownMethod {
                        given: entry.key.clone(),
                        origin: entry.origin.clone(),
                        nearest: nearest(method, methods.iter().copied()).unwrap_or_default().to_owned(),
                    });
                }
            }
        }
        warnings
    }

    fn entries(&self) -> impl Iterator<Item = (&Layer, &Entry)> {
        self.layers
            .iter()
            .flat_map(|layer| layer.entries.iter().map(move |entry| (layer, entry)))
    }

    /// What the application and the module say for everything.
    fn shared(&self, said: &Said<'_>) -> Settings {
        let mut settings = Settings::default();
        self.put(
            APPLICATION_SECTION,
            "dubbo.application",
            said.application,
            Level::Application,
            &mut settings,
        );
        self.put(MODULE_SECTION, "dubbo.module", &[], Level::Module, &mut settings);
        settings
    }

    fn put_interface(
        &self,
        section: &'static Section,
        interface: &str,
        methods: &[&str],
        code: &[(String, String)],
        settings: &mut Settings,
    ) {
        // `dubbo.reference.timeout`, for all references, is weaker than anything that is said of one
        // (`ReferenceConfigBase.preProcessRefresh`).
        self.put(
            section,
            &format!("dubbo.{}", section.name),
            &[],
            Level::Interface,
            settings,
        );
        let wanted = Wanted {
            section,
            prefix: &format!("dubbo.{}.{interface}", section.name),
            methods: Methods::Of(methods),
            code,
            level: Level::Interface,
        };
        gather(&self.layers, &wanted, settings);
        settings.append();
    }

    fn plain(&self, section: &'static Section, prefix: &str, code: &[(String, String)], level: Level) -> Settings {
        let mut settings = Settings::default();
        self.put(section, prefix, code, level, &mut settings);
        settings
    }

    fn put(
        &self,
        section: &'static Section,
        prefix: &str,
        code: &[(String, String)],
        level: Level,
        settings: &mut Settings,
    ) {
        let wanted = Wanted {
            section,
            prefix,
            methods: Methods::None,
            code,
            level,
        };
        gather(&self.layers, &wanted, settings);
    }

    fn endpoints(&self, section: &'static Section, plural: &str, single: &str) -> Result<Vec<Endpoint>, ConfigError> {
        let said = self.several(section, plural, single, true);
        let endpoints = said
            .into_iter()
            .map(|(id, settings)| endpoint::endpoints(id.as_deref(), &settings));
        Ok(endpoints
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// Each thing with an identifier; else, if `single_too`, the one without (`AbstractConfigManager.loadConfigsOfTypeFromProps`).
    fn several(
        &self,
        section: &'static Section,
        plural: &str,
        single: &str,
        single_too: bool,
    ) -> Vec<(Option<String>, Settings)> {
        let identifiers = self.identifiers(plural);
        if !identifiers.is_empty() {
            let settings = |id: &String| self.plain(section, &format!("{plural}.{id}"), &[], Level::Defaults);
            return identifiers.iter().map(|id| (Some(id.clone()), settings(id))).collect();
        }
        match single_too && is_said(&self.layers, single) {
            true => vec![(None, self.plain(section, single, &[], Level::Defaults))],
            false => Vec::new(),
        }
    }

    /// The identifiers below `dubbo.registries` and the like, strongest layer first, each in the order of its text. A variable's name does
    /// not say where one ends, so it cannot bring in a new one.
    fn identifiers(&self, plural: &str) -> Vec<String> {
        let mut identifiers: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for layer in self.layers.iter().rev() {
            for entry in &layer.entries {
                let Some(Rest::Dotted(rest)) = entry.below(layer.rank, plural) else {
                    continue;
                };
                let id = rest.split_once('.').map(|(id, _)| id).filter(|id| !id.is_empty());
                if let Some(id) = id.filter(|id| known.insert(*id)) {
                    identifiers.push(id.to_owned());
                }
            }
        }
        identifiers
    }

    /// Warns of what is said without identifier where something is said with one, and refuses very many identifiers.
    fn check_several(&self, warnings: &mut Warnings) -> Result<(), ConfigError> {
        for section in SEVERAL {
            let plural = section.plural.unwrap_or(section.name);
            let count = self.identifiers(&format!("dubbo.{plural}")).len();
            if count > MAX_IDENTIFIERS {
                return Err(ConfigError::Identifiers {
                    of: plural,
                    count,
                    limit: MAX_IDENTIFIERS,
                });
            }
            if count == 0 {
                continue;
            }
            let prefix = format!("dubbo.{}", section.name);
            for (layer, entry) in self.entries() {
                let below = entry.below(layer.rank, &prefix);
                if below.is_some_and(|rest| item(section, &rest, &[]).is_some()) {
                    warnings.add(|| Warning::NoEffect {
                        given: entry.key.clone(),
                        origin: entry.origin.clone(),
                        why: "others of this kind have identifiers, and then only those count",
                    });
                }
            }
        }
        Ok(())
    }
}

/// How much is said where, without the values.
impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.layers.iter().map(|layer| (layer.rank, layer.entries.len()));
        f.debug_map().entries(counts).finish()
    }
}
