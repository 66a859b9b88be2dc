//! What somebody may have meant who named a service that is not there. Decides only; asks no registry.

use orana_core::ServiceKey;

/// So many names are said at most.
const SAID: usize = 5;

/// Words for the caller who asked for `asked`, where `known` are there: other groups and versions of the interface, else the
/// interface that is most like it. `None` if nothing is like it.
pub(crate) fn hint(asked: &ServiceKey, known: &[ServiceKey]) -> Option<String> {
    let same: Vec<&ServiceKey> = known
        .iter()
        .filter(|known| known.interface() == asked.interface())
        .collect();
    if !same.is_empty() {
        return Some(format!("there is {}", named(&same)));
    }
    let (_, nearest) = known
        .iter()
        .filter_map(|known| Some((distance(asked.interface(), known.interface())?, known)))
        .min()?;
    let all: Vec<&ServiceKey> = known
        .iter()
        .filter(|known| known.interface() == nearest.interface())
        .collect();
    Some(format!("the nearest known one is {}", named(&all)))
}

fn named(keys: &[&ServiceKey]) -> String {
    let mut names: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    names.sort();
    names.dedup();
    let more = names.len().saturating_sub(SAID);
    names.truncate(SAID);
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Longer names are of nobody, and would take long to compare.
const LONGEST: usize = 500;

/// How far a name is from one that is known; none if it cannot have been meant. One without its package is near.
fn distance(asked: &str, known: &str) -> Option<usize> {
    if asked.len().max(known.len()) > LONGEST {
        return None;
    }
    let (asked, known) = (asked.to_ascii_lowercase(), known.to_ascii_lowercase());
    let simple = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    if simple(&asked) == simple(&known) {
        return Some(0);
    }
    let whole = strsim::damerau_levenshtein(&asked, &known);
    let last = strsim::damerau_levenshtein(&simple(&asked), &simple(&known));
    let distance = if asked.contains('.') { whole } else { last };
    // A third of the letters may be wrong of the name itself, whatever the package is.
    (distance * 3 <= simple(&known).len().max(3)).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(asked: &str, known: &[&str]) -> Option<String> {
        let known: Vec<_> = known.iter().map(|name| ServiceKey::parse(name)).collect();
        hint(&ServiceKey::parse(asked), &known)
    }

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let known = ["org.example.Greeter:1.0", "org.example.GreeterAdmin", "org.shop.Orders"];
        let greeter = Some("the nearest known one is `org.example.Greeter:1.0`".to_owned());
        for slip in [
            "org.example.Greter",
            "org.example.greeter",
            "org.exmaple.Greeter",
            "Greeter",
            "Greetre",
            "com.example.Greeter",
        ] {
            assert_eq!(said(slip, &known), greeter, "{slip}");
        }
        assert_eq!(said("org.other.Payments", &known), None);
        assert_eq!(said("org.example.Greeter", &[]), None);
        assert_eq!(said("org.example.Greeter", &[&"x".repeat(1_000_000)]), None);
    }

    #[test]
    fn an_interface_that_is_there_in_other_versions_is_said_to_be() {
        let known = ["org.Shop:1.0", "blue/org.Shop:2.0", "org.Shops"];
        assert_eq!(
            said("org.Shop:3.0", &known).unwrap(),
            "there is `blue/org.Shop:2.0`, `org.Shop:1.0`"
        );
        let many: Vec<String> = (0..9).map(|number| format!("org.Shop:{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(said("org.Shop:x", &many).unwrap().ends_with("`org.Shop:4` and 4 more"));
    }
}
