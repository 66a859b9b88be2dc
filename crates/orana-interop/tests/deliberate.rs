//! Where the differential run must not ask the original, or expects another answer on purpose: Orana's own behaviour.
//! It runs against Orana whatever `SUBJECT` says, because the original fails here, and some of it for good.

use std::time::Duration;

use anyhow::{Result, ensure};
use orana_interop::{
    Drill, Product, Setup, drill,
    raw::{Event, Incoming, Opening, RawClient, RawError, SessionKey},
};
use orana_wire::zookeeper::{
    Acl, ErrorCode, EventKind, MultiOp, MultiResult, OpCode, Reply, Request, acl,
    request::{
        AddWatch, Auth, Create, PathAndVersion, PathAndWatch, SetAcl, SetData, SetWatches, SetWatches2, WatchesOf,
    },
};

const SOON: Duration = Duration::from_secs(5);

/// Runs a scenario with a server and a client of its own.
fn with_client(name: &str, scenario: fn(u16, &mut RawClient) -> Result<()>) {
    let run = |drill: &Drill| {
        let server = drill.server(Setup::new(Product::Orana))?;
        let mut client = RawClient::connect(server.port(), 20_000)?;
        scenario(server.port(), &mut client)
    };
    drill(name, 0, run);
}

fn create(path: &'static str, flags: i32) -> Create<'static> {
    Create {
        path: Some(path.into()),
        data: Some(b"data"),
        acl: Some(vec![Acl::open()]),
        flags,
        ttl: None,
    }
}

fn read(path: &'static str, watch: bool) -> PathAndWatch<'static> {
    PathAndWatch {
        path: Some(path.into()),
        watch,
    }
}

fn set_data(path: &'static str) -> Request<'static> {
    Request::SetData(SetData {
        path: Some(path.into()),
        data: Some(b"new"),
        version: -1,
    })
}

fn add_watch(path: &'static str, mode: i32) -> Request<'static> {
    Request::AddWatch(AddWatch {
        path: Some(path.into()),
        mode,
    })
}

fn expect(client: &mut RawClient, request: &Request<'_>, code: ErrorCode) -> Result<()> {
    let err = client.call(request)?.header.err;
    ensure!(err == code.as_i32(), "{request:?} answered {err} instead of {code}");
    Ok(())
}

/// The connection ends after at most one answer.
fn expect_end(client: &mut RawClient) -> Result<()> {
    match client.receive(SOON) {
        Err(RawError::Closed) => Ok(()),
        other => anyhow::bail!("{other:?} instead of the end"),
    }
}

#[test]
fn an_operation_whose_flags_are_of_another_kind_is_refused() {
    with_client("deliberate-flags", |_, client| {
        for flags in 4..=6 {
            expect(client, &Request::Create(create("/a", flags)), ErrorCode::BadArguments)?;
            expect(client, &Request::Create2(create("/a", flags)), ErrorCode::BadArguments)?;
        }
        for flags in [0, 1, 2, 3, 5, 6] {
            expect(
                client,
                &Request::CreateContainer(create("/a", flags)),
                ErrorCode::BadArguments,
            )?;
        }
        for flags in 0..=4 {
            for ttl in [-1, 0, 1000] {
                let create = Create {
                    ttl: Some(ttl),
                    ..create("/a", flags)
                };
                expect(client, &Request::CreateTtl(create), ErrorCode::BadArguments)?;
            }
        }
        expect(client, &Request::Exists(read("/a", false)), ErrorCode::NoNode)
    });
}

#[test]
fn watches_of_no_path_are_refused_and_the_session_still_ends() {
    with_client("deliberate-null-watches", |port, client| {
        let nowhere = Request::AddWatch(AddWatch { path: None, mode: 0 });
        expect(client, &nowhere, ErrorCode::MarshallingError)?;
        for (persistent, recursive) in [(vec![None], vec![]), (vec![], vec![None])] {
            let again = SetWatches2 {
                one_shot: SetWatches {
                    relative_zxid: 0,
                    data: Some(vec![]),
                    exist: Some(vec![]),
                    child: Some(vec![]),
                },
                persistent: Some(persistent),
                recursive: Some(recursive),
            };
            expect(client, &Request::SetWatches2(again), ErrorCode::MarshallingError)?;
        }
        expect(client, &Request::Ping, ErrorCode::Ok)?;
        client.send(&Request::CloseSession)?;
        ensure!(matches!(client.receive(SOON)?, Incoming::Reply(answer) if answer.is_ok()));
        expect_end(client)?;
        RawClient::connect(port, 20_000)?.close()?;
        Ok(())
    });
}

#[test]
fn what_is_no_business_of_clients_is_unknown_and_ends_the_connection() {
    with_client("deliberate-internal", |port, client| {
        expect(client, &Request::Create(create("/a", 0)), ErrorCode::Ok)?;
        let path = || Some("/a".into());
        let check = PathAndVersion {
            path: path(),
            version: 0,
        };
        for request in [
            Request::Check(check),
            Request::DeleteContainer(path()),
            Request::CreateSession(5000),
        ] {
            let mut stranger = RawClient::connect(port, 20_000)?;
            let answer = stranger.call(&request)?;
            ensure!(
                answer.header.err == ErrorCode::Unimplemented.as_i32(),
                "{request:?}: {answer:?}"
            );
            ensure!(answer.header.zxid == -1, "{request:?}: {answer:?}");
            expect_end(&mut stranger)?;
        }
        expect(client, &Request::Exists(read("/a", false)), ErrorCode::Ok)
    });
}

#[test]
fn one_shot_and_persistent_watches_on_one_path_live_side_by_side() {
    with_client("deliberate-watch-kinds", |_, client| {
        expect(client, &Request::Create(create("/a", 0)), ErrorCode::Ok)?;
        expect(client, &add_watch("/a", 0), ErrorCode::Ok)?;
        expect(client, &Request::GetData(read("/a", true)), ErrorCode::Ok)?;
        for _ in 0..2 {
            expect(client, &set_data("/a"), ErrorCode::Ok)?;
            ensure!(client.next_event(SOON)?.kind == EventKind::NodeDataChanged);
        }
        // The one-shot kinds do not stand for the persistent one.
        for kind in [1, 2, 5] {
            let none = Request::RemoveWatches(WatchesOf {
                path: Some("/a".into()),
                kind,
            });
            expect(client, &none, ErrorCode::NoWatcher)?;
        }
        let persistent = WatchesOf {
            path: Some("/a".into()),
            kind: 4,
        };
        expect(client, &Request::CheckWatches(persistent.clone()), ErrorCode::Ok)?;
        expect(client, &Request::RemoveWatches(persistent.clone()), ErrorCode::Ok)?;
        expect(client, &Request::CheckWatches(persistent), ErrorCode::NoWatcher)?;
        expect(client, &set_data("/a"), ErrorCode::Ok)?;
        match client.next_event(Duration::from_millis(300)) {
            Err(RawError::Silent(_)) => Ok(()),
            other => anyhow::bail!("{other:?} though no watch is left"),
        }
    });
}

#[test]
fn a_wrong_password_does_not_disturb_the_connected_client() {
    with_client("deliberate-password", |port, client| {
        let key = client.session();
        let wrong = SessionKey {
            password: key.password.map(|byte| !byte),
            ..key
        };
        let refused = RawClient::open(port, &Opening::resume(20_000, wrong));
        ensure!(matches!(refused, Err(RawError::Refused)), "{refused:?}");
        expect(client, &Request::Create(create("/a", 1)), ErrorCode::Ok)?;
        // The right one takes the session over.
        let mut moved = RawClient::open(port, &Opening::resume(20_000, key))?;
        ensure!(moved.session().id == key.id);
        expect_end(client)?;
        expect(&mut moved, &Request::Exists(read("/a", false)), ErrorCode::Ok)
    });
}

#[test]
fn auth_keeps_its_place_among_the_requests_around_it() {
    with_client("deliberate-auth-order", |_, client| {
        let auth = Auth {
            kind: 0,
            scheme: Some("digest".into()),
            auth: Some(b"bob:secret"),
        };
        let owned = || Create {
            acl: Some(vec![Acl::new(acl::ALL, "auth", "")]),
            ..create("/owned", 0)
        };
        let expected = [ErrorCode::InvalidAcl, ErrorCode::Ok, ErrorCode::Ok];
        let requests = [Request::Create(owned()), Request::Auth(auth), Request::Create(owned())];
        let xids = requests.each_ref().map(|request| client.queue(request));
        client.flush()?;
        for (xid, code) in xids.into_iter().zip(expected) {
            match client.receive(SOON)? {
                Incoming::Reply(answer) => ensure!(
                    (answer.header.xid, answer.header.err) == (xid, code.as_i32()),
                    "{answer:?} instead of {xid} {code}"
                ),
                Incoming::Event(event) => anyhow::bail!("{event:?}"),
            }
        }
        Ok(())
    });
}

#[test]
fn a_node_that_may_not_be_read_is_not_seen_to_exist_nor_to_change() {
    with_client("deliberate-exists", |port, client| {
        let mut stranger = RawClient::connect(port, 20_000)?;
        expect(&mut stranger, &add_watch("/", 1), ErrorCode::Ok)?;
        let hidden = Create {
            acl: Some(vec![Acl::new(acl::ALL & !acl::READ, "world", "anyone")]),
            ..create("/hidden", 0)
        };
        expect(client, &Request::Create(hidden), ErrorCode::Ok)?;
        expect(client, &Request::Exists(read("/hidden", true)), ErrorCode::NoAuth)?;
        expect(client, &set_data("/hidden"), ErrorCode::Ok)?;
        let open = SetAcl {
            path: Some("/hidden".into()),
            acl: Some(vec![Acl::open()]),
            version: -1,
        };
        expect(client, &Request::SetAcl(open), ErrorCode::Ok)?;
        expect(client, &Request::Exists(read("/hidden", false)), ErrorCode::Ok)?;
        let answer = client.call(&set_data("/hidden"))?;
        // The only event is that of the change which could be seen, and it says which one it was.
        let event = stranger.next_event(SOON)?;
        let expected = Event {
            zxid: answer.header.zxid,
            kind: EventKind::NodeDataChanged,
            path: "/hidden".to_owned(),
        };
        ensure!(event == expected, "{event:?} instead of {expected:?}");
        Ok(())
    });
}

#[test]
fn check_watches_answers_for_the_own_connection() {
    with_client("deliberate-check-watches", |port, client| {
        let mut other = RawClient::connect(port, 20_000)?;
        expect(&mut other, &Request::GetData(read("/", true)), ErrorCode::Ok)?;
        let watches = Request::CheckWatches(WatchesOf {
            path: Some("/".into()),
            kind: 3,
        });
        expect(&mut other, &watches, ErrorCode::Ok)?;
        expect(client, &watches, ErrorCode::NoWatcher)
    });
}

#[test]
fn create2_in_a_multi_is_answered_with_a_stat() {
    with_client("deliberate-multi-stat", |_, client| {
        let ttl = Create {
            ttl: Some(3_600_000),
            ..create("/c", 5)
        };
        let multi = Request::Multi(vec![
            MultiOp::Create2(create("/a", 0)),
            MultiOp::CreateContainer(create("/b", 4)),
            MultiOp::CreateTtl(ttl),
        ]);
        let answer = client.call(&multi)?;
        let Reply::Multi(results) = answer.reply(OpCode::Multi)? else {
            anyhow::bail!("{answer:?}");
        };
        let with_stats = results
            .iter()
            .all(|result| matches!(result, MultiResult::Create2 { stat, .. } if stat.czxid > 0));
        ensure!(results.len() == 3 && with_stats, "{results:?}");
        Ok(())
    });
}
