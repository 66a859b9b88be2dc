//! The centre's faces: the ZooKeeper front-end, the admin API, metrics.
//!
//! Knows protocols and the door to a member ([`orana_node`]); does not know how a member keeps or orders anything.

pub mod config;
