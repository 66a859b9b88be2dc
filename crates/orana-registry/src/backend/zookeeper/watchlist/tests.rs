//! The list of watched directories, without a server behind it.

use super::*;
use crate::backend::Watching;
use crate::error::RegistryErrorKind;

struct Desk {
    list: Watchlist,
}

/// A reader's end of a watch.
struct Reading {
    watching: Watching,
    ready: oneshot::Receiver<Result<(), RegistryError>>,
}

impl Desk {
    fn new() -> Desk {
        let settings = Settings::from_url(&ServiceUrl::parse("zookeeper://z").unwrap()).unwrap();
        Desk {
            list: Watchlist::new(Arc::new(settings), Arc::default()),
        }
    }

    fn enter(&mut self, query: &str) -> (Reading, Turnover) {
        let query = Query::from_url(&ServiceUrl::parse(query).unwrap()).unwrap();
        let (feed, watching) = Watching::channel();
        let (sender, ready) = oneshot::channel();
        let turnover = self.list.enter(query, feed, sender);
        (Reading { watching, ready }, turnover)
    }

    /// The list of a place is read, and readers are told.
    fn read(&mut self, place: &Place, names: Option<&[&str]>) -> Turnover {
        let names: Option<Vec<_>> = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let turnover = self.list.read(place, names.as_deref());
        self.list.tell();
        turnover
    }
}

impl Reading {
    fn is_ready(&mut self) -> bool {
        matches!(self.ready.try_recv(), Ok(Ok(())))
    }

    fn ports(&mut self, category: Category) -> Option<Vec<u16>> {
        let snapshot = self.watching.try_next()?;
        Some(snapshot.get(category)?.iter().filter_map(ServiceUrl::port).collect())
    }
}

fn of(interface: &str, category: Category) -> Place {
    Place::Category(interface.into(), category)
}

fn name(port: u16) -> String {
    format!("dubbo%3A%2F%2Fh%3A{port}%2Fi")
}

use Category::{Providers, Routers};

#[test]
fn the_first_word_is_about_every_category_and_comes_when_all_are_read() {
    let mut desk = Desk::new();
    let (mut reading, turnover) = desk.enter("consumer://h/i?category=providers,routers");
    assert_eq!(turnover.begin, [of("i", Providers), of("i", Routers)]);
    let _ = desk.read(&of("i", Providers), Some(&[&name(1)]));
    assert!(!reading.is_ready());
    assert_eq!(reading.watching.try_next(), None);
    let _ = desk.read(&of("i", Routers), None);
    assert!(reading.is_ready());
    let snapshot = reading.watching.try_next().unwrap();
    assert_eq!(snapshot.get(Providers).unwrap().len(), 1);
    assert_eq!(snapshot.get(Routers).unwrap().len(), 0);
}

#[test]
fn a_second_reader_of_the_same_is_told_at_once_and_needs_no_second_watch() {
    let mut desk = Desk::new();
    let (first, _) = desk.enter("consumer://h/i");
    let _ = desk.read(&of("i", Providers), Some(&[&name(1)]));
    let (mut second, turnover) = desk.enter("consumer://h/i?group=*");
    assert_eq!(turnover, Turnover::default());
    assert!(second.is_ready());
    assert_eq!(second.ports(Providers), Some(vec![1]));
    drop(first);
    assert_eq!(desk.list.sweep(), Turnover::default(), "the other still reads");
    drop(second);
    assert_eq!(desk.list.sweep().end, [of("i", Providers)]);
    assert_eq!(desk.list.places().count(), 0);
}

