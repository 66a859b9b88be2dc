//! How probable each candidate is if two are drawn and one of them is taken.

use super::draw::by_weight;
use crate::call::Call;
use crate::candidates::Candidates;

/// With more candidates than this nobody is told: every pair has to be looked at.
const MOST: usize = 2_048;

/// If the first is drawn by weight and the second from the others by weight, and the first is taken with probability
/// `first_taken(first, second)`. `None` if there are too many to say.
pub(super) fn shares_by_weight(
    call: &Call<'_>,
    candidates: &Candidates<'_>,
    first_taken: impl Fn(usize, usize) -> Option<f64>,
) -> Option<Vec<f64>> {
    let weights = (candidates.len() <= MOST).then(|| by_weight(call, candidates.iter()))?;
    shares(&weights, first_taken)
}

/// The same if both are drawn evenly.
pub(super) fn shares_evenly(
    candidates: &Candidates<'_>,
    first_taken: impl Fn(usize, usize) -> Option<f64>,
) -> Option<Vec<f64>> {
    let count = candidates.len();
    let weights = (count <= MOST).then(|| vec![1.0 / count as f64; count])?;
    shares(&weights, first_taken)
}

fn shares(weights: &[f64], first_taken: impl Fn(usize, usize) -> Option<f64>) -> Option<Vec<f64>> {
    let mut shares = vec![0.0; weights.len()];
    let drawn = weights.iter().filter(|weight| **weight > 0.0).count();
    for (first, own) in weights.iter().enumerate().filter(|(_, own)| **own > 0.0) {
        let others = 1.0 - own;
        if drawn == 1 {
            *shares.get_mut(first)? = 1.0;
            continue;
        }
        for (second, other) in weights.iter().enumerate() {
            if second == first || *other <= 0.0 {
                continue;
            }
            let pair = own * other / others;
            let taken = first_taken(first, second)?;
            *shares.get_mut(first)? += pair * taken;
            *shares.get_mut(second)? += pair * (1.0 - taken);
        }
    }
    Some(shares)
}
