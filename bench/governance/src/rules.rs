//! The rules that are measured: the documents of `Rules.java`, word for word, and an override beside them.

use std::sync::Arc;

use anyhow::{Context, Result};
use orana_cluster::configurator::{Applying, Configurators, Layer, Side};
use orana_cluster::router::{ConditionRouter, MockSelector, Routers, TagRouter};
use orana_cluster::{Configurator, Governance, Router};
use orana_wire::rule;

use crate::fleet::{APPLICATION, CONSUMER, SERVICE};

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    None,
    /// Five conditions that do not look at arguments.
    Conditions,
    /// The same, but one looks at the first argument.
    Argument,
    /// The five behind a tag rule of one address.
    Tag,
}

impl Rules {
    pub(crate) const ALL: [Rules; 4] = [Rules::None, Rules::Conditions, Rules::Argument, Rules::Tag];

    /// As the program of the Java side calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Rules::None => "none",
            Rules::Conditions => "conditions",
            Rules::Argument => "argument",
            Rules::Tag => "tag",
        }
    }

    /// As a consumer obeys them, with one override document if `overridden`.
    pub(crate) fn governance(self, overridden: bool) -> Result<Governance> {
        let mut routers: Vec<Arc<dyn Router>> = vec![Arc::new(MockSelector)];
        let tag = match self {
            Rules::Tag => {
                let key = format!("{APPLICATION}.tag-router");
                let parsed = rule::tag(&key, &tagged())?;
                Some(parsed.rule().context("the tag rule is none")?.clone())
            }
            Rules::None | Rules::Conditions | Rules::Argument => None,
        };
        routers.push(Arc::new(TagRouter::new(tag.as_ref())));
        let last = match self {
            Rules::None => None,
            Rules::Conditions | Rules::Tag => Some("method = find*,get* => zone != z3"),
            Rules::Argument => Some("arguments[0] = vip => zone != z3"),
        };
        if let Some(last) = last {
            let parsed = rule::condition(&format!("{SERVICE}::.condition-router"), &conditions(last))?;
            routers.extend(ConditionRouter::of(
                parsed.rule().context("the conditions are no rule")?,
            ));
        }
        Ok(Governance {
            configurator: if overridden { Some(configurator()?) } else { None },
            routers: Arc::new(Routers::new(routers)),
        })
    }
}

/// Five: four that are the same in every set, and `last`.
fn conditions(last: &str) -> String {
    let conditions = [
        "application = shop => region != r0",
        "host = 10.20.0.* => region != r1,r2",
        "=> host = 10.*",
        "application != crawler => env = prod",
        last,
    ];
    let lines: String = conditions
        .iter()
        .map(|condition| format!("  - '{condition}'\n"))
        .collect();
    format!(
        "configVersion: v3.0\nscope: service\nforce: false\nenabled: true\nruntime: true\nkey: {SERVICE}\nconditions:\n{lines}"
    )
}

fn tagged() -> String {
    format!(
        "configVersion: v3.0\nforce: false\nenabled: true\nruntime: true\nkey: {APPLICATION}\ntags:\n  - name: gray\n    \
         addresses: ['10.1.0.1:20880']\n"
    )
}

/// A time-out for everybody.
fn configurator() -> Result<Arc<dyn Configurator>> {
    let text = format!(
        "configVersion: v3.0\nscope: service\nenabled: true\nkey: {SERVICE}\nconfigs:\n  - side: consumer\n    addresses: \
         ['0.0.0.0']\n    parameters:\n      timeout: 2000\n"
    );
    let parsed = rule::overrides(&format!("{SERVICE}::.configurators"), &text)?;
    let layer = Layer::new([parsed.rule().context("the override is no rule")?]);
    let place = Applying {
        side: Side::Consumer,
        local_host: CONSUMER,
    };
    Ok(Arc::new(Configurators::new(&[layer]).at(&place)))
}
