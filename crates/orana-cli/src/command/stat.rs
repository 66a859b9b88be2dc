//! `orana stat PATH`: the numbers, times and sizes of a node.

use clap::Args;
use orana_wire::zookeeper::request::PathAndWatch;
use orana_wire::zookeeper::{self, Reply, Request};
use serde::Serialize;

use crate::failure::Failure;
use crate::print;
use crate::zookeeper::Question;

/// The command line of `orana stat`.
#[derive(Args)]
pub(crate) struct Stat {
    #[command(flatten)]
    question: Question,
}

/// A stat as a program gets it, under ZooKeeper's names. Transactions and sessions are hexadecimal text, as everywhere
/// in ZooKeeper: many readers of JSON would round such large numbers.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Numbers {
    czxid: String,
    ctime: i64,
    mzxid: String,
    mtime: i64,
    pzxid: String,
    cversion: i32,
    version: i32,
    aversion: i32,
    ephemeral_owner: String,
    data_length: i32,
    num_children: i32,
}

#[derive(Serialize)]
struct Node<'a> {
    path: &'a str,
    stat: Numbers,
}

impl Stat {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let path = self.question.path()?;
        let request = Request::Exists(PathAndWatch {
            path: Some(path.into()),
            watch: false,
        });
        let stat = self.question.ask(&request, |reply| match reply {
            Reply::Stat(stat) => Some(stat),
            _ => None,
        })?;
        let stat = Numbers::from(&stat);
        if self.question.json {
            return print::json(&Node { path, stat });
        }
        print::rows(&stat.rows())
    }
}

impl Numbers {
    fn rows(&self) -> [[String; 2]; 11] {
        let row = |name: &str, value: String| [name.to_owned(), value];
        [
            row("created", utc(self.ctime)),
            row("modified", utc(self.mtime)),
            row("data bytes", self.data_length.to_string()),
            row("children", self.num_children.to_string()),
            row(
                "ephemeral owner",
                if self.ephemeral_owner == "0x0" {
                    "-".to_owned()
                } else {
                    self.ephemeral_owner.clone()
                },
            ),
            row("data version", self.version.to_string()),
            row("children version", self.cversion.to_string()),
            row("acl version", self.aversion.to_string()),
            row("created zxid", self.czxid.clone()),
            row("modified zxid", self.mzxid.clone()),
            row("children zxid", self.pzxid.clone()),
        ]
    }
}

impl From<&zookeeper::Stat> for Numbers {
    fn from(stat: &zookeeper::Stat) -> Numbers {
        Numbers {
            czxid: format!("{:#x}", stat.czxid),
            ctime: stat.ctime,
            mzxid: format!("{:#x}", stat.mzxid),
            mtime: stat.mtime,
            pzxid: format!("{:#x}", stat.pzxid),
            cversion: stat.cversion,
            version: stat.version,
            aversion: stat.aversion,
            ephemeral_owner: format!("{:#x}", stat.ephemeral_owner),
            data_length: stat.data_length,
            num_children: stat.num_children,
        }
    }
}

/// Milliseconds since 1970 as a date and time of day in UTC.
pub(crate) fn utc(millis: i64) -> String {
    let (days, of_day) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (seconds, millis) = (of_day / 1_000, of_day % 1_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{millis:03} UTC")
}

/// The date of a day since 1970-01-01, by the rules of the Gregorian calendar in either direction.
fn date(days: i64) -> (i64, i64, i64) {
    // Years are counted from a 1st of March: then the leap day is the last of its year, and 400 years are one cycle.
    let since_march = days + 719_468;
    let (cycle, day) = (since_march.div_euclid(146_097), since_march.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (cycle * 400 + year + next_year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_a_date_and_a_time_of_day() {
        assert_eq!(utc(0), "1970-01-01 00:00:00.000 UTC");
        assert_eq!(utc(951_782_400_000), "2000-02-29 00:00:00.000 UTC");
        assert_eq!(utc(1_764_547_199_999), "2025-11-30 23:59:59.999 UTC");
        assert_eq!(utc(-1), "1969-12-31 23:59:59.999 UTC");
        assert_eq!(utc(4_107_542_400_000), "2100-03-01 00:00:00.000 UTC");
    }

    #[test]
    fn every_day_of_eight_hundred_years_follows_the_one_before_it() {
        let mut before = date(-1);
        for day in 0..292_194 {
            let now = date(day);
            let next_day = now == (before.0, before.1, before.2 + 1);
            let next_month = now == (before.0, before.1 + 1, 1) && before.2 >= 28;
            let next_year = now == (before.0 + 1, 1, 1) && (before.1, before.2) == (12, 31);
            assert!(next_day || next_month || next_year, "{before:?} {now:?}");
            before = now;
        }
        assert_eq!(before, (2769, 12, 31));
    }
}
