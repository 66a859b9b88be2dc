//! `orana services`: the Dubbo services that a centre knows, as its admin API says, or that any registry lists.

use std::collections::BTreeMap;

use clap::Args;
use orana_core::{Category, ServiceKey};
use serde::{Deserialize, Serialize};

use crate::admin::Centre;
use crate::failure::Failure;
use crate::print;
use crate::registry::{Source, question};

/// How many are asked for at once when all are wanted.
const PAGE: u64 = 500;

/// The command line of `orana services`.
#[derive(Args)]
pub(crate) struct Services {
    #[command(flatten)]
    centre: Centre,
    /// Ask this registry instead of a centre's admin address
    #[arg(long, value_name = "URL", conflicts_with_all = ["admin", "page"])]
    registry: Option<String>,
    /// Show this page only, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    page: Option<u64>,
    /// How many services a page has
    #[arg(long, value_name = "N", default_value_t = 50, requires = "page", value_parser = clap::value_parser!(u64).range(1..=1000))]
    size: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One page of the list.
#[derive(Debug, Serialize, Deserialize)]
struct List {
    total: u64,
    services: Vec<Service>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Service {
    interface: String,
    group: Option<String>,
    version: Option<String>,
    providers: u64,
    consumers: u64,
}

impl Services {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let list = match (&self.registry, self.page) {
            (Some(registry), _) => listed(&Source::of(registry))?,
            (None, Some(page)) => self.list(page, self.size)?,
            (None, None) => self.all()?,
        };
        if self.json {
            return print::json(&list);
        }
        let rows: Vec<_> = list.services.iter().map(Service::row).collect();
        print::table(["INTERFACE", "GROUP", "VERSION", "PROVIDERS", "CONSUMERS"], &rows)?;
        if rows.len() as u64 != list.total {
            print::text(&format!("{} of {} services", rows.len(), list.total))?;
        }
        Ok(())
    }

    fn list(&self, page: u64, size: u64) -> Result<List, Failure> {
        self.centre.get(&format!("/v1/services?page={page}&size={size}"))
    }

    /// Page after page until one is not full.
    fn all(&self) -> Result<List, Failure> {
        let mut all = self.list(1, PAGE)?;
        let mut next = 2;
        let mut full = all.services.len() as u64 == PAGE;
        while full {
            let page = self.list(next, PAGE)?;
            full = page.services.len() as u64 == PAGE;
            all.total = page.total;
            all.services.extend(page.services);
            next += 1;
        }
        Ok(all)
    }
}

/// Counts what a registry lists.
fn listed(source: &Source) -> Result<List, Failure> {
    let everything = question(&ServiceKey::new("*", None, None), "providers,consumers");
    let mut counts: BTreeMap<ServiceKey, (u64, u64)> = BTreeMap::new();
    for url in source.lookup(&everything)? {
        let Some(key) = url.service_key() else { continue };
        let (providers, consumers) = counts.entry(key).or_default();
        match url.category() {
            Some(Category::Consumers) => *consumers += 1,
            _ => *providers += 1,
        }
    }
    let services: Vec<Service> = counts
        .into_iter()
        .map(|(key, (providers, consumers))| Service {
            interface: key.interface().to_owned(),
            group: key.group().map(str::to_owned),
            version: key.version().map(str::to_owned),
            providers,
            consumers,
        })
        .collect();
    Ok(List {
        total: services.len() as u64,
        services,
    })
}

impl Service {
    fn row(&self) -> [String; 5] {
        let or_none = |part: &Option<String>| {
            part.as_deref()
                .filter(|part| !part.is_empty())
                .unwrap_or("-")
                .to_owned()
        };
        [
            self.interface.clone(),
            or_none(&self.group),
            or_none(&self.version),
            self.providers.to_string(),
            self.consumers.to_string(),
        ]
    }
}
