//! How to reach a goal: what has to be there first, then the request that is to end so. A recipe may fail when something
//! else that happened is in the way; the goal then stays lacking and is tried again.

use orana_wire::zookeeper::{
    EventKind, MultiOp, Path, Request,
    request::{AddWatch, Auth, Create, PathAndVersion, PathAndWatch, Reconfig, SetAcl, SetData, WatchesOf},
};

use super::{
    author::Author,
    coverage::Goal,
    phrases::{self, plain, with_ttl},
    script::{Ask, What},
    vocabulary::{self as words, WatchSort},
};

/// Appends steps that may reach `goal`.
pub fn pursue(author: &mut Author, goal: &Goal) {
    match goal {
        Goal::Answer(op, code) => match op.strip_prefix("multi:") {
            Some(op) => part(author, op, code),
            None => answer(author, op, code),
        },
        Goal::Event(kind, sort) => event(author, *kind, sort),
    }
}

/// The path that makes any operation end with `code`, and what has to happen before.
fn scene(author: &mut Author, slot: usize, op: &str, code: &str) -> Path<'static> {
    let path = author.fresh();
    let inside = |path: &Path<'static>| path.as_ref().map(|path| format!("{path}/child").into());
    let creates = op.starts_with("create");
    match (code, op) {
        ("NONODE", _) if creates => inside(&path),
        ("NONODE", _) => path,
        ("NODEEXISTS", _) => words::root(),
        ("BADARGUMENTS", _) => words::bad_path(&mut author.dice),
        ("MARSHALLINGERROR", _) => None,
        ("NOTEMPTY", _) => {
            let (above, below) = (plain(path.clone(), words::open()), plain(inside(&path), words::open()));
            author.several(slot, vec![Request::Create(above), Request::Create(below)]);
            path
        }
        ("NOCHILDRENFOREPHEMERALS", _) => {
            let above = Create {
                flags: 1,
                ..plain(path.clone(), words::open())
            };
            author.one(slot, Request::Create(above));
            inside(&path)
        }
        ("NOAUTH", "delete") => {
            let create = [plain(path.clone(), words::open()), plain(inside(&path), words::open())];
            let mut requests: Vec<Request<'static>> = create.into_iter().map(Request::Create).collect();
            requests.push(Request::SetAcl(SetAcl {
                path: path.clone(),
                acl: words::locked(),
                version: -1,
            }));
            author.several(slot, requests);
            inside(&path)
        }
        ("NOAUTH", _) => {
            author.one(slot, Request::Create(plain(path.clone(), words::locked())));
            if creates { inside(&path) } else { path }
        }
        _ if creates => path,
        _ => {
            author.one(slot, Request::Create(plain(path.clone(), words::open())));
            path
        }
    }
}

/// The part of a multi that may end with `code`.
fn make(author: &mut Author, slot: usize, op: &str, code: &str) -> Option<MultiOp<'static>> {
    let path = scene(author, slot, op, code);
    let acl = if code == "INVALIDACL" {
        words::bad_acl(&mut author.dice)
    } else {
        words::open()
    };
    let version = if code == "BADVERSION" { 77 } else { -1 };
    let versioned = PathAndVersion {
        path: path.clone(),
        version,
    };
    let read = PathAndWatch {
        path: path.clone(),
        watch: false,
    };
    Some(match op {
        "create" => MultiOp::Create(plain(path, acl)),
        "create2" => MultiOp::Create2(plain(path, acl)),
        "createContainer" => MultiOp::CreateContainer(Create {
            flags: 4,
            ..plain(path, acl)
        }),
        "createTTL" => MultiOp::CreateTtl(with_ttl(path, acl)),
        "delete" => MultiOp::Delete(versioned),
        "check" => MultiOp::Check(versioned),
        "setData" => MultiOp::SetData(SetData {
            path,
            data: Some(b"new"),
            version,
        }),
        "getData" => MultiOp::GetData(read),
        "getChildren" => MultiOp::GetChildren(read),
        _ => return None,
    })
}

fn part(author: &mut Author, op: &str, code: &str) {
    let slot = author.slot();
    let reads = op.starts_with("get");
    // After a part that fails the others are not performed; before it they are taken back.
    let own = if code == "RUNTIMEINCONSISTENCY" { "OK" } else { code };
    let Some(goal) = make(author, slot, op, own) else {
        return;
    };
    let neighbour = author.fresh();
    let mut ops = vec![goal];
    if code == "RUNTIMEINCONSISTENCY" {
        ops.insert(
            0,
            MultiOp::Check(PathAndVersion {
                path: neighbour,
                version: 3,
            }),
        );
    } else if author.dice.chance(50) {
        let read = PathAndWatch {
            path: words::root(),
            watch: false,
        };
        ops.insert(
            0,
            if reads {
                MultiOp::GetData(read)
            } else {
                MultiOp::Create(plain(neighbour, words::open()))
            },
        );
    }
    author.one(
        slot,
        if reads {
            Request::MultiRead(ops)
        } else {
            Request::Multi(ops)
        },
    );
}

