//! What a change means to those who watch. The kinds and their rules are ZooKeeper's (`DataTree`, `WatchManager` of 3.9).
//!
//! ```text
//!  change of P (parent Q)   data, persistent of P   child of P   recursive of P and above   child, persistent of Q
//!  created                  NodeCreated P                        NodeCreated P              ChildrenChanged Q
//!  deleted                  NodeDeleted P           NodeDeleted P NodeDeleted P             ChildrenChanged Q
//!  data set                 NodeDataChanged P                    NodeDataChanged P
//! ```

use std::time::Instant;

use orana_state::{Change, ChangeKind, path};

use super::table::Table;
use super::windows::Windows;
use super::{Event, EventKind, WatchKind};
use crate::wakes::Wakes;

/// Tells everybody who watches of one change.
pub(super) fn dispatch(table: &mut Table, windows: &mut Windows, change: &Change, now: Instant, wakes: &mut Wakes) {
    let path = &*change.path;
    let parent = path::parent(path);
    let structural = change.kind != ChangeKind::DataSet;
    let hold_until = if structural {
        windows.hold_until(parent, table.watched(parent, WatchKind::Child), now)
    } else {
        None
    };
    let kind = match change.kind {
        ChangeKind::Created => EventKind::Created,
        ChangeKind::Deleted => EventKind::Deleted,
        ChangeKind::DataSet => EventKind::DataChanged,
    };
    let mut told = table.fire(path, WatchKind::Data);
    table.add(&mut told, path, WatchKind::Persistent);
    if table.is_recursive() {
        let mut above = path;
        loop {
            table.add(&mut told, above, WatchKind::Recursive);
            if above == "/" {
                break;
            }
            above = path::parent(above);
        }
    }
    if change.kind == ChangeKind::Deleted {
        // One NodeDeleted for a connection that watches both the data and the children.
        let children = table.fire(path, WatchKind::Child);
        told.extend(children);
    }
    told.sort_unstable();
    told.dedup();
    let event = Event {
        zxid: change.zxid,
        kind,
        path,
        acl: change.acl.as_ref(),
        hold_until: None,
    };
    table.tell(&told, &event, wakes);
    if structural && path != "/" {
        let once = table.fire(parent, WatchKind::Child);
        let mut always = Vec::new();
        table.add(&mut always, parent, WatchKind::Persistent);
        let kind = EventKind::ChildrenChanged;
        let event = Event {
            kind,
            path: parent,
            acl: change.parent_acl.as_ref(),
            ..event
        };
        if always.is_empty() {
            table.tell(&once, &Event { hold_until, ..event }, wakes);
        } else {
            // Only one-shot watches may be joined: a persistent one counts every change.
            let once: Vec<u32> = once.into_iter().filter(|number| !always.contains(number)).collect();
            table.tell(&always, &event, wakes);
            table.tell(&once, &Event { hold_until, ..event }, wakes);
        }
    }
}
