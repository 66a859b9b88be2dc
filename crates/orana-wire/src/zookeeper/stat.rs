//! What is known of a node besides its data, in the order the wire has it.

use super::record::record;

record! {
    /// Numbers, times and sizes of one node.
    #[derive(Default, Hash)]
    pub struct Stat {
        /// Transaction that created the node.
        pub czxid: i64,
        /// Transaction that last wrote its data.
        pub mzxid: i64,
        /// When it was created, in milliseconds since 1970.
        pub ctime: i64,
        /// When its data was last written.
        pub mtime: i64,
        /// How often its data was written since it was created.
        pub version: i32,
        /// How many children were created and deleted.
        pub cversion: i32,
        /// How often its ACL was set.
        pub aversion: i32,
        /// The session that owns it, 0 if none does.
        pub ephemeral_owner: i64,
        /// Bytes of data; 0 for empty and for null.
        pub data_length: i32,
        /// Number of children.
        pub num_children: i32,
        /// Transaction that last created or deleted a child.
        pub pzxid: i64,
    }
}

impl Stat {
    /// Bytes on the wire.
    pub const LEN: usize = 68;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zookeeper::record::Record;

    #[test]
    fn its_size_is_the_sum_of_its_fields() {
        assert_eq!(Stat::MIN_LEN, Stat::LEN);
    }
}
