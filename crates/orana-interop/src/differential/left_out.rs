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
    ("addWatch and setWatches of a null path", "the connection never ends"),
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
    /// Whether this is it: what the original showed, what we showed.
    pub is: fn(&Seen, &Seen) -> bool,
}

/// Every place where we mean to differ.
pub const DELIBERATE: &[Deliberate] = &[];

/// Whether two things seen are the same, or differ as they should.
pub fn agree(original: &Seen, ours: &Seen) -> bool {
    original == ours || DELIBERATE.iter().any(|place| (place.is)(original, ours))
}
