//! Cuts a script down to the shortest that still shows a difference: first whole runs of steps, then single requests
//! out of bursts.

use anyhow::Result;

use super::script::Step;

/// The shortest script found for which `differs` still says yes.
pub fn shortest(mut steps: Vec<Step>, mut differs: impl FnMut(&[Step]) -> Result<bool>) -> Result<Vec<Step>> {
    let mut length = steps.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < steps.len() {
            let mut shorter = steps.clone();
            shorter.drain(at..(at + length).min(steps.len()));
            if differs(&shorter)? {
                steps = shorter;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    for at in 0..steps.len() {
        let mut position = 0;
        while let Step::Ask { slot, asks } = &steps[at] {
            if asks.len() < 2 || position == asks.len() {
                break;
            }
            let mut fewer = asks.clone();
            fewer.remove(position);
            let mut shorter = steps.clone();
            shorter[at] = Step::Ask {
                slot: *slot,
                asks: fewer,
            };
            if differs(&shorter)? {
                steps = shorter;
            } else {
                position += 1;
            }
        }
    }
    Ok(steps)
}
