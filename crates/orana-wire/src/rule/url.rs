//! Rules that stand in the registry as URLs, as 2.6 has them: `route://`, `override://`, `absent://` (`RegistryDirectory.toRouters` and
//! `toConfigurators`, `ConditionRouter` of 2.6 and 2.7).

use std::sync::Arc;

use orana_core::rule::{Condition, ConditionRule, OverrideRule, RuleError, RulePlace, Scope};
use orana_core::{ServiceUrl, percent};

use super::clauses::{self, Dialect};
use super::overrides::{of_url, says_something};
use super::{Remark, limits};

/// What a URL among the routers or configurators of a service is.
#[derive(Clone, Debug, PartialEq)]
pub enum UrlRule {
    /// `route://…&router=condition`
    Condition(ConditionRule),
    /// `override://` or `absent://`: one override.
    Override(OverrideRule),
    /// `empty://`: there are no rules of its category.
    Cleared,
    /// An override that says nothing. 2.6 forgets those that it collected before; later releases, and we, pass over it.
    Blank,
    /// A copy that a console wrote beside a document, for clients that read no documents.
    Copy,
    /// A script or another kind of router that is never run.
    Unsupported(Remark),
}

/// Reads a URL of the categories `routers` and `configurators`.
///
/// # Errors
/// What Dubbo would log and pass over: the URL counts for nothing, the others of its list stay in force.
pub fn url(url: &ServiceUrl) -> Result<UrlRule, RuleError> {
    if url.protocol() == Some("empty") {
        return Ok(UrlRule::Cleared);
    }
    if url.parameter("compatible_config").is_some_and(|mark| !mark.is_empty()) {
        return Ok(UrlRule::Copy);
    }
    let text: Arc<str> = url.full_text().into();
    let place = RulePlace::of(Arc::clone(&text));
    if url.is_router() {
        return router(url, place);
    }
    if !url.is_configurator() && url.protocol() != Some("absent") {
        return Err(RuleError::new(place, "this is no rule but a URL of another kind"));
    }
    if !says_something(url) {
        return Ok(UrlRule::Blank);
    }
    let one = of_url(url, place.clone(), text).map_err(|reason| RuleError::new(place.clone(), reason))?;
    Ok(UrlRule::Override(OverrideRule {
        place,
        scope: Scope::Service,
        overrides: vec![one],
    }))
}

fn router(url: &ServiceUrl, place: RulePlace) -> Result<UrlRule, RuleError> {
    let named = url.parameter("router").filter(|name| !name.is_empty());
    match named.or(url.protocol()) {
        Some("condition") => condition(url, place).map(UrlRule::Condition),
        Some("route") | None => Err(RuleError::new(
            place,
            "the URL does not say which `router` it is for; `router=condition`",
        )),
        Some(other) => Ok(UrlRule::Unsupported(Remark {
            text: format!("routers of the kind `{other}` are not supported and never run; all providers stay"),
            place,
        })),
    }
}

fn condition(url: &ServiceUrl, place: RulePlace) -> Result<ConditionRule, RuleError> {
    let fail = |reason: String| RuleError::new(place.clone(), reason);
    let enabled = url.flag_or("enabled", true);
    let mut conditions = Vec::new();
    if enabled {
        let written = url.parameter("rule").unwrap_or_default();
        if written.len() > limits::CONDITION_BYTES * 3 {
            return Err(fail(format!(
                "`rule` has {} bytes, far more than {}",
                written.len(),
                limits::CONDITION_BYTES
            )));
        }
        let rule = percent::decode(written).map_err(|error| fail(format!("`rule` cannot be read: {error}")))?;
        let (when, then) = clauses::condition(&rule, Dialect::Url)
            .map_err(|error| fail(format!("`rule` at character {}: {}", error.offset + 1, error.reason)))?;
        conditions.push(Condition {
            place: place.clone(),
            text: rule.trim().into(),
            when,
            then,
            missing_passes_mismatch: true,
        });
    }
    let priority = url.try_number("priority").map_err(|error| fail(error.to_string()))?;
    Ok(ConditionRule {
        scope: Some(Scope::Service),
        enabled,
        force: url.flag_or("force", false),
        priority: priority.unwrap_or(0),
        conditions,
        place,
    })
}

#[cfg(test)]
mod tests;
