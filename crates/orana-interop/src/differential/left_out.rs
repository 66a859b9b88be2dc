//! What is not asked of the two servers, and where we mean to answer otherwise. Both lists are printed with the
//! coverage, so that nobody takes the run for more than it is.

use super::seen::Seen;

/// Inputs that are never sent, and why.
pub const NOT_SENT: &[(&str, &str)] = &[
    (
        "createTTL with flags other than 5 and 6",
        "3.8.0 ends, and again at every start (a negative time to live)",
    ),
    (
        "create, create2 with flags 4 to 6; createContainer with others than 4",
        "3.8.0 mixes the kinds up; we answer BADARGUMENTS",
    ),
    (
        "addWatch and persistent setWatches2 of a null path",
        "the connection never ends",
    ),
    (
        "check outside a multi",
        "3.8.0 does not answer and cannot start again; current releases do not know it",
    ),
    (
        "deleteContainer, createSession from a client",
        "internal to servers; we refuse them",
    ),
    (
        "one-shot and persistent watches of one connection on one path",
        "3.8.0 loses the persistent one; we keep both, as 3.9 does",
    ),
    (
        "removeWatches of kinds 4 and 5; 1 and 2 on a persistent watch",
        "new in 3.9; 3.8.0 halves the persistent watch",
    ),
    (
        "resuming with a wrong password while the session is connected",
        "3.8.0 closes the living connection first; we do not",
    ),
    (
        "setACL in a burst",
        "the original checks what follows against the list of before, or not, as it happens",
    ),
    (
        "auth and sasl in a burst",
        "the original answers them before what was sent earlier",
    ),
    (
        "setData and setACL of the server's own nodes",
        "would change them for the episodes that follow",
    ),
    (
        "more connections than one that write at the same time",
        "their order is not determined",
    ),
];

/// A place where we mean to differ from 3.8.0, and why.
pub struct Deliberate {
    /// What differs.
    pub what: &'static str,
    /// Why ours is right.
    pub why: &'static str,
    /// Whether the two go different ways afterwards, so that the episode ends there.
    pub parts: bool,
    /// Whether this is it: what the original showed, what we showed.
    pub is: fn(&Seen, &Seen) -> bool,
}

/// Every place where we mean to differ.
pub const DELIBERATE: &[Deliberate] = &[
    Deliberate {
        what: "the result of create2, createContainer and createTTL in a multi has a stat",
        why: "3.8.0 forgets it; mended in 3.8.2 and 3.9.0",
        parts: false,
        is: is_stat_in_multi,
    },
    Deliberate {
        what: "exists needs READ",
        why: "without it anybody learns of every node (CVE-2024-23944); so since 3.8.4 and 3.9.2",
        parts: true,
        is: |original, ours| answered(original, "exists", "OK") && answered(ours, "exists", "NOAUTH"),
    },
    Deliberate {
        what: "checkWatches asks for the connection's own watches",
        why: "3.8.0 also says yes when only somebody else watches the path",
        parts: false,
        is: |original, ours| answered(original, "checkWatches", "OK") && answered(ours, "checkWatches", "NOWATCHER"),
    },
    Deliberate {
        what: "a multi with a null path takes a number and shows it",
        why: "3.8.0 takes one, too, but shows it with the next write only",
        parts: true,
        is: |original, ours| {
            let refused = |seen: &Seen| answered(seen, "multi", "MARSHALLINGERROR");
            let body = |seen: &Seen| {
                if let Seen::Answer { body, .. } = seen {
                    body.clone()
                } else {
                    String::new()
                }
            };
            refused(original) && refused(ours) && body(original) == body(ours) && !body(ours).is_empty()
        },
    },
    Deliberate {
        what: "sync gives a path with characters above U+FFFF back as it came",
        why: "3.8.0 spells them as two surrogates, which is no UTF-8; such a path names no node",
        parts: false,
        is: |original, ours| {
            let spelled =
                |seen: &Seen| matches!(seen, Seen::Answer { body, .. } if body.chars().any(|c| c > '\u{ffff}'));
            answered(original, "sync", "OK") && answered(ours, "sync", "OK") && spelled(ours)
        },
    },
];

fn answered(seen: &Seen, asked: &str, with: &str) -> bool {
    matches!(seen, Seen::Answer { op, code, .. } if *op == asked && code == with)
}

/// Equal but for stats behind paths of created nodes.
fn is_stat_in_multi(original: &Seen, ours: &Seen) -> bool {
    let (Seen::Answer { op, body, .. }, Seen::Answer { body: our_body, .. }) = (original, ours) else {
        return false;
    };
    let mut without_stats = original.clone();
    if let Seen::Answer { body, .. } = &mut without_stats {
        body.clone_from(our_body);
    }
    let results = || body.split(" | ").zip(our_body.split(" | "));
    let same = |(theirs, our): (&str, &str)| {
        let stat = our.strip_prefix(theirs).filter(|_| theirs.starts_with("created "));
        theirs == our || stat.is_some_and(|stat| stat.starts_with(" {"))
    };
    *op == "multi"
        && without_stats == *ours
        && body.split(" | ").count() == our_body.split(" | ").count()
        && results().all(same)
}

/// How two things seen relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The same, or different as it should be.
    Agree,
    /// Different as it should be, and from here on each goes its way.
    Part,
    /// Different.
    Differ,
}

/// Compares two things seen.
pub fn compare(original: &Seen, ours: &Seen) -> Verdict {
    if original == ours {
        return Verdict::Agree;
    }
    match DELIBERATE.iter().find(|place| (place.is)(original, ours)) {
        Some(place) if place.parts => Verdict::Part,
        Some(_) => Verdict::Agree,
        None => Verdict::Differ,
    }
}
