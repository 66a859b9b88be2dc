//! Comparisons of texts that a rule spells out, made ready once (`StringMatch`).
//!
//! A regular expression is matched in time linear in the text, whatever it says, and may take a bounded amount of memory, so that one from
//! outside can do no harm. What it cannot say for that reason (looking around, back references) is a problem that is told, and matches
//! nothing.

use std::sync::Arc;

use orana_core::rule::TextMatch;
use regex::{Regex, RegexBuilder};

/// The most that a regular expression may take once it is made ready, in bytes; also for the notes it takes while it matches.
const REGEX_BYTES: usize = 256 * 1024;

/// A comparison that is ready.
#[derive(Clone, Debug)]
pub(crate) enum TextPattern {
    /// The same text.
    Exact(Arc<str>),
    /// Begins with it.
    Prefix(Arc<str>),
    /// The whole text matches.
    Regex(Box<Regex>),
    /// Is there, be it empty.
    Present,
    /// Is absent or empty.
    Empty,
    /// Is there and not empty.
    NotEmpty,
    /// Cannot be read, for this reason; nothing matches.
    Unreadable(Arc<str>),
}

impl TextPattern {
    /// Makes `rule` ready.
    pub(crate) fn new(rule: &TextMatch) -> TextPattern {
        match rule {
            TextMatch::Exact(text) => TextPattern::Exact(Arc::clone(text)),
            TextMatch::Prefix(text) => TextPattern::Prefix(Arc::clone(text)),
            TextMatch::Regex(text) => match whole(text) {
                Ok(regex) => TextPattern::Regex(Box::new(regex)),
                Err(reason) => TextPattern::Unreadable(format!("regular expression `{text}`: {reason}").into()),
            },
            TextMatch::Wildcard(text) if &**text == "*" => TextPattern::Present,
            TextMatch::Wildcard(text) => TextPattern::Exact(Arc::clone(text)),
            TextMatch::Empty => TextPattern::Empty,
            TextMatch::NotEmpty => TextPattern::NotEmpty,
        }
    }

    /// Whether `text`, or that there is none, is what is asked for.
    pub(crate) fn matches(&self, text: Option<&str>) -> bool {
        match (self, text) {
            (TextPattern::Exact(wanted), Some(text)) => **wanted == *text,
            (TextPattern::Prefix(prefix), Some(text)) => text.starts_with(&**prefix),
            (TextPattern::Regex(regex), Some(text)) => regex.is_match(text),
            (TextPattern::Present, text) => text.is_some(),
            (TextPattern::Empty, text) => text.is_none_or(str::is_empty),
            (TextPattern::NotEmpty, text) => text.is_some_and(|text| !text.is_empty()),
            (TextPattern::Unreadable(_), _) | (_, None) => false,
        }
    }

