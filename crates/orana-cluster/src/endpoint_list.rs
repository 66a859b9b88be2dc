//! One version of the list of endpoints: immutable, with everything that is worth computing once per version.

use std::borrow::Cow;
use std::sync::Arc;

use ahash::{HashMap, HashMapExt};
use orana_core::Invocation;

use crate::aspect::Aspect;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// The endpoints at one moment, in the order in which the registry listed them.
#[derive(Debug, Default)]
pub struct EndpointList {
    endpoints: Box<[Arc<Endpoint>]>,
    by_method: ByMethod,
    /// How many of those can be used that the registry listed, the unreachable ones included.
    listed: usize,
    /// How many the registry listed, those included that rules disable or that are not understood.
    registered: usize,
}

/// Which endpoints serve a method, if they do not all serve the same.
#[derive(Debug, Default)]
struct ByMethod {
    lists: HashMap<Box<str>, Box<[u32]>>,
    /// Whether some provider lists entries `method.argument`.
    with_arguments: bool,
}

impl EndpointList {
    /// A list of `endpoints`, out of `listed` that the registry knows.
    pub fn new(endpoints: Vec<Arc<Endpoint>>, listed: usize) -> EndpointList {
        EndpointList {
            by_method: ByMethod::of(&endpoints),
            endpoints: endpoints.into(),
            listed,
            registered: listed,
        }
    }

    /// The same, out of `registered` entries of the registry.
    pub fn out_of(mut self, registered: usize) -> EndpointList {
        self.registered = registered;
        self
    }

    /// All endpoints.
    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.endpoints
    }

    /// How many providers the registry listed, those included that are disabled by a rule or that nobody here understands.
    pub fn registered(&self) -> usize {
        self.registered
    }

    /// How many of them can be used; those that cannot be reached are no endpoints.
    pub fn listed(&self) -> usize {
        self.listed
    }

    /// Writes down what of a call beyond its method decides whom [`EndpointList::candidates`] gives.
    pub(crate) fn aspect(&self, invocation: &Invocation, aspect: &mut Aspect) {
        if self.by_method.with_arguments {
            let argument = self.by_method.of_argument(invocation);
            aspect.text(argument.as_ref().map(|(argument, _)| &**argument));
        }
    }

    /// Those that serve the method of `invocation`: the ones that name `method.firstArgument` among their methods if there are any,
    /// else the ones that name the method, else all (`RegistryDirectory.doList` of 2.6).
    pub fn candidates(&self, invocation: &Invocation) -> Candidates<'_> {
        match self.by_method.find(invocation) {
            Some(indices) => Candidates::some(self, indices),
            None => Candidates::all(self),
        }
    }
}

impl ByMethod {
    fn of(endpoints: &[Arc<Endpoint>]) -> ByMethod {
        let methods = |endpoint: &Arc<Endpoint>| endpoint.url().parameter("methods").map(Box::<str>::from);
        let mut distinct = endpoints.iter().map(methods);
        let first = distinct.next().flatten();
        let dotted = |methods: &Option<Box<str>>| methods.as_deref().is_some_and(|methods| methods.contains('.'));
        if distinct.all(|other| other == first) && !dotted(&first) {
            return ByMethod::default();
        }
        let mut lists: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        let mut of_all = Vec::new();
        for (index, endpoint) in (0..).zip(endpoints) {
            match endpoint.url().parameter("methods") {
                Some(methods) if !methods.split(',').any(|method| method.trim() == "*") => {
                    for method in methods.split(',').map(str::trim).filter(|method| !method.is_empty()) {
                        lists.entry(method.into()).or_default().push(index);
                    }
                }
                // Whoever does not say, or is generic, serves every method.
                _ => of_all.push(index),
            }
        }
        let with_arguments = lists.keys().any(|method| method.contains('.'));
        let lists = lists
            .into_iter()
            .map(|(method, mut indices)| {
                if !method.contains('.') {
                    indices.extend(&of_all);
                    indices.sort_unstable();
                }
                indices.dedup();
                (method, indices.into())
            })
            .collect();
        ByMethod { lists, with_arguments }
    }

