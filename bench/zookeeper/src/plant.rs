//! Puts persistent nodes into a server before something is measured.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use orana_interop::raw::{Incoming, PATIENCE, RawClient};
use orana_wire::zookeeper::{Acl, ErrorCode, Request, request::Create};

use crate::connection::SESSION_MS;

/// How many creates are under way at once.
const WINDOW: usize = 64;

/// Creates the nodes and their ancestors, all with `data`; those that are there already stay as they are.
pub(crate) fn nodes(port: u16, paths: &[String], data: &[u8]) -> Result<()> {
    let mut ancestors = BTreeSet::new();
    for path in paths {
        for (end, _) in path.match_indices('/').filter(|(end, _)| *end > 0) {
            ancestors.insert(&path[..end]);
        }
    }
    let mut client = RawClient::connect(port, SESSION_MS)?;
    // In this order every parent comes before its children.
    create(&mut client, ancestors.into_iter(), b"")?;
    create(&mut client, paths.iter().map(String::as_str), data)?;
    client.close().context("cannot close the session")
}

/// A create of a node with an open ACL.
pub(crate) fn request<'a>(path: &'a str, data: &'a [u8], flags: i32) -> Request<'a> {
    Request::Create(Create {
        path: Some(path.into()),
        data: Some(data),
        acl: Some(vec![Acl::open()]),
        flags,
        ttl: None,
    })
}

fn create<'a>(client: &mut RawClient, paths: impl Iterator<Item = &'a str>, data: &[u8]) -> Result<()> {
    let mut waiting = 0;
    for path in paths {
        client.queue(&request(path, data, 0));
        waiting += 1;
        if waiting == WINDOW {
            client.flush()?;
            settle(client, waiting)?;
            waiting = 0;
        }
    }
    client.flush()?;
    settle(client, waiting)
}

fn settle(client: &mut RawClient, count: usize) -> Result<()> {
    for _ in 0..count {
        let Incoming::Reply(answer) = client.receive(PATIENCE)? else {
            continue;
        };
        let err = answer.header.err;
        ensure!(
            err == 0 || err == ErrorCode::NodeExists.as_i32(),
            "a create was answered with error {err}"
        );
    }
    Ok(())
}
