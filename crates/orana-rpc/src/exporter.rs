//! The services of one port, found by group, interface and version.
//!
//! Knows nothing of connections; who serves them asks here.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ahash::AHashMap;
use orana_core::{Invoker, Method, RpcError, RpcErrorCode, ServiceKey, ServiceUrl};
use parking_lot::RwLock;

use crate::pace::Pace;
use crate::service::ServiceDefinition;

/// What is exported (`org.apache.dubbo.rpc.Exporter`, and the map of them that `DubboProtocol` holds). Clones are the same.
#[derive(Clone, Default)]
pub struct Exporter(Arc<Table>);

#[derive(Default)]
struct Table {
    exports: RwLock<AHashMap<ServiceKey, Arc<Export>>>,
    /// Grows with every change, so that who remembers an export knows when to ask again.
    changes: AtomicU64,
}

/// A service that can be called until this is dropped.
#[must_use = "a service is withdrawn when this is dropped"]
pub struct Exported {
    exporter: Exporter,
    key: ServiceKey,
}

/// A service that is exported.
#[derive(Clone)]
pub(crate) struct Export {
    pub(crate) definition: Arc<ServiceDefinition>,
    /// With the filters before it.
    pub(crate) invoker: Arc<dyn Invoker>,
    /// As the definition has them.
    pub(crate) methods: Arc<[Arc<Method>]>,
    /// One for each method. What was learnt of them outlives the invoker.
    paces: Arc<[Pace]>,
    /// Its `token` parameter: what a caller must show.
    pub(crate) token: Option<Box<str>>,
}

/// Why nothing can be called under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// Nothing of that path is exported, in no group and no version.
    Path,
    /// Only in another group or version.
    GroupOrVersion,
}

impl Exporter {
    /// Makes `invoker`, usually a [`LocalInvoker`](crate::LocalInvoker) behind filters, callable under the path, group and
    /// version of its URL, or those of the definition where the URL says none. Fails if something else has that place.
    pub fn export(&self, definition: ServiceDefinition, invoker: Arc<dyn Invoker>) -> Result<Exported, RpcError> {
        let url = invoker.url().clone();
        let path = url
            .path()
            .filter(|path| !path.is_empty())
            .unwrap_or(&definition.interface);
        let group = url.parameter("group").or(definition.group.as_deref());
        let version = url.parameter("version").or(definition.version.as_deref());
        let key = key(path, group, version);
        let service = Arc::new(ServiceKey::new(&definition.interface, key.group(), key.version()));
        let methods = definition
            .methods
            .iter()
            .map(|method| Arc::new(Method::new(Arc::clone(&service), &method.name, &method.descriptor)))
            .collect();
        let export = Arc::new(Export {
            methods,
            paces: definition
                .methods
                .iter()
                .map(|method| Pace::new(method.blocking))
                .collect(),
            token: token(&url),
            definition: Arc::new(definition),
            invoker,
        });
        let mut exports = self.0.exports.write();
        if exports.contains_key(&key) {
            let message = "a service of that name is exported on this port already; give it a group or a version";
            return Err(RpcError::new(RpcErrorCode::Unknown, message).about(&key));
        }
        exports.insert(key.clone(), export);
        self.0.changes.fetch_add(1, Ordering::Release);
        drop(exports);
        Ok(Exported {
            exporter: self.clone(),
            key,
        })
    }

    /// The names under which services can be called, sorted.
    pub fn keys(&self) -> Vec<ServiceKey> {
        let mut keys: Vec<ServiceKey> = self.0.exports.read().keys().cloned().collect();
        keys.sort();
        keys
    }

    /// What is exported under that name; version `0.0.0`, empty or `*` is none.
    pub(crate) fn find(&self, path: &str, group: Option<&str>, version: Option<&str>) -> Result<Arc<Export>, Absent> {
        let exports = self.0.exports.read();
        if let Some(export) = exports.get(&key(path, group, version)) {
            return Ok(Arc::clone(export));
        }
        match exports.keys().any(|known| known.interface() == path) {
            true => Err(Absent::GroupOrVersion),
            false => Err(Absent::Path),
        }
    }

