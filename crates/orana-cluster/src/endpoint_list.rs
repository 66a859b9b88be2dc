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
    /// Methods that are served by the same endpoints share their list.
    lists: HashMap<Box<str>, Arc<[u32]>>,
    /// Whether some provider lists entries `method.argument`.
    with_arguments: bool,
}

/// Endpoints that name the same methods.
struct Group<'e> {
    methods: &'e Arc<str>,
    members: Vec<u32>,
}

/// So many groups are looked through before their text is.
const FEW_GROUPS: usize = 4;

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
        let first = endpoints.first().and_then(|endpoint| endpoint.methods());
        let dotted = first.is_some_and(|methods| methods.contains('.'));
        if !dotted && endpoints.iter().all(|endpoint| is_same(endpoint.methods(), first)) {
            return ByMethod::default();
        }
        let mut of_all = Vec::new();
        let mut groups: Vec<Group<'_>> = Vec::new();
        let mut by_text: HashMap<&str, usize> = HashMap::new();
        for (index, endpoint) in (0..).zip(endpoints) {
            let Some(methods) = endpoint.methods() else {
                // Whoever does not say serves every method.
                of_all.push(index);
                continue;
            };
            let mut recent = groups.iter_mut().take(FEW_GROUPS);
            if let Some(group) = recent.find(|group| Arc::ptr_eq(group.methods, methods)) {
                group.members.push(index);
            } else if methods.split(',').any(|method| method.trim() == "*") {
                // So does who is generic.
                of_all.push(index);
            } else {
                let number = *by_text.entry(methods).or_insert(groups.len());
                match groups.get_mut(number) {
                    Some(group) => group.members.push(index),
                    None => groups.push(Group {
                        methods,
                        members: vec![index],
                    }),
                }
            }
        }
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, group) in groups.iter().enumerate() {
            for method in group
                .methods
                .split(',')
                .map(str::trim)
                .filter(|method| !method.is_empty())
            {
                let numbers = named.entry(method).or_default();
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
        }
        // Most methods are named by the same groups as the one before.
        let mut made: HashMap<(Vec<usize>, bool), Arc<[u32]>> = HashMap::new();
        let with_arguments = named.keys().any(|method| method.contains('.'));
        let list = |(method, numbers): (&str, Vec<usize>)| {
            let plain = !method.contains('.');
            let list = made.entry((numbers, plain)).or_insert_with_key(|(numbers, plain)| {
                let named = numbers.iter().filter_map(|number| groups.get(*number));
                let mut indices: Vec<u32> = named.flat_map(|group| &group.members).copied().collect();
                if *plain {
                    indices.extend(&of_all);
                }
                indices.sort_unstable();
                indices.into()
            });
            (method.into(), Arc::clone(list))
        };
        ByMethod {
            lists: named.into_iter().map(list).collect(),
            with_arguments,
        }
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

/// Whether two providers name the same methods; at once for those of one directory.
fn is_same(one: Option<&Arc<str>>, other: Option<&Arc<str>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
        (None, None) => true,
        _ => false,
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
