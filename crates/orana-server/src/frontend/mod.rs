//! The protocols that the centre speaks. Each face translates its nouns to commands and queries and sees a
//! [`orana_node::Centre`] and nothing else. A new face is one folder and one row here.

pub mod zookeeper;