    /// Another number after every change.
    pub(crate) fn changes(&self) -> u64 {
        self.0.changes.load(Ordering::Acquire)
    }
}

impl Export {
    /// What is known of how long that method runs.
    pub(crate) fn pace(&self, method: usize) -> Option<&Pace> {
        self.paces.get(method)
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Export({})", self.definition.interface)
    }
}

fn key(path: &str, group: Option<&str>, version: Option<&str>) -> ServiceKey {
    let said = |version: &&str| !matches!(*version, "" | "0.0.0" | "*");
    ServiceKey::new(path, group.filter(|group| *group != "*"), version.filter(said))
}

/// What a caller must show.
fn token(url: &ServiceUrl) -> Option<Box<str>> {
    url.parameter("token").filter(|token| !token.is_empty()).map(Box::from)
}

impl Exported {
    /// Under which name the service can be called.
    pub fn key(&self) -> &ServiceKey {
        &self.key
    }

    /// Puts `invoker` and the token of its URL in the place of what was exported (the second half of `RegistryProtocol.reExport`). The name and
    /// the definition stay. Whatever call comes from now on goes to it, also over connections that are open; calls under way are finished where
    /// they began.
    pub fn replace(&self, invoker: Arc<dyn Invoker>) {
        let table = &self.exporter.0;
        let mut exports = table.exports.write();
        if let Some(export) = exports.get_mut(&self.key) {
            *export = Arc::new(Export {
                token: token(invoker.url()),
                invoker,
                ..Export::clone(export)
            });
            table.changes.fetch_add(1, Ordering::Release);
        }
    }
}

/// Withdraws the service. Calls of it that are under way are finished.
impl Drop for Exported {
    fn drop(&mut self) {
        self.exporter.0.exports.write().remove(&self.key);
        self.exporter.0.changes.fetch_add(1, Ordering::Release);
    }
}

impl fmt::Debug for Exported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exported({})", self.key)
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use orana_core::{BoxFuture, Invocation, Reply};

    use super::*;
    use crate::service::MethodDefinition;

    struct Named(ServiceUrl);

    impl Invoker for Named {
        fn url(&self) -> &ServiceUrl {
            &self.0
        }

        fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
            Box::pin(async { Ok(Reply::null()) })
        }
    }

    fn invoker(parameters: &str) -> Arc<dyn Invoker> {
        let url = format!("dubbo://h:1/demo.Hi?group=g&{parameters}");
        Arc::new(Named(ServiceUrl::parse(&url).unwrap()))
    }

    #[test]
    fn what_replaces_an_invoker_is_found_in_its_place_with_its_token_and_who_held_the_old_one_keeps_it() {
        let definition = ServiceDefinition::new("demo.Hi", vec![MethodDefinition::new("say", ["int"], "void")]);
        let exporter = Exporter::default();
        let exported = exporter.export(definition, invoker("token=old&weight=1")).unwrap();
        let old = exporter.find("demo.Hi", Some("g"), None).unwrap();
        let before = exporter.changes();

        exported.replace(invoker("weight=2"));
        let new = exporter.find("demo.Hi", Some("g"), None).unwrap();
        assert_eq!(new.invoker.url().parameter("weight"), Some("2"));
        assert_eq!(new.token, None);
        assert_ne!(exporter.changes(), before);
        assert!(Arc::ptr_eq(&old.paces, &new.paces) && Arc::ptr_eq(&old.methods, &new.methods));
        assert_eq!(
            (old.invoker.url().parameter("weight"), old.token.as_deref()),
            (Some("1"), Some("old"))
        );

        drop(exported);
        assert!(exporter.find("demo.Hi", Some("g"), None).is_err() && exporter.keys().is_empty());
    }
}