    /// Why nothing can match.
    pub(crate) fn problem(&self) -> Option<&str> {
        match self {
            TextPattern::Unreadable(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Whether `text` is as `pattern` says, in which the last `*` stands for anything; the two ends may overlap. Nothing is only like nothing,
/// or like a lone `*` (`UrlUtils.isMatchGlobPattern`).
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    if pattern.is_empty() || text.is_empty() {
        return pattern.is_empty() && text.is_empty();
    }
    match pattern.rsplit_once('*') {
        Some((beginning, end)) => text.starts_with(beginning) && text.ends_with(end),
        None => pattern == text,
    }
}

fn whole(pattern: &str) -> Result<Regex, String> {
    // By itself first: `a)(b` becomes an expression only by what is put around it.
    built(pattern)?;
    built(&format!(r"\A(?:{pattern})\z"))
}

fn built(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .nest_limit(64)
        .build()
        .map_err(|error| {
            // A syntax error is drawn on several lines, what it is stands on the last one.
            let text = error.to_string();
            let reason = text
                .lines()
                .rfind(|line| !line.trim().is_empty())
                .unwrap_or_default()
                .trim();
            reason.strip_prefix("error: ").unwrap_or(reason).to_owned()
        })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn matches(rule: TextMatch, text: &str) -> bool {
        TextPattern::new(&rule).matches(Some(text))
    }

    fn regex(pattern: &str) -> TextMatch {
        TextMatch::Regex(pattern.into())
    }

    #[test]
    fn each_comparison_means_what_it_is_called() {
        assert!(matches(TextMatch::Exact("ab".into()), "ab") && !matches(TextMatch::Exact("ab".into()), "abc"));
        assert!(matches(TextMatch::Prefix("ab".into()), "abc") && !matches(TextMatch::Prefix("ab".into()), "xab"));
        assert!(matches(TextMatch::Wildcard("*".into()), "") && matches(TextMatch::Wildcard("a".into()), "a"));
        // Only a lone star is one.
        assert!(!matches(TextMatch::Wildcard("a*".into()), "ab") && matches(TextMatch::Wildcard("a*".into()), "a*"));
        assert!(matches(TextMatch::Empty, "") && !matches(TextMatch::Empty, "a"));
        assert!(matches(TextMatch::NotEmpty, "a") && !matches(TextMatch::NotEmpty, ""));
    }

    #[test]
    fn only_emptiness_holds_for_what_is_absent() {
        let absent = |rule| TextPattern::new(&rule).matches(None);
        assert!(absent(TextMatch::Empty));
        for rule in [
            TextMatch::Exact("".into()),
            TextMatch::Prefix("".into()),
            TextMatch::Wildcard("*".into()),
            TextMatch::NotEmpty,
            regex(".*"),
        ] {
            assert!(!absent(rule.clone()), "{rule:?}");
        }
    }

    #[test]
    fn a_regular_expression_is_about_the_whole_text() {
        assert!(matches(regex("a|ab"), "ab") && matches(regex("ab.*"), "abc"));
        assert!(!matches(regex("b"), "abc") && !matches(regex("a|b"), "ab") && !matches(regex("a"), "a\n"));
        assert!(matches(regex("^(?i)shop-[0-9]+$"), "SHOP-12"));
    }

    #[test]
    fn only_the_last_star_of_a_pattern_is_one() {
        for (pattern, text, holds) in [
            ("*", "", true),
            ("find*", "findAll", true),
            ("find*", "refindAll", false),
            ("*All", "findAll", true),
            ("*:20880", "10.0.0.1:20880", true),
            ("get*All", "getAll", true),
            ("get*All", "getNone", false),
            ("aa*aa", "aaa", true),
            ("a*b*", "axb", false),
            ("a*b*", "a*bc", true),
            ("192.168.*", "192.168.3.4", true),
            ("a", "a", true),
            ("a", "A", false),
            ("", "", true),
            ("", "a", false),
            ("a", "", false),
            ("a*", "", false),
        ] {
            assert_eq!(glob(pattern, text), holds, "{pattern} on {text}");
        }
    }

    #[test]
    fn what_is_no_regular_expression_matches_nothing_and_says_why() {
        for text in ["(", "a)(b", "*", r"(?=a)a", r"(a)\1", "[z-a]", r"\p{Nobody}"] {
            let pattern = TextPattern::new(&regex(text));
            let problem = pattern.problem().unwrap_or_else(|| panic!("`{text}` was read"));
            assert!(problem.contains(text) && problem.len() > text.len() + 25, "{problem}");
            assert!(!problem.contains('\n'), "{problem}");
            assert!(!pattern.matches(Some("a")) && !pattern.matches(None));
        }
        assert_eq!(TextPattern::new(&regex("a+")).problem(), None);
    }

    #[test]
    fn an_expression_that_grows_too_large_is_refused_at_once() {
        let begun = Instant::now();
        for text in [
            "(((a{100}){100}){100}){100}",
            r"\w{1000}{1000}",
            &format!("{}a{}", "(".repeat(400), ")".repeat(400)),
        ] {
            assert!(TextPattern::new(&regex(text)).problem().is_some(), "{text}");
        }
        assert!(begun.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn an_expression_that_explodes_elsewhere_takes_no_time() {
        let long = "a".repeat(10_000) + "!";
        let begun = Instant::now();
        for text in ["(a+)+", "(a*)*b", "(a|aa)+", "(.*a){10}x"] {
            assert!(!matches(regex(text), &long), "{text}");
        }
        assert!(begun.elapsed() < Duration::from_secs(5));
    }

    proptest! {
        #[test]
        fn any_expression_is_read_or_refused(text in "[a-c()*+?|\\[\\]{}0-9^$.\\\\-]{0,30}", input in "[a-c]{0,10}") {
            TextPattern::new(&regex(&text)).matches(Some(&input));
        }
    }
}
