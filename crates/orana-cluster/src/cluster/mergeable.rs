//! `mergeable`: every group, and their results as one (`MergeableClusterInvoker`). Which values can be joined, and how, is the matter of
//! [`Mergers`]: here results are bytes.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use orana_core::{BoxFuture, Invocation, Reply, RpcError, RpcErrorCode};

use super::Cluster;
use crate::picker::Picker;

/// Joins results of one call to several groups.
pub trait Merge: Send + Sync + 'static {
    /// One reply of at least two, in the order of the groups.
    fn merge(&self, invocation: &Invocation, replies: Vec<Reply>) -> Result<Reply, RpcError>;
}

/// Finds how results are joined.
pub trait Mergers: Send + Sync + 'static {
    /// The one of that name; `None` for the name asks for the one that suits the results (`true`, `default`).
    fn named(&self, name: Option<&str>) -> Option<Arc<dyn Merge>>;

    /// Every name, for messages.
    fn names(&self) -> Vec<String>;
}

/// No results can be joined.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMergers;

/// Calls one provider of each group at the same time and joins what they answer; without a `merger` for the method, the first group that has
/// somebody to call.
pub struct Mergeable {
    mergers: Arc<dyn Mergers>,
}

impl Mergeable {
    /// With these ways to join results.
    pub fn new(mergers: Arc<dyn Mergers>) -> Mergeable {
        Mergeable { mergers }
    }

    async fn first_group(
        &self,
        invocation: &Invocation,
        picker: Picker<'_>,
        groups: &[String],
    ) -> Result<Reply, RpcError> {
        let mut last = None;
        for group in groups {
            let picker = picker.within(group);
            let endpoint = match picker.pick(invocation, &[]) {
                Ok(pick) => pick.endpoint,
                Err(error) => {
                    last = Some(error);
                    continue;
                }
            };
            if !endpoint.is_available() && group != groups.last().unwrap_or(group) {
                continue;
            }
            match picker.attempt(&endpoint, invocation).await {
                Err(error) if error.code() == RpcErrorCode::NoInvokerAfterFilter => last = Some(error),
                outcome => return outcome,
            }
        }
        Err(last.unwrap_or_else(|| nobody(invocation)))
    }

    async fn every_group<'g>(
        &self,
        invocation: &Invocation,
        picker: Picker<'_>,
        groups: &'g [String],
        merge: &dyn Merge,
    ) -> Result<Reply, RpcError> {
        let one = |group: &'g String| async move {
            let picker = picker.within(group);
            let endpoint = picker.pick(invocation, &[])?.endpoint;
            picker.attempt(&endpoint, invocation).await
        };
        let mut calls: FuturesOrdered<_> = groups.iter().map(one).collect();
        let mut replies = Vec::with_capacity(groups.len());
        let mut last = None;
        while let Some(outcome) = calls.next().await {
            match outcome {
                Ok(reply) => replies.push(reply),
                Err(error) if error.code() == RpcErrorCode::NoInvokerAfterFilter => last = Some(error),
                // An exception of one group takes that group's part away and no more, as in Dubbo.
                Err(error) if error.exception().is_some() => {
                    tracing::warn!(%error, "a group answered with an exception; its part is missing (mergeable)");
                }
                Err(error) => return Err(error),
            }
        }
        let mut some: Vec<Reply> = replies.into_iter().filter(|reply| !reply.is_null()).collect();
        match (some.len(), last) {
            (0, Some(error)) if groups.len() == 1 => Err(error),
            (0, _) => Ok(Reply::null()),
            (1, _) => Ok(some.remove(0)),
            _ => merge.merge(invocation, some),
        }
    }
}

fn nobody(invocation: &Invocation) -> RpcError {
    RpcError::new(RpcErrorCode::NoInvokerAfterFilter, "no group has anybody to call").calling(invocation)
}

/// Names that ask for no merging.
fn is_off(name: &str) -> bool {
    name.is_empty() || name == "false" || name == "0" || name.eq_ignore_ascii_case("null") || name == "N/A"
}

impl Cluster for Mergeable {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let consumer = picker.consumer()?;
            let name = consumer
                .method_parameter(&invocation.called_name(), "merger")
                .unwrap_or_default()
                .trim();
            let groups = picker.groups(invocation)?;
            if is_off(name) {
                return self.first_group(invocation, picker, &groups).await;
            }
            let named = Some(name).filter(|name| *name != "true" && *name != "default");
            let Some(merge) = self.mergers.named(named) else {
                let known = self.mergers.names().join(", ");
                let message =
                    format!("there is no merger `{name}` for the results of several groups; known are: {known}");
                return Err(RpcError::new(RpcErrorCode::Validation, message).calling(invocation));
            };
            self.every_group(invocation, picker, &groups, &*merge).await
        })
    }
}

impl Mergers for NoMergers {
    fn named(&self, _: Option<&str>) -> Option<Arc<dyn Merge>> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}
