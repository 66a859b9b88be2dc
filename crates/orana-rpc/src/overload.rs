//! Which of the methods of one name is meant.
//!
//! Java says the exact parameter types. A consumer that derives them from the values it has (dubbo-go) may say others; then
//! their number decides, and if that is not enough, which values fit which parameters.

use orana_core::Encoded;
use orana_wire::hessian::{Decoder, Kind};

use crate::service::ServiceDefinition;

/// What a name and a descriptor lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// This method.
    One(usize),
    /// The arguments have to be looked at.
    Several,
    /// No method.
    None,
}

/// The method with exactly these parameter types, else the only one with so many.
pub(crate) fn by_descriptor(definition: &ServiceDefinition, name: &str, descriptor: &str, count: usize) -> Found {
    let methods = &definition.methods;
    let exact = methods
        .iter()
        .position(|method| *method.name == *name && *method.descriptor == *descriptor);
    if let Some(exact) = exact {
        return Found::One(exact);
    }
    let alike = |method: &crate::MethodDefinition| *method.name == *name && method.parameters.len() == count;
    let mut numbers = methods.iter().enumerate().filter(|(_, method)| alike(method));
    match (numbers.next(), numbers.next()) {
        (Some((method, _)), None) => Found::One(method),
        (Some(_), Some(_)) => Found::Several,
        (None, _) => Found::None,
    }
}

/// Among the methods of that name the one whose parameters fit the arguments best; the first of equals.
pub(crate) fn by_arguments(definition: &ServiceDefinition, name: &str, arguments: &Encoded) -> Option<usize> {
    let mut best: Option<(u32, usize)> = None;
    for (number, method) in definition.methods.iter().enumerate() {
        if *method.name != *name || method.parameters.len() != arguments.count() {
            continue;
        }
        let fit = fit_all(arguments, &method.parameters);
        if let Some(fit) = fit
            && best.is_none_or(|(known, _)| fit > known)
        {
            best = Some((fit, number));
        }
    }
    best.map(|(_, number)| number)
}

fn fit_all(arguments: &Encoded, parameters: &[std::borrow::Cow<'static, str>]) -> Option<u32> {
    let mut input = Decoder::new(arguments.bytes());
    let mut sum = 0;
    for parameter in parameters {
        let class = input.peek_type().ok()?.map(|class| class.to_string());
        sum += fit(input.peek().ok()?, class.as_deref(), parameter)?;
        input.skip().ok()?;
    }
    Some(sum)
}

/// How well a value fits a parameter: 2 exactly, 1 somehow.
fn fit(kind: Kind, class: Option<&str>, parameter: &str) -> Option<u32> {
    if parameter == "java.lang.Object" {
        return Some(1);
    }
    let is = |exact: &[&str], somehow: &[&str]| match () {
        () if exact.contains(&parameter) => Some(2),
        () if somehow.contains(&parameter) => Some(1),
        () => None,
    };
    let primitive = !parameter.contains('.') && !parameter.ends_with("[]");
    let array = parameter.ends_with("[]");
    let plain = primitive || array || parameter.starts_with("java.lang.");
    match kind {
        Kind::Null => (!primitive).then_some(1),
        Kind::Bool => is(&["boolean", "java.lang.Boolean"], &[]),
        Kind::Int => is(
            &["int", "java.lang.Integer"],
            &[
                "short",
                "java.lang.Short",
                "byte",
                "java.lang.Byte",
                "long",
                "java.lang.Long",
                "java.lang.Number",
            ],
        ),
        Kind::Long => is(&["long", "java.lang.Long"], &["java.lang.Number"]),
        Kind::Double => is(
            &["double", "java.lang.Double"],
            &["float", "java.lang.Float", "java.lang.Number"],
        ),
        Kind::Date => is(&["java.util.Date"], &[]),
        Kind::Text => is(
            &["java.lang.String"],
            &["char", "java.lang.Character", "java.lang.CharSequence"],
        ),
        Kind::Binary => is(&["byte[]"], &[]),
        Kind::List if array => Some(2),
        Kind::List => (!plain && parameter.starts_with("java.util.") && !parameter.ends_with("Map")).then_some(2),
        Kind::Map if parameter.starts_with("java.util.") => parameter.ends_with("Map").then_some(2),
        Kind::Map | Kind::Object | Kind::Reference if class == Some(parameter) => Some(2),
        Kind::Map | Kind::Object | Kind::Reference => (!plain).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MethodDefinition, encode_arguments};

    fn shop() -> ServiceDefinition {
        let methods = [
            vec!["int"],
            vec!["long"],
            vec!["java.lang.String"],
            vec!["java.util.List"],
            vec!["org.example.Order"],
            vec!["int", "int"],
        ];
        let methods = methods.map(|parameters| MethodDefinition::new("buy", parameters, "void"));
        ServiceDefinition::new("Shop", methods.into())
    }

    #[test]
    fn exact_types_win_and_else_the_number_of_parameters() {
        let shop = shop();
        assert_eq!(by_descriptor(&shop, "buy", "J", 1), Found::One(1));
        assert_eq!(by_descriptor(&shop, "buy", "JJ", 2), Found::One(5));
        assert_eq!(by_descriptor(&shop, "buy", "Ljava/lang/Long;", 1), Found::Several);
        assert_eq!(by_descriptor(&shop, "buy", "", 0), Found::None);
        assert_eq!(by_descriptor(&shop, "sell", "I", 1), Found::None);
    }

    #[test]
    fn arguments_find_the_overload_that_they_fit() {
        let by = |push: fn(&mut crate::ArgumentEncoder<'_, '_>) -> _| {
            by_arguments(&shop(), "buy", &encode_arguments(push).unwrap())
        };
        assert_eq!(by(|arguments| arguments.push(&1_i32)), Some(0));
        assert_eq!(by(|arguments| arguments.push(&1_i64)), Some(1));
        assert_eq!(by(|arguments| arguments.push("x")), Some(2));
        assert_eq!(by(|arguments| arguments.push(&vec!["x"])), Some(3));
        assert_eq!(by(|arguments| arguments.push(&true)), None);
        let map = std::collections::BTreeMap::from([("item", 1)]);
        assert_eq!(
            by_arguments(&shop(), "buy", &encode_arguments(|a| a.push(&map)).unwrap()),
            Some(4)
        );
    }
}
