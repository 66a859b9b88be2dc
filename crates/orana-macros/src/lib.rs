//! What the compiler can write for the user. Knows nothing of the run time but the paths of what it mentions.

mod case;
mod derive_hessian;
mod service;

use proc_macro::TokenStream;

/// Makes a Dubbo service of a trait whose methods are `async fn name(&self, …) -> orana::Result<…>`: `GreeterClient`, which
/// implements the trait by calls of whoever provides it, and `GreeterService`, which serves an implementation.
///
/// On the trait: `interface = "org.example.Greeter"`, the Java interface, must be said; `group` and `version` may be;
/// `crate = "path"` is where the crate `orana` is, by default `::orana`.
///
/// On a method, all of them optional: `#[method(…)]` with
///
/// | setting | what it says |
/// |---|---|
/// | `name = "sayHello"` | how Java spells the name; otherwise `say_hello` is `sayHello`. Overloads are methods of one name |
/// | `returns = "java.util.Set"` | what Java declares as the result, if not what the Rust type is by itself |
/// | `one_way` | callers want no answer; they get null, or nothing, as soon as the request has been taken to be sent |
/// | `blocking` | it computes for long or waits without giving its thread away (a file, a lock, a driver that is not asynchronous): its calls are begun on threads for such work from the first one on. Others are found out by their first calls, which hold up what else their thread looks after |
///
/// On a parameter: `#[java("java.lang.Integer")]`, what Java declares it as.
#[proc_macro_attribute]
pub fn service(arguments: TokenStream, item: TokenStream) -> TokenStream {
    service::expand(arguments.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Gives a struct or an enum its form in Hessian: `ToHessian`, `FromHessian`, and what belongs to them.
///
/// | declaration | Java |
/// |---|---|
/// | a struct with a class | an object; fields are found by name, unknown ones are skipped |
/// | a struct without a class | a parent: its fields become those of the struct that flattens it |
/// | a tuple struct of one field | what the field is |
/// | an enum with a class, all of whose variants are plain | a Java enum |
/// | an enum without a class, each of whose variants holds a type with one | one of these classes, by its name |
///
/// On the type: `class = "org.example.Order"`; `declared = "org.example.Shape"`, what an enum of classes is called where
/// a Java method has one as its parameter, otherwise `java.lang.Object`; `rename_all = "camelCase"`, also `PascalCase`, `snake_case`,
/// `SCREAMING_SNAKE_CASE`, `lowercase`, `UPPERCASE`; `write_only`, for a type that borrows what it holds and is never
/// read; `crate = "path"`, where the run time's module `hessian` is, by default `::orana_wire::hessian`.
///
/// On a field: `rename = "x"`; `default`, which stands for null and for a field that the sender does not have (an
/// `Option` needs no such permission); `skip`, for what Java does not have; `flatten`, for a parent.
///
/// On a variant: `rename = "X"`; `other`, which takes whatever no other variant is: without a field or with one
/// `String` in a Java enum, with one field, for instance a `Value`, in an enum of classes.
///
/// An exception is a struct that flattens `hessian::java::Exception`. Nothing is ever made because a stream names its
/// class: a class that no declaration expects is an error, or, in a `Value`, data.
///
/// ```
/// use orana_macros::Hessian;
/// use orana_wire::hessian::{Value, from_bytes, to_bytes, to_value};
///
/// #[derive(Debug, PartialEq, Hessian)]
/// #[hessian(rename_all = "camelCase")]
/// struct Entity {
///     id: i64,
///     created_by: Option<String>,
/// }
///
/// #[derive(Debug, PartialEq, Hessian)]
/// #[hessian(class = "org.example.Status", rename_all = "SCREAMING_SNAKE_CASE")]
/// enum Status {
///     Open,
///     InDelivery,
/// }
///
/// #[derive(Debug, PartialEq, Hessian)]
/// #[hessian(class = "org.example.Order", rename_all = "camelCase")]
/// struct Order {
///     #[hessian(flatten)]
///     entity: Entity,
///     order_status: Status,
///     #[hessian(default)]
///     lines: Vec<String>,
/// }
///
/// let entity = Entity { id: 7, created_by: None };
/// let order = Order { entity, order_status: Status::InDelivery, lines: vec!["tea".into()] };
/// let value = to_value(&order)?;
/// assert_eq!(value.get("createdBy"), Some(&Value::Null));
/// assert_eq!(value.get("orderStatus").and_then(|status| status.get("name")), Some(&"IN_DELIVERY".into()));
/// assert_eq!(from_bytes::<Order>(&to_bytes(&order)?)?, order);
/// # Ok::<(), orana_wire::hessian::ConvertError>(())
/// ```
#[proc_macro_derive(Hessian, attributes(hessian))]
pub fn hessian(input: TokenStream) -> TokenStream {
    derive_hessian::expand(input.into(), "::orana_wire::hessian").into()
}

/// As [`Hessian`](macro@Hessian), for those who know the run time as part of the crate `orana`, which exports this under
/// that name.
#[proc_macro_derive(HessianOfOrana, attributes(hessian))]
pub fn hessian_of_orana(input: TokenStream) -> TokenStream {
    derive_hessian::expand(input.into(), "::orana::hessian").into()
}