    fn find(&self, invocation: &Invocation) -> Option<&[u32]> {
        if self.lists.is_empty() {
            return None;
        }
        if let Some((_, indices)) = self.of_argument(invocation) {
            return Some(indices);
        }
        self.lists.get(&*invocation.called_name()).map(|indices| &**indices)
    }

    /// The first argument, and who claims it, if somebody does.
    fn of_argument<'a>(&self, invocation: &'a Invocation) -> Option<(Cow<'a, str>, &[u32])> {
        // The first argument of a generic call is the method's name and none of the method's arguments.
        if !self.with_arguments || invocation.is_generic() {
            return None;
        }
        let argument = invocation.argument_text(0)?;
        let indices = self.lists.get(&*format!("{}.{argument}", invocation.method_name()))?;
        Some((argument, indices))
    }
}

#[cfg(test)]
mod tests {
    use orana_core::{Encoded, Method, ServiceKey};

    use super::*;
    use crate::endpoint::tests::endpoint;

    fn call(method: &str, argument: Option<&'static str>) -> Invocation {
        let method = Method::new(ServiceKey::new("i", None, None), method, "");
        let arguments = match argument {
            Some(argument) => Encoded::new(argument.into(), 1, |bytes, index| {
                let text = std::str::from_utf8(bytes).ok()?;
                (index == 0).then_some(Cow::Borrowed(text))
            }),
            None => Encoded::none(),
        };
        Invocation::new(method.into(), arguments)
    }

    fn ports(candidates: &Candidates<'_>) -> Vec<u16> {
        candidates
            .iter()
            .map(|endpoint| endpoint.url().port().unwrap())
            .collect()
    }

    #[test]
    fn a_call_goes_to_those_that_name_its_method() {
        let list = EndpointList::new(
            vec![
                endpoint("dubbo://h:1/i?methods=say,hear"),
                endpoint("dubbo://h:2/i?methods=say"),
                endpoint("dubbo://h:3/i?methods=*"),
                endpoint("dubbo://h:4/i"),
            ],
            4,
        );
        assert_eq!(ports(&list.candidates(&call("say", None))), [1, 2, 3, 4]);
        assert_eq!(ports(&list.candidates(&call("hear", None))), [1, 3, 4]);
        assert_eq!(ports(&list.candidates(&call("unheard", None))), [1, 2, 3, 4]);
    }

    #[test]
    fn a_provider_can_claim_one_value_of_the_first_argument() {
        let list = EndpointList::new(
            vec![
                endpoint("dubbo://h:1/i?methods=say,say.red"),
                endpoint("dubbo://h:2/i?methods=say"),
            ],
            2,
        );
        assert_eq!(ports(&list.candidates(&call("say", Some("red")))), [1]);
        assert_eq!(ports(&list.candidates(&call("say", Some("blue")))), [1, 2]);
        assert_eq!(ports(&list.candidates(&call("say", None))), [1, 2]);
    }

    #[test]
    fn a_generic_call_goes_to_those_that_name_the_method_that_is_meant() {
        let list = EndpointList::new(
            vec![
                endpoint("dubbo://h:1/i?methods=say,$invoke.say"),
                endpoint("dubbo://h:2/i?methods=say,hear"),
            ],
            2,
        );
        assert_eq!(ports(&list.candidates(&call("$invoke", Some("hear")))), [2]);
        assert_eq!(ports(&list.candidates(&call("$invoke", Some("say")))), [1, 2]);
    }

    #[test]
    fn endpoints_that_serve_the_same_need_no_map() {
        let list = EndpointList::new(
            vec![
                endpoint("dubbo://h:1/i?methods=say"),
                endpoint("dubbo://h:2/i?methods=say"),
            ],
            2,
        );
        assert!(list.by_method.lists.is_empty());
        assert_eq!(ports(&list.candidates(&call("unheard", None))), [1, 2]);
    }
}
