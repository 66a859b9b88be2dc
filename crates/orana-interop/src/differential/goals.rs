//! What has to occur: every operation with every error that it can end with, every event with every sort of watch that
//! it can be due to. Found by letting the original answer, and kept complete by hand.

use orana_wire::zookeeper::EventKind;

use super::coverage::Goal;

const ANSWERS: &[(&str, &str)] = &[
    ("create", CREATE),
    ("create2", CREATE),
    ("createContainer", CREATE),
    ("createTTL", CREATE),
    (
        "delete",
        "OK BADARGUMENTS BADVERSION MARSHALLINGERROR NOAUTH NONODE NOTEMPTY",
    ),
    ("exists", "OK BADARGUMENTS MARSHALLINGERROR NONODE"),
    ("getData", READ),
    ("getACL", READ),
    ("getChildren", READ),
    ("getChildren2", READ),
    ("getAllChildrenNumber", READ),
    ("setData", "OK BADARGUMENTS BADVERSION MARSHALLINGERROR NOAUTH NONODE"),
    (
        "setACL",
        "OK BADARGUMENTS BADVERSION INVALIDACL MARSHALLINGERROR NOAUTH NONODE",
    ),
    ("sync", "OK MARSHALLINGERROR"),
    ("getEphemerals", "OK MARSHALLINGERROR"),
    ("checkWatches", "OK MARSHALLINGERROR NOWATCHER"),
    ("removeWatches", "OK MARSHALLINGERROR NOWATCHER"),
    ("addWatch", "OK MARSHALLINGERROR"),
    ("setWatches", "OK MARSHALLINGERROR"),
    ("setWatches2", "OK MARSHALLINGERROR"),
    ("multi", "OK MARSHALLINGERROR"),
    ("multi:create", CREATE_PART),
    ("multi:create2", CREATE_PART),
    ("multi:createContainer", CREATE_PART),
    ("multi:createTTL", CREATE_PART),
    (
        "multi:delete",
        "OK BADARGUMENTS BADVERSION NOAUTH NONODE NOTEMPTY RUNTIMEINCONSISTENCY",
    ),
    (
        "multi:setData",
        "OK BADARGUMENTS BADVERSION NOAUTH NONODE RUNTIMEINCONSISTENCY",
    ),
    (
        "multi:check",
        "OK BADARGUMENTS BADVERSION NOAUTH NONODE RUNTIMEINCONSISTENCY",
    ),
    ("multiRead", "OK MARSHALLINGERROR"),
    ("multi:getData", "OK NOAUTH NONODE"),
    ("multi:getChildren", "OK NOAUTH NONODE"),
    ("auth", "OK AUTHFAILED"),
    ("reconfig", "RECONFIGDISABLED MARSHALLINGERROR"),
    ("sasl", "OK"),
    ("whoAmI", "OK"),
    ("ping", "OK"),
    ("closeSession", "OK"),
    ("unknown", "UNIMPLEMENTED"),
];

const CREATE: &str = "OK BADARGUMENTS INVALIDACL MARSHALLINGERROR NOAUTH NOCHILDRENFOREPHEMERALS NODEEXISTS NONODE";
const CREATE_PART: &str =
    "OK BADARGUMENTS INVALIDACL NOAUTH NOCHILDRENFOREPHEMERALS NODEEXISTS NONODE RUNTIMEINCONSISTENCY";
const READ: &str = "OK MARSHALLINGERROR NOAUTH NONODE";

const EVENTS: &[(EventKind, &[&str])] = &[
    (
        EventKind::NodeCreated,
        &["exist", "persistent", "recursive", "catching up"],
    ),
    (
        EventKind::NodeDeleted,
        &["data", "child", "persistent", "recursive", "catching up"],
    ),
    (
        EventKind::NodeDataChanged,
        &["data", "persistent", "recursive", "catching up"],
    ),
    (EventKind::NodeChildrenChanged, &["child", "persistent", "catching up"]),
];

/// Everything that has to occur.
pub fn all() -> Vec<Goal> {
    let answers = ANSWERS
        .iter()
        .flat_map(|(op, codes)| codes.split(' ').map(|code| Goal::Answer(op, code.to_owned())));
    let events = EVENTS
        .iter()
        .flat_map(|(kind, sorts)| sorts.iter().map(|sort| Goal::Event(*kind, sort)));
    answers.chain(events).collect()
}