#[test]
fn a_change_is_told_to_those_whose_list_it_changes() {
    let mut desk = Desk::new();
    let (mut all, _) = desk.enter("consumer://h/i?group=*");
    let (mut ungrouped, _) = desk.enter("consumer://h/i");
    let _ = desk.read(&of("i", Providers), Some(&[]));
    assert_eq!(
        (all.ports(Providers), ungrouped.ports(Providers)),
        (Some(vec![]), Some(vec![]))
    );
    desk.list
        .change(&of("i", Providers), Change::Came("dubbo%3A%2F%2Fh%3A1%2Fi%3Fgroup%3Dg"));
    desk.list.tell();
    assert_eq!(
        (all.ports(Providers), ungrouped.ports(Providers)),
        (Some(vec![1]), None)
    );
    desk.list.change(&of("i", Providers), Change::Vanished);
    desk.list.tell();
    assert_eq!((all.ports(Providers), ungrouped.ports(Providers)), (Some(vec![]), None));
    // A list that was read is told even if it is the same: it is fresh.
    let _ = desk.read(&of("i", Providers), Some(&[]));
    assert_eq!(
        (all.ports(Providers), ungrouped.ports(Providers)),
        (Some(vec![]), Some(vec![]))
    );
}

#[test]
fn whoever_asks_for_every_interface_gets_each_that_has_a_directory_and_new_ones() {
    let mut desk = Desk::new();
    let (mut reading, turnover) = desk.enter("admin://h/*?category=providers&group=*");
    assert_eq!(turnover.begin, [Place::Root]);
    let turnover = desk.read(&Place::Root, Some(&["i", "config", "bad%zz", ".."]));
    assert_eq!(turnover.begin, [of("i", Providers), of("config", Providers)]);
    assert!(!reading.is_ready());
    let _ = desk.read(&of("config", Providers), None);
    let _ = desk.read(&of("i", Providers), Some(&[&name(1)]));
    assert!(reading.is_ready());
    assert_eq!(reading.ports(Providers), Some(vec![1]));
    assert_eq!(
        reading.watching.try_next(),
        None,
        "what has no directory of an interface is none"
    );

    let turnover = desk.read(&Place::Root, Some(&["config", "j"]));
    assert_eq!(
        (turnover.begin, turnover.end),
        (vec![of("j", Providers)], vec![of("i", Providers)])
    );
    let _ = desk.read(&of("j", Providers), None);
    assert_eq!(reading.watching.try_next(), None);
    desk.list.appeared(&of("j", Providers));
    desk.list.change(&of("j", Providers), Change::Came(&name(2)));
    desk.list.tell();
    assert_eq!(reading.ports(Providers), Some(vec![2]));
}

#[test]
fn what_may_not_be_read_ends_the_watch_of_who_asked_for_it_and_not_of_who_asked_for_everything() {
    let mut desk = Desk::new();
    let (mut one, _) = desk.enter("consumer://h/i");
    let (mut every, _) = desk.enter("admin://h/*?category=providers,routers");
    let _ = desk.read(&Place::Root, Some(&["i"]));
    let error = RegistryError::new(RegistryErrorKind::Refused, "z", "no");
    let turnover = desk.list.refuse(&of("i", Providers), &error);
    assert_eq!(turnover.end, [of("i", Providers)]);
    assert!(matches!(one.ready.try_recv(), Ok(Err(error)) if error.kind() == RegistryErrorKind::Refused));
    let _ = desk.read(&of("i", Routers), Some(&[]));
    assert!(every.is_ready());
    let snapshot = every.watching.try_next().unwrap();
    assert_eq!(
        (snapshot.get(Providers), snapshot.get(Routers).unwrap().len()),
        (None, 0)
    );
}

#[test]
fn who_waits_for_first_lists_is_sent_away_when_the_connection_is_cut_and_others_stay() {
    let mut desk = Desk::new();
    let (mut settled, _) = desk.enter("consumer://h/i");
    let _ = desk.read(&of("i", Providers), Some(&[]));
    assert!(settled.is_ready());
    let (mut waiting, _) = desk.enter("consumer://h/j");
    let error = RegistryError::new(RegistryErrorKind::Unreachable, "z", "cut");
    assert_eq!(desk.list.give_up(&error).end, [of("j", Providers)]);
    assert!(matches!(waiting.ready.try_recv(), Ok(Err(_))));
    assert_eq!(desk.list.places().collect::<Vec<_>>(), [&of("i", Providers)]);
}