fn answer(author: &mut Author, op: &str, code: &str) {
    let slot = author.slot();
    if code == "MARSHALLINGERROR" && author.dice.chance(70) {
        if let Some(request) = request(author, slot, op, "OK") {
            let missing = 1 + author.dice.below(4);
            let ask = author.numbered(slot, request.clone());
            author.push(
                slot,
                vec![Ask {
                    what: What::Cut(request, missing),
                    ..ask
                }],
            );
        }
        return;
    }
    match (op, code) {
        ("unknown", _) => author.odd_frame(slot),
        ("auth", "OK") => author.more_identities(slot),
        ("closeSession", _) => author.leave(slot),
        ("auth", "AUTHFAILED") => {
            let auth = Auth {
                kind: 0,
                scheme: Some("unknown".into()),
                auth: Some(b"proof"),
            };
            author.ending(slot, What::Whole(Request::Auth(auth)));
        }
        _ => {
            if let Some(request) = request(author, slot, op, code) {
                author.one(slot, request);
            }
        }
    }
}

fn request(author: &mut Author, slot: usize, op: &str, code: &str) -> Option<Request<'static>> {
    if op == "multi" || op == "multiRead" {
        let ops = match code {
            "MARSHALLINGERROR" => vec![MultiOp::Check(PathAndVersion { path: None, version: 0 })],
            _ => vec![],
        };
        return Some(if op == "multi" {
            Request::Multi(ops)
        } else {
            Request::MultiRead(ops)
        });
    }
    if let Some(part) = make(author, slot, op, code) {
        return Some(match part {
            MultiOp::Create(create) => Request::Create(create),
            MultiOp::Create2(create) => Request::Create2(create),
            MultiOp::CreateContainer(create) => Request::CreateContainer(create),
            MultiOp::CreateTtl(create) => Request::CreateTtl(create),
            MultiOp::Delete(request) => Request::Delete(request),
            MultiOp::SetData(request) => Request::SetData(request),
            MultiOp::GetData(request) => Request::GetData(request),
            MultiOp::GetChildren(request) => Request::GetChildren(request),
            // Never outside a multi.
            MultiOp::Check(_) => return None,
        });
    }
    let path = scene(author, slot, op, code);
    let read = PathAndWatch {
        path: path.clone(),
        watch: false,
    };
    Some(match op {
        "exists" => Request::Exists(read),
        "getChildren2" => Request::GetChildren2(read),
        "getACL" => Request::GetAcl(path),
        "setACL" => Request::SetAcl(SetAcl {
            path,
            acl: if code == "INVALIDACL" {
                words::bad_acl(&mut author.dice)
            } else {
                words::open()
            },
            version: if code == "BADVERSION" { 77 } else { -1 },
        }),
        "sync" => Request::Sync(path),
        "ping" => Request::Ping,
        "whoAmI" => Request::WhoAmI,
        "getEphemerals" => Request::GetEphemerals(path),
        "getAllChildrenNumber" => Request::GetAllChildrenNumber(path),
        "reconfig" => Request::Reconfig(Reconfig {
            joining: None,
            leaving: None,
            new_members: Some("server.1=127.0.0.1:1:2".into()),
            current_config: -1,
        }),
        "setWatches" | "setWatches2" => phrases::watches_again(&mut author.dice, slot),
        "sasl" => Request::Sasl(Some(b"token")),
        "addWatch" => {
            let path = author.fresh_for(slot, WatchSort::Persistent);
            let mode = if code == "OK" { 0 } else { 9 };
            Request::AddWatch(AddWatch { path, mode })
        }
        "checkWatches" | "removeWatches" => {
            if code == "OK" {
                let read = PathAndWatch {
                    path: path.clone(),
                    watch: true,
                };
                author.one(slot, Request::Exists(read));
            }
            let watches = WatchesOf { path, kind: 3 };
            if op == "checkWatches" {
                Request::CheckWatches(watches)
            } else {
                Request::RemoveWatches(watches)
            }
        }
        _ => return None,
    })
}

fn event(author: &mut Author, kind: EventKind, sort: &str) {
    let watcher = author.slot();
    let actor = author.slot();
    let wanted = match sort {
        "persistent" => WatchSort::Persistent,
        "recursive" => WatchSort::Recursive,
        _ => WatchSort::OneShot,
    };
    let path = author.fresh_for(watcher, wanted);
    let create = Request::Create(plain(path.clone(), words::open()));
    let child = path.as_ref().map(|path| format!("{path}/child").into());
    let read = PathAndWatch {
        path: path.clone(),
        watch: true,
    };
    if kind != EventKind::NodeCreated {
        author.one(actor, create.clone());
    }
    let arm = match sort {
        "exist" => Request::Exists(read),
        "data" => author
            .dice
            .pick(&[Request::Exists(read.clone()), Request::GetData(read)]),
        "child" => author
            .dice
            .pick(&[Request::GetChildren(read.clone()), Request::GetChildren2(read)]),
        "persistent" => Request::AddWatch(AddWatch {
            path: path.clone(),
            mode: 0,
        }),
        "recursive" => Request::AddWatch(AddWatch {
            path: path.clone(),
            mode: 1,
        }),
        _ => return author.come_back(watcher),
    };
    author.one(watcher, arm);
    let act = match kind {
        EventKind::NodeCreated => create,
        EventKind::NodeDeleted => Request::Delete(PathAndVersion { path, version: -1 }),
        EventKind::NodeDataChanged => Request::SetData(SetData {
            path,
            data: Some(b"new"),
            version: -1,
        }),
        EventKind::NodeChildrenChanged => Request::Create(plain(child, words::open())),
    };
    author.one(actor, act);
}
