//! Single requests as they come to mind: mostly sensible, now and then not.

use orana_wire::zookeeper::{
    MultiOp, Path, Request,
    request::{
        AddWatch, Create, PathAndVersion, PathAndWatch, Reconfig, SetAcl, SetData, SetWatches, SetWatches2, WatchesOf,
    },
};

use super::{
    dice::Dice,
    vocabulary::{self as words, WatchSort},
};

/// Any request at all; `fresh` is a path that was not used before.
pub fn anything(dice: &mut Dice, slot: usize, fresh: Path<'static>) -> Request<'static> {
    match dice.below(64) {
        0..12 => Request::Create(any_create(dice)),
        12..18 => Request::Create2(any_create(dice)),
        18 => {
            let create = plain(fresh, words::acl(dice));
            Request::CreateContainer(Create { flags: 4, ..create })
        }
        19 => Request::CreateTtl(any_ttl(dice)),
        20..26 => Request::Delete(any_version(dice)),
        26..32 => Request::SetData(any_data(dice)),
        32..36 => Request::SetAcl(SetAcl {
            path: words::path_to_write(dice),
            acl: words::acl(dice),
            version: words::version(dice),
        }),
        36..38 => Request::GetAcl(words::path_to_read(dice)),
        38..43 => Request::Exists(any_read(dice, slot)),
        43..47 => Request::GetData(any_read(dice, slot)),
        47..49 => Request::GetChildren(any_read(dice, slot)),
        49..52 => Request::GetChildren2(any_read(dice, slot)),
        52..55 => multi(dice),
        55 => {
            let ops = (0..dice.below(4)).map(|_| read_part(dice)).collect();
            Request::MultiRead(ops)
        }
        56 => Request::Sync(words::path_to_read(dice)),
        57 => dice.pick(&[Request::Ping, Request::WhoAmI, Request::GetEphemerals(words::root())]),
        58 => Request::GetEphemerals(words::path_to_read(dice)),
        59 => Request::GetAllChildrenNumber(words::path_to_read(dice)),
        60 | 61 => add_watch(dice, slot),
        62 => watches_of(dice, slot),
        _ => rare(dice, slot),
    }
}

fn rare(dice: &mut Dice, slot: usize) -> Request<'static> {
    match dice.below(3) {
        0 => Request::Reconfig(Reconfig {
            joining: None,
            leaving: None,
            new_members: Some("server.1=127.0.0.1:1:2".into()),
            current_config: -1,
        }),
        _ => watches_again(dice, slot),
    }
}

fn multi(dice: &mut Dice) -> Request<'static> {
    let count = dice.below(5);
    let ops = (0..count).map(|_| write_part(dice)).collect();
    Request::Multi(ops)
}

fn add_watch(dice: &mut Dice, slot: usize) -> Request<'static> {
    loop {
        let path = words::path_to_read(dice);
        if let (Some(mode), true) = (WatchSort::of(slot, &path).mode(), path.is_some()) {
            let mode = if dice.chance(5) { 7 } else { mode };
            return Request::AddWatch(AddWatch { path, mode });
        }
    }
}

fn watches_of(dice: &mut Dice, slot: usize) -> Request<'static> {
    let path = words::path_to_read(dice);
    let kind = match WatchSort::of(slot, &path) {
        WatchSort::OneShot => dice.pick(&[1, 2, 3]),
        _ => 3,
    };
    let watches = WatchesOf { path, kind };
    if dice.chance(50) {
        Request::CheckWatches(watches)
    } else {
        Request::RemoveWatches(watches)
    }
}

/// What a client sends when it is back.
pub fn watches_again(dice: &mut Dice, slot: usize) -> Request<'static> {
    let mut lists: [Vec<Path<'static>>; 5] = Default::default();
    for _ in 0..2 + dice.below(6) {
        let path = words::place(dice);
        let list = match WatchSort::of(slot, &path) {
            WatchSort::OneShot => dice.below(3),
            WatchSort::Persistent => 3,
            WatchSort::Recursive => 4,
        };
        if !lists[list].contains(&path) {
            lists[list].push(path);
        }
    }
    if dice.chance(4) {
        // First, so that nothing is done before it is found.
        lists[0].insert(0, None);
    }
    let [data, exist, child, persistent, recursive] = lists.map(Some);
    let one_shot = SetWatches {
        relative_zxid: dice.pick(&[0, -1, -1, -2, -4]),
        data,
        exist,
        child,
    };
    if dice.chance(50) {
        return Request::SetWatches(one_shot);
    }
    Request::SetWatches2(SetWatches2 {
        one_shot,
        persistent,
        recursive,
    })
}

/// A persistent node.
pub fn plain(path: Path<'static>, acl: words::Acls) -> Create<'static> {
    Create {
        path,
        data: Some(b"data"),
        acl,
        flags: 0,
        ttl: None,
    }
}

/// A node with a time to live that outlives the run.
pub fn with_ttl(path: Path<'static>, acl: words::Acls) -> Create<'static> {
    Create {
        flags: 5,
        ttl: Some(3_600_000),
        ..plain(path, acl)
    }
}

fn any_create(dice: &mut Dice) -> Create<'static> {
    Create {
        path: words::path_to_write(dice),
        data: words::data(dice),
        acl: words::acl(dice),
        flags: words::flags(dice),
        ttl: None,
    }
}

fn any_ttl(dice: &mut Dice) -> Create<'static> {
    Create {
        flags: dice.pick(&[5, 6]),
        ttl: Some(dice.pick(&[3_600_000, 3_600_000, 1 << 39, 0, -1, 1 << 40])),
        ..any_create(dice)
    }
}

fn any_version(dice: &mut Dice) -> PathAndVersion<'static> {
    PathAndVersion {
        path: words::path_to_write(dice),
        version: words::version(dice),
    }
}

fn any_data(dice: &mut Dice) -> SetData<'static> {
    SetData {
        path: words::path_to_write(dice),
        data: words::data(dice),
        version: words::version(dice),
    }
}

fn any_read(dice: &mut Dice, slot: usize) -> PathAndWatch<'static> {
    let path = words::path_to_read(dice);
    let may = path.is_some() && WatchSort::of(slot, &path) == WatchSort::OneShot;
    PathAndWatch {
        watch: may && dice.chance(70),
        path,
    }
}

fn read_part(dice: &mut Dice) -> MultiOp<'static> {
    let read = PathAndWatch {
        path: words::path_to_read(dice),
        watch: false,
    };
    if dice.chance(50) {
        MultiOp::GetData(read)
    } else {
        MultiOp::GetChildren(read)
    }
}

fn write_part(dice: &mut Dice) -> MultiOp<'static> {
    match dice.below(8) {
        0..3 => MultiOp::Create(any_create(dice)),
        3 => MultiOp::Create2(any_create(dice)),
        4 | 5 => MultiOp::SetData(any_data(dice)),
        6 => MultiOp::Check(any_version(dice)),
        _ => MultiOp::Delete(any_version(dice)),
    }
}
