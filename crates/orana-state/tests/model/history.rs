//! Whatever is asked in whatever order, the state answers as the model does.

use std::collections::BTreeMap;

use orana_state::{Action, Effect, Outcome, State, Write};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::compare;
use crate::script::scripts;
use crate::steer::History;

proptest! {
    #![proptest_config(crate::cases(160))]

    #[test]
    fn every_outcome_every_change_and_the_whole_tree_are_those_of_the_model(script in scripts(60)) {
        let (mut history, mut state) = (History::new(), State::new());
        for steps in &script {
            let expected = history.go(steps);
            compare::apply(&mut state, &expected);
            compare::all(&state, &history.model, expected.entry.index);
        }
    }
}

#[test]
fn a_long_history_with_a_large_tree_agrees_with_the_model() {
    let mut runner = TestRunner::deterministic();
    let (mut history, mut state) = (History::new(), State::new());
    for _ in 0..12 {
        let script = scripts(80).new_tree(&mut runner).expect("a script").current();
        for steps in &script {
            let expected = history.go(steps);
            compare::apply(&mut state, &expected);
        }
        compare::all(&state, &history.model, history.entries.len() as u64);
    }
}

/// What the scripts bring about; without this, agreement could mean that nothing happened.
#[test]
fn the_scripts_bring_about_every_effect_and_every_refusal() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let (mut deepest, mut widest, mut most) = (0, 0, 0);
    for _ in 0..160 {
        let script = scripts(60).new_tree(&mut runner).expect("a script").current();
        let mut history = History::new();
        for steps in &script {
            let expected = history.go(steps);
            for (command, outcome) in expected.entry.commands.iter().zip(&expected.outcomes) {
                tally(&mut seen, &command.action, outcome);
            }
            let nodes = &history.model.nodes;
            deepest = nodes
                .keys()
                .map(|path| path.matches('/').count())
                .max()
                .unwrap_or(0)
                .max(deepest);
            most = nodes.len().max(most);
            widest = nodes
                .keys()
                .map(|path| history.model.children(path).len())
                .max()
                .unwrap_or(0)
                .max(widest);
        }
    }
    let wanted = "
        Grant Ok, Revoke Ok, Revoke LeaseGone, Reap Ok, Reap NoNode, Reap NotEmpty, Refuse Malformed,
        Create Ok, Create NoNode, Create NodeExists, Create NoAuth, Create NoChildrenForEphemerals,
        Create InvalidAcl, Create BadArguments, Create LeaseGone,
        Delete Ok, Delete NoNode, Delete NotEmpty, Delete BadVersion, Delete NoAuth, Delete BadArguments,
        SetData Ok, SetData NoNode, SetData BadVersion, SetData NoAuth, SetData BadArguments,
        SetAcl Ok, SetAcl NoNode, SetAcl BadVersion, SetAcl NoAuth, SetAcl InvalidAcl, SetAcl BadArguments,
        Check Ok, Check NoNode, Check BadVersion, Check NoAuth, Check BadArguments,
        Multi Ok, Multi refused, Multi LeaseGone";
    for pair in wanted.split(',').map(str::trim) {
        let times = seen.get(pair).copied().unwrap_or(0);
        assert!(times >= 5, "{pair}: {times} times; all: {seen:#?}");
    }
    assert!(
        deepest >= 20 && widest >= 60 && most >= 120,
        "{deepest} deep, {widest} wide, {most} nodes"
    );
}

fn tally(seen: &mut BTreeMap<String, u32>, action: &Action, outcome: &Outcome) {
    let mut count = |what: &str, result: Result<(), String>| {
        let result = result.map_or_else(|refusal| refusal, |()| "Ok".into());
        *seen.entry(format!("{what} {result}")).or_default() += 1;
    };
    let result = outcome.result.as_ref().map_err(|refusal| format!("{refusal:?}"));
    match (action, result) {
        (Action::Multi(writes), Ok(Effect::Multi(results))) => {
            let refused = results.iter().any(Result::is_err);
            count("Multi", if refused { Err("refused".into()) } else { Ok(()) });
            for (write, result) in writes.iter().zip(results) {
                count(
                    name(write),
                    result.as_ref().map(drop).map_err(|refusal| format!("{refusal:?}")),
                );
            }
        }
        (Action::Multi(_), result) => count("Multi", result.map(drop)),
        (Action::Write(write), result) => count(name(write), result.map(drop)),
        (Action::Grant { .. }, result) => count("Grant", result.map(drop)),
        (Action::Revoke(_), result) => count("Revoke", result.map(drop)),
        (Action::Reap(_), result) => count("Reap", result.map(drop)),
        (Action::Refuse(_), result) => count("Refuse", result.map(drop)),
    }
}

fn name(write: &Write) -> &'static str {
    match write {
        Write::Create { .. } => "Create",
        Write::Delete { .. } => "Delete",
        Write::SetData { .. } => "SetData",
        Write::SetAcl { .. } => "SetAcl",
        Write::Check { .. } => "Check",
        Write::Refuse(_) => "Refuse",
    }
}
