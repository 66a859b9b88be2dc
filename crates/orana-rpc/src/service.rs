//! What a program offers: a service with methods that are called by number.
//!
//! Written by the attribute `#[orana::service]` for typed services, or by hand for those that take whatever comes. Knows
//! nothing of how a call arrives.

use std::borrow::Cow;

use orana_core::{BoxFuture, Encoded, Reply, RpcError};
use orana_wire::dubbo::Descriptor;

/// A service that a program implements.
pub trait Service: Send + Sync + 'static {
    /// What it is called and which methods it has. The same at every call.
    fn definition(&self) -> &ServiceDefinition;

    /// Performs the method with that index in [`ServiceDefinition::methods`].
    ///
    /// An error is thrown at the caller: [`RpcError::thrown`] as an exception of that Java class, one with the code `Business` as a
    /// `java.lang.RuntimeException`, any other as `org.apache.dubbo.rpc.RpcException` with its code. Arguments that do not fit are told by the error of
    /// [`decode_arguments`](crate::decode_arguments); then the call counts as not performed.
    fn call<'a>(&'a self, method: usize, arguments: &'a Encoded) -> BoxFuture<'a, Result<Reply, RpcError>>;
}

/// An interface: its name and its methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceDefinition {
    /// The Java interface, for instance `org.example.Greeter`.
    pub interface: Cow<'static, str>,
    /// The group that it belongs to unless its export says another.
    pub group: Option<Cow<'static, str>>,
    /// The version that it has unless its export says another.
    pub version: Option<Cow<'static, str>>,
    /// In the order of their numbers. Overloads share a name and differ in their parameters.
    pub methods: Vec<MethodDefinition>,
}

/// A method of an interface, as Java declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodDefinition {
    /// The name, as Java spells it.
    pub name: Cow<'static, str>,
    /// The parameter types in the notation of the JVM, joined: `Ljava/lang/String;I`.
    pub descriptor: Box<str>,
    /// The parameter types in Java's notation: `java.lang.String`, `int`, `long[]`.
    pub parameters: Vec<Cow<'static, str>>,
    /// The type of the result in Java's notation; `void` if there is none.
    pub returns: Cow<'static, str>,
    /// Whether callers want no answer.
    pub one_way: bool,
    /// Whether it is known to run long without a pause.
    pub blocking: bool,
}

impl ServiceDefinition {
    /// An interface with these methods.
    pub fn new(interface: impl Into<Cow<'static, str>>, methods: Vec<MethodDefinition>) -> ServiceDefinition {
        ServiceDefinition {
            interface: interface.into(),
            group: None,
            version: None,
            methods,
        }
    }

    /// The same in that group.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<Cow<'static, str>>) -> ServiceDefinition {
        self.group = Some(group.into());
        self
    }

    /// The same of that version.
    #[must_use]
    pub fn of_version(mut self, version: impl Into<Cow<'static, str>>) -> ServiceDefinition {
        self.version = Some(version.into());
        self
    }
}

impl MethodDefinition {
    /// A method that is answered; types in Java's notation.
    pub fn new<P: Into<Cow<'static, str>>>(
        name: impl Into<Cow<'static, str>>,
        parameters: impl IntoIterator<Item = P>,
        returns: impl Into<Cow<'static, str>>,
    ) -> MethodDefinition {
        let parameters: Vec<Cow<'static, str>> = parameters.into_iter().map(Into::into).collect();
        MethodDefinition {
            name: name.into(),
            descriptor: Descriptor::of_java_names(&parameters).as_str().into(),
            parameters,
            returns: returns.into(),
            one_way: false,
            blocking: false,
        }
    }

    /// The same method, whose callers want no answer.
    #[must_use]
    pub fn one_way(mut self) -> MethodDefinition {
        self.one_way = true;
        self
    }

    /// The same method, which computes for long or waits without giving its thread away (a file, a lock, a driver that is not
    /// asynchronous): its calls are begun on threads for such work from the first one on. Others are found out by their first
    /// calls, which hold up what else their thread looks after.
    #[must_use]
    pub fn blocking(mut self) -> MethodDefinition {
        self.blocking = true;
        self
    }
}
