//! The bytes around each stored value: a checksum of our own and the number the value was stored under. The checksum is
//! started with the directory's number, so that a value from another directory does not pass.

/// Checksum (4) and number (8) in front of each value.
pub(super) const HEAD_BYTES: usize = 12;

/// Puts the head in front of `payload`.
pub(super) fn seal(directory: u64, number: u64, payload: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(HEAD_BYTES + payload.len());
    framed.extend_from_slice(&checksum(directory, number, payload).to_le_bytes());
    framed.extend_from_slice(&number.to_le_bytes());
    framed.extend_from_slice(payload);
    framed
}

/// What is wrong with a stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Shorter than its head.
    Short,
    /// Stored under another number.
    Number(u64),
    /// The checksum disagrees.
    Checksum,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Short => f.write_str("a value that is cut short"),
            Self::Number(number) => write!(f, "a value that calls itself number {number}"),
            Self::Checksum => f.write_str("a value whose checksum is wrong"),
        }
    }
}

/// The number a value says it has, unchecked.
pub(super) fn claimed_number(framed: &[u8]) -> Option<u64> {
    let (_, rest) = framed.split_first_chunk::<4>()?;
    rest.first_chunk().map(|number| u64::from_le_bytes(*number))
}

/// Checks a value that was stored under `number` and returns its payload.
pub(super) fn open(directory: u64, number: u64, framed: &[u8]) -> Result<&[u8], Fault> {
    let (expected, rest) = framed.split_first_chunk::<4>().ok_or(Fault::Short)?;
    let (claimed, payload) = rest.split_first_chunk::<8>().ok_or(Fault::Short)?;
    let claimed = u64::from_le_bytes(*claimed);
    if checksum(directory, claimed, payload) != u32::from_le_bytes(*expected) {
        return Err(Fault::Checksum);
    }
    if claimed != number {
        return Err(Fault::Number(claimed));
    }
    Ok(payload)
}

fn checksum(directory: u64, number: u64, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&directory.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}
