//! What proptest invents: steps that say "the third child", "the deepest node", "a lease that is gone", so that
//! they meet something however they are shortened. What they mean at a moment is said in `steer.rs`.

use proptest::collection::vec;
use proptest::prelude::*;

/// Steps of one entry, entries of one history.
pub(crate) type Script = Vec<Vec<Step>>;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Grant(u16),
    Revoke(u16),
    Write(By, Wish),
    Multi(By, Vec<Wish>),
    /// So many sequential children at once.
    Siblings(By, Place, Life, u8),
    /// So many nodes, each below the one before.
    Chain(By, Place, u8),
    Reap(Place),
    /// The first of those that may be reaped.
    Sweep,
    Refuse,
    Wait(u16),
}

#[derive(Clone, Debug)]
pub(crate) struct By {
    pub(crate) issuer: Issuer,
    /// Chooses identities.
    pub(crate) who: u8,
}

#[derive(Clone, Debug)]
pub(crate) enum Issuer {
    Nobody,
    Live(u16),
    Gone(u16),
}

#[derive(Clone, Debug)]
pub(crate) enum Wish {
    Create(Place, Create),
    Delete(Place, Expected),
    SetData(Place, u8, Expected),
    SetAcl(Place, u8, Expected),
    Check(Place, Expected),
    Refuse,
}

#[derive(Clone, Debug)]
pub(crate) struct Create {
    pub(crate) data: u8,
    pub(crate) list: u8,
    pub(crate) life: Life,
    pub(crate) sequential: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Node(u16),
    Leaf(u16),
    Deepest,
    /// The parent with the most children.
    Crowded,
    /// A child of that one, which may exist.
    Below(Box<Place>, u8),
    Bad(u8),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Life {
    Persistent,
    Ephemeral,
    Container,
    Ttl(u8),
    BadTtl(bool),
}

#[derive(Clone, Debug)]
pub(crate) enum Expected {
    Any,
    Current,
    Other(i32),
}

pub(crate) fn scripts(entries: usize) -> impl Strategy<Value = Script> {
    // Mostly one step an entry, so that all is compared after each of them.
    let entry = prop_oneof![4 => vec(step(), 1), 1 => vec(step(), 2..5)];
    vec(entry, 1..entries)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<u16>().prop_map(Step::Grant),
        2 => any::<u16>().prop_map(Step::Revoke),
        24 => (by(), wish()).prop_map(|(by, wish)| Step::Write(by, wish)),
        7 => (by(), vec(wish(), 0..6)).prop_map(|(by, wishes)| Step::Multi(by, wishes)),
        3 => (by(), home(), life(), 1..30u8).prop_map(|(by, at, life, many)| Step::Siblings(by, at, life, many)),
        2 => (by(), home(), 1..12u8).prop_map(|(by, at, many)| Step::Chain(by, at, many)),
        1 => place().prop_map(Step::Reap),
        2 => Just(Step::Sweep),
        1 => Just(Step::Refuse),
        2 => (0..200u16).prop_map(Step::Wait),
    ]
}

fn by() -> impl Strategy<Value = By> {
    let issuer = prop_oneof![
        8 => any::<u16>().prop_map(Issuer::Live),
        3 => Just(Issuer::Nobody),
        1 => any::<u16>().prop_map(Issuer::Gone),
    ];
    (issuer, any::<u8>()).prop_map(|(issuer, who)| By { issuer, who })
}

fn wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        10 => (new_place(), create()).prop_map(|(place, create)| Wish::Create(place, create)),
        6 => (leaf(), expected()).prop_map(|(place, expected)| Wish::Delete(place, expected)),
        3 => (place(), any::<u8>(), expected()).prop_map(|(place, data, expected)| Wish::SetData(place, data, expected)),
        3 => (place(), any::<u8>(), expected()).prop_map(|(place, list, expected)| Wish::SetAcl(place, list, expected)),
        2 => (place(), expected()).prop_map(|(place, expected)| Wish::Check(place, expected)),
        1 => Just(Wish::Refuse),
    ]
}

fn create() -> impl Strategy<Value = Create> {
    (any::<u8>(), any::<u8>(), life(), prop::bool::weighted(0.25)).prop_map(|(data, list, life, sequential)| Create {
        data,
        list,
        life,
        sequential,
    })
}

fn life() -> impl Strategy<Value = Life> {
    prop_oneof![
        8 => Just(Life::Persistent),
        8 => Just(Life::Ephemeral),
        2 => Just(Life::Container),
        2 => (1..200u8).prop_map(Life::Ttl),
        1 => any::<bool>().prop_map(Life::BadTtl),
    ]
}

fn home() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => any::<u16>().prop_map(Place::Node),
        2 => Just(Place::Deepest),
        3 => Just(Place::Crowded),
    ]
}

fn new_place() -> impl Strategy<Value = Place> {
    let below = (home(), any::<u8>()).prop_map(|(at, name)| Place::Below(Box::new(at), name));
    // Below something that is not there, mostly.
    let astray = (home(), any::<u8>(), any::<u8>()).prop_map(|(at, middle, name)| {
        let middle = Place::Below(Box::new(at), middle);
        Place::Below(Box::new(middle), name)
    });
    prop_oneof![30 => below, 1 => place(), 2 => astray]
}

fn leaf() -> impl Strategy<Value = Place> {
    prop_oneof![
        10 => any::<u16>().prop_map(Place::Leaf),
        2 => place(),
        1 => any::<u8>().prop_map(Place::Bad),
    ]
}

fn place() -> impl Strategy<Value = Place> {
    let below = (home(), any::<u8>()).prop_map(|(at, name)| Place::Below(Box::new(at), name));
    prop_oneof![
        8 => any::<u16>().prop_map(Place::Node),
        2 => any::<u16>().prop_map(Place::Leaf),
        1 => Just(Place::Deepest),
        2 => below,
        1 => any::<u8>().prop_map(Place::Bad),
    ]
}

fn expected() -> impl Strategy<Value = Expected> {
    prop_oneof![
        5 => Just(Expected::Any),
        4 => Just(Expected::Current),
        1 => prop_oneof![Just(0), Just(7), Just(-2), any::<i32>()].prop_map(Expected::Other),
    ]
}
