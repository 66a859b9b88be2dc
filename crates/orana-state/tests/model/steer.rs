//! Turns a script into entries, by what the model holds at that moment.

use orana_state::{AclEntry, Action, Command, Entry, Identity, LeaseId, Lifetime, Outcome, Refusal, Write};

use crate::naive::{Model, Told};
use crate::rules::open;
use crate::script::{By, Create, Expected, Issuer, Life, Place, Step, Wish};

/// The model on its way, and what was asked of it.
pub(crate) struct History {
    pub(crate) model: Model,
    pub(crate) entries: Vec<Entry>,
    gone: Vec<LeaseId>,
    at: i64,
}

/// One entry and what the model says comes of it.
pub(crate) struct Expectation {
    pub(crate) entry: Entry,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) told: Vec<Told>,
}

impl History {
    pub(crate) fn new() -> History {
        History {
            model: Model::new(),
            entries: Vec::new(),
            gone: vec![LeaseId(0), LeaseId(i64::MAX)],
            at: 1_000,
        }
    }

    pub(crate) fn go(&mut self, steps: &[Step]) -> Expectation {
        for step in steps {
            if let Step::Wait(ms) = step {
                // Sometimes the proposer's clock is behind.
                self.at += i64::from(*ms) - 50;
            }
        }
        self.model.begin(self.at);
        let (mut commands, mut outcomes, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for step in steps {
            let Some(command) = self.command(step) else { continue };
            let (outcome, more) = self.model.step(&command);
            if let (Action::Revoke(lease), Ok(_)) = (&command.action, &outcome.result) {
                self.gone.push(*lease);
            }
            commands.push(command);
            outcomes.push(outcome);
            told.extend(more);
        }
        let index = self.entries.len() as u64 + 1;
        let at = self.at;
        let entry = Entry { index, at, commands };
        self.entries.push(entry.clone());
        Expectation { entry, outcomes, told }
    }

    fn command(&self, step: &Step) -> Option<Command> {
        let centre = |action| Command {
            issuer: None,
            identities: [].into(),
            action,
        };
        Some(match step {
            Step::Wait(_) => return None,
            Step::Grant(seed) => centre(Action::Grant {
                period_ms: u32::from(*seed) * 7,
                secret: [*seed as u8; 16],
            }),
            Step::Revoke(at) => centre(Action::Revoke(self.live(*at).unwrap_or(LeaseId(1)))),
            Step::Reap(place) => centre(Action::Reap(self.path(&self.known(), place).into())),
            Step::Sweep => {
                let ripe = self.model.reapable(self.model.at);
                centre(Action::Reap(ripe.first().map_or("/", String::as_str).into()))
            }
            Step::Refuse => centre(Action::Refuse(Refusal::Malformed)),
            Step::Write(by, wish) => self.asked(by, Action::Write(self.write(&self.known(), wish))),
            Step::Multi(by, wishes) => self.asked(by, Action::Multi(self.writes(wishes))),
            Step::Siblings(by, place, life, many) => {
                let parent = self.path(&self.known(), place);
                let path = below(&parent, "n");
                let one = || create(path.clone(), None, open(), *life, true);
                self.asked(by, Action::Multi((0..*many).map(|_| one()).collect()))
            }
            Step::Chain(by, place, many) => {
                let mut path = self.path(&self.known(), place);
                let mut next = || {
                    path = below(&path, "c");
                    create(path.clone(), Some(vec![1]), open(), Life::Persistent, false)
                };
                self.asked(by, Action::Multi((0..*many).map(|_| next()).collect()))
            }
        })
    }

    fn asked(&self, by: &By, action: Action) -> Command {
        let issuer = match by.issuer {
            Issuer::Nobody => None,
            Issuer::Live(at) => self.live(at),
            Issuer::Gone(at) => Some(self.gone[at as usize % self.gone.len()]),
        };
        let all = [
            ("ip", "127.0.0.1"),
            ("digest", "bob:x="),
            ("digest", "eve:y="),
            ("ip", "10.1.2.3"),
        ];
        let chosen = all.iter().enumerate().filter(|(at, _)| by.who >> at & 1 == 1);
        let chosen = chosen.map(|(_, who)| *who);
        // One in eight may do everything, so that what is locked away comes into play again.
        let power = (by.who >= 224).then_some(("super", ""));
        Command {
            issuer,
            identities: chosen
                .chain(power)
                .map(|(scheme, id)| Identity {
                    scheme: scheme.into(),
                    id: id.into(),
                })
                .collect(),
            action,
        }
    }

    fn live(&self, at: u16) -> Option<LeaseId> {
        let leases: Vec<_> = self.model.leases.keys().copied().collect();
        leases.get(at as usize % leases.len().max(1)).copied()
    }

    fn known(&self) -> Vec<String> {
        self.model.nodes.keys().cloned().collect()
    }

    /// Later parts of a multi may mean what earlier ones create.
    fn writes(&self, wishes: &[Wish]) -> Vec<Write> {
        let mut known = self.known();
        let mut writes = Vec::new();
        for wish in wishes {
            let write = self.write(&known, wish);
            if let Write::Create { path, .. } = &write {
                known.push(path.to_string());
            }
            writes.push(write);
        }
        writes
    }

    fn write(&self, known: &[String], wish: &Wish) -> Write {
        let path = |place: &Place| self.path(known, place);
        match wish {
            Wish::Create(
                place,
                Create {
                    data,
                    list,
                    life,
                    sequential,
                },
            ) => create(path(place), content(*data), acl(*list), *life, *sequential),
            Wish::Delete(place, expected) => {
                let path = path(place);
                let version = self.version(&path, expected, |node| node.version);
                let path = path.into();
                Write::Delete { path, version }
            }
            Wish::SetData(place, data, expected) => {
                let path = path(place);
                let version = self.version(&path, expected, |node| node.version);
                let (path, data) = (path.into(), content(*data));
                Write::SetData { path, data, version }
            }
            Wish::SetAcl(place, list, expected) => {
                let path = path(place);
                let version = self.version(&path, expected, |node| node.aversion);
                let (path, acl) = (path.into(), acl(*list));
                Write::SetAcl { path, acl, version }
            }
            Wish::Check(place, expected) => {
                let path = path(place);
                let version = self.version(&path, expected, |node| node.version);
                let path = path.into();
                Write::Check { path, version }
            }
            Wish::Refuse => Write::Refuse(Refusal::BadArguments),
        }
    }

    fn version(&self, path: &str, expected: &Expected, which: impl Fn(&crate::naive::ModelNode) -> i32) -> i32 {
        match expected {
            Expected::Any => -1,
            Expected::Current => self.model.nodes.get(path).map_or(0, which),
            Expected::Other(version) => *version,
        }
    }

    fn path(&self, known: &[String], place: &Place) -> String {
        let choose = |at: u16| known[at as usize % known.len()].clone();
        match place {
            Place::Node(at) => choose(*at),
            Place::Leaf(at) => {
                let inner: std::collections::BTreeSet<_> = known.iter().map(|path| crate::naive::above(path)).collect();
                let leaves: Vec<_> = known.iter().filter(|path| !inner.contains(path.as_str())).collect();
                leaves
                    .get(*at as usize % leaves.len().max(1))
                    .map_or(choose(*at), |leaf| (*leaf).clone())
            }
            Place::Deepest => known
                .iter()
                .max_by_key(|path| path.matches('/').count())
                .cloned()
                .unwrap_or_default(),
            Place::Crowded => {
                let mut counts = std::collections::BTreeMap::new();
                for path in known {
                    *counts.entry(crate::naive::above(path)).or_insert(0) += 1;
                }
                let most = counts.into_iter().max_by_key(|(_, count)| *count);
                most.map_or("/", |(parent, _)| parent).to_owned()
            }
            Place::Below(parent, name) => below(&self.path(known, parent), &name_of(*name)),
            Place::Bad(at) => bad(*at, &choose(u16::from(*at))),
        }
    }
}

fn below(parent: &str, name: &str) -> String {
    match parent {
        "/" => format!("/{name}"),
        _ => format!("{parent}/{name}"),
    }
}

/// Few names, so that they meet again.
fn name_of(at: u8) -> String {
    match at % 32 {
        0 => "日本".into(),
        1 => "providers".into(),
        2 => format!("dubbo%3A%2F%2F10.0.0.{at}%3A20880%2F{}", "x".repeat(300)),
        3 => "..".into(),
        4 => "bad\u{7f}".into(),
        5 => "0000000001".into(),
        6 => "🦜".into(),
        other => format!("k{other}"),
    }
}

fn bad(at: u8, path: &str) -> String {
    match at % 12 {
        0 => String::new(),
        1 => path[1..].to_owned(),
        2 => format!("{path}/"),
        // Another spelling of a node below the root.
        3 => format!("//{}", path[1..].split('/').next().unwrap_or_default()),
        4 => format!("{path}//x"),
        5 => format!("{path}/./x"),
        6 => format!("{path}/nul\0"),
        7 => format!("{path}/.."),
        8 => "//".into(),
        9 => "/zookeeper/config".into(),
        10 => format!("{path}\u{fffe}"),
        _ => "/zookeeper/quota/".into(),
    }
}

fn create(path: String, data: Option<Vec<u8>>, acl: Vec<AclEntry>, life: Life, sequential: bool) -> Write {
    let lifetime = match life {
        Life::Persistent => Lifetime::Persistent,
        Life::Ephemeral => Lifetime::Ephemeral,
        Life::Container => Lifetime::Container,
        Life::Ttl(ms) => Lifetime::Ttl(u64::from(ms)),
        Life::BadTtl(zero) => Lifetime::Ttl(if zero { 0 } else { 1 << 40 }),
    };
    let path = path.into();
    Write::Create {
        path,
        data,
        acl,
        lifetime,
        sequential,
    }
}

fn content(of: u8) -> Option<Vec<u8>> {
    match of {
        0..32 => None,
        32..64 => Some(Vec::new()),
        255 => Some(vec![7; 5_000]),
        _ => Some(vec![of; usize::from(of) / 8]),
    }
}

fn acl(of: u8) -> Vec<AclEntry> {
    let entry = |(permissions, scheme, id): (i32, &str, &str)| AclEntry {
        permissions,
        scheme: scheme.into(),
        id: id.into(),
    };
    let bob = (31, "digest", "bob:x=");
    let list: &[(i32, &str, &str)] = match of % 48 {
        0 => &[],
        1 => &[(1, "world", "anyone")],
        2 => &[bob],
        3 => &[bob, (1, "world", "anyone")],
        4 => &[bob, bob, (5, "digest", "eve:y=")],
        5 => &[(31, "auth", "")],
        6 => &[(3, "auth", "ignored"), (31, "world", "anyone")],
        7 => &[(31, "ip", "10.1.0.0/16")],
        8 => &[(31, "ip", "127.0.0.1")],
        9 => &[(31, "ip", "::1"), bob],
        10 => &[(31, "ip", "10.1.2.3/33")],
        11 => &[(31, "digest", "a:b:c")],
        12 => &[(31, "nobody", "knows")],
        13 => &[(31, "world", "everybody")],
        14 => &[(0, "world", "anyone"), (31, "ip", "0.0.0.0/0")],
        15 => &[(27, "world", "anyone")],
        16 => &[(31, "digest", "trailing:x::")],
        _ => return open(),
    };
    list.iter().copied().map(entry).collect()
}
