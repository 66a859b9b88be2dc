//! Blocks of a state cut into pieces that the store takes, and joined again. The first byte of a piece says
//! whether more of the same block follows.

use crate::store::BLOCK_BYTES;

const MORE: u8 = 1;
const LAST: u8 = 0;

/// The pieces of a block, each no longer than the store takes.
pub(crate) fn split(block: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let pieces = block.chunks(BLOCK_BYTES - 1);
    let count = pieces.len();
    pieces.enumerate().map(move |(at, piece)| {
        let mut framed = Vec::with_capacity(piece.len() + 1);
        framed.push(if at + 1 == count { LAST } else { MORE });
        framed.extend_from_slice(piece);
        framed
    })
}

/// The blocks again. A block whose end is missing is given out as far as it goes; whoever decodes it notices.
pub(crate) struct Joined<I>(pub(crate) I);

impl<I: Iterator<Item = Vec<u8>>> Iterator for Joined<I> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut block: Option<Vec<u8>> = None;
        for piece in self.0.by_ref() {
            let (head, body) = piece.split_first().unwrap_or((&LAST, &[]));
            block.get_or_insert_with(Vec::new).extend_from_slice(body);
            if *head == LAST {
                break;
            }
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_any_size_come_back_as_they_were() {
        let blocks: Vec<Vec<u8>> = [1, BLOCK_BYTES - 1, BLOCK_BYTES, 3 * BLOCK_BYTES + 7]
            .map(|size| vec![7; size])
            .to_vec();
        let pieces: Vec<_> = blocks.iter().flat_map(|block| split(block)).collect();
        assert!(pieces.iter().all(|piece| piece.len() <= BLOCK_BYTES));
        assert_eq!(Joined(pieces.into_iter()).collect::<Vec<_>>(), blocks);
    }
}
