//! A snapshot, a replay and a clone are as good as the original.

use orana_state::{Applied, State};
use proptest::prelude::*;

use crate::compare;
use crate::script::{Script, scripts};
use crate::steer::History;

fn restored(state: &State) -> State {
    let blocks: Vec<_> = state.encode().collect();
    let restored = State::decode(&blocks).expect("its own snapshot");
    let again: Vec<_> = restored.encode().collect();
    assert!(blocks == again, "a restored state is written as the same bytes");
    restored
}

fn told(applied: &Applied) -> Vec<crate::naive::Told> {
    applied.changes.iter().map(compare::telling).collect()
}

fn run(history: &mut History, state: &mut State, script: &Script) {
    for steps in script {
        let expected = history.go(steps);
        state.apply(&expected.entry);
    }
}

proptest! {
    #![proptest_config(crate::cases(96))]

    #[test]
    fn a_restored_state_and_the_original_stay_equal_under_further_commands(
        before in scripts(60),
        after in scripts(30),
    ) {
        let (mut history, mut original) = (History::new(), State::new());
        run(&mut history, &mut original, &before);
        let mut copy = restored(&original);
        prop_assert_eq!(copy.digest(), original.digest());
        compare::all(&copy, &history.model, history.entries.len() as u64);
        for steps in &after {
            let expected = history.go(steps);
            let (one, other) = (original.apply(&expected.entry), copy.apply(&expected.entry));
            prop_assert_eq!(&one.outcomes, &other.outcomes);
            prop_assert_eq!(told(&one), told(&other));
            prop_assert_eq!(copy.digest(), original.digest());
        }
        restored(&copy);
    }

    #[test]
    fn the_same_entries_make_the_same_state(script in scripts(60)) {
        let (mut history, mut state) = (History::new(), State::new());
        run(&mut history, &mut state, &script);
        let mut replayed = State::new();
        for entry in &history.entries {
            replayed.apply(entry);
        }
        prop_assert_eq!(replayed.digest(), state.digest());
    }

    #[test]
    fn a_clone_does_not_see_later_writes_and_they_do_not_see_its_own(
        before in scripts(40),
        here in scripts(30),
        there in scripts(30),
    ) {
        let (mut history, mut state) = (History::new(), State::new());
        run(&mut history, &mut state, &before);
        let seen = state.digest();
        let kept = state.clone();
        let mut other = state.clone();
        run(&mut history, &mut state, &here);
        prop_assert_eq!(kept.digest(), seen);
        let went_on = state.digest();
        // Another future of the same past; its entries begin anew from what the clone holds.
        let mut parallel = History::new();
        run(&mut parallel, &mut State::new(), &before);
        run(&mut parallel, &mut other, &there);
        compare::all(&other, &parallel.model, parallel.entries.len() as u64);
        compare::all(&state, &history.model, history.entries.len() as u64);
        prop_assert_eq!(state.digest(), went_on);
        prop_assert_eq!(kept.digest(), seen);
    }
}
