//! How much one stream of values may cost its reader.

/// What a decoder refuses to go beyond, whatever the bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Containers within containers.
    pub depth: usize,
    /// Bytes of the stack that readers of nested types may take by calling themselves. A type with many fields takes
    /// much of it at each level.
    pub stack: usize,
    /// Values, field names and type names.
    pub values: usize,
    /// Lists, maps and objects: each costs far more memory than the byte it may take.
    pub containers: usize,
    /// Bytes read.
    pub bytes: usize,
}

impl Limits {
    /// Fits every message of the default payload limit that was not built to hurt. What is read a second time because
    /// a reference points to it counts a second time, so references to references do not multiply beyond these.
    pub const DEFAULT: Limits = Limits {
        depth: 200,
        stack: 3 << 19,
        values: 8 << 20,
        containers: 1 << 20,
        bytes: 64 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}
