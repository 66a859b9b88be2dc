//! The rig for tests against real peers: it starts the server under test (Orana or the Apache ZooKeeper it is measured
//! against), builds and runs peer programs in Java, Go and Python, and keeps what they said for when a test fails.
//! It does not know what any single scenario proves; that is said in `tests/`.

pub mod asks;
pub mod differential;
pub mod disks;
pub mod drill;
pub mod dubbo;
pub mod durability;
pub mod governance;
pub mod live_rules;
pub mod malformed;
pub mod peer;
pub mod place;
pub mod ports;
pub mod process;
pub mod program;
pub mod pulse;
pub mod raw;
pub mod sdk;
pub mod sdk_drill;
pub mod seats;
pub mod served;
pub mod stage;
pub mod strangers;
pub mod subject;
pub mod trace;
pub mod tree;
pub mod vitals;
pub mod wire;

pub use drill::{Drill, drill};
pub use peer::Peer;
pub use program::{Go, Java, Program, Python};
pub use subject::{Product, Setup, Subject};
pub use tree::Tree;
