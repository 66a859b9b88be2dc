//! Days, and what yesterday's file is called. Calendar arithmetic only: no clock, no file.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// So many archives of one day there can be, should several programs write the same file.
pub(super) const MOST_ARCHIVES: u32 = 100;

/// A day of the calendar, in some local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(i64);

/// Whole seconds since 1970, and the microseconds beyond them.
pub(super) fn since_epoch(at: SystemTime) -> (i64, u32) {
    match at.duration_since(UNIX_EPOCH) {
        Ok(since) => (
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            since.subsec_micros(),
        ),
        // A clock before 1970 is set wrong; the file system may give such times nevertheless.
        Err(before) => (-i64::try_from(before.duration().as_secs()).unwrap_or(i64::MAX), 0),
    }
}

impl Day {
    /// The day of that local second.
    pub(super) fn of(seconds: i64) -> Day {
        Day(seconds.div_euclid(86_400))
    }

    /// The day of that moment in a local time so many seconds before that of Greenwich.
    pub(super) fn at(at: SystemTime, offset: i32) -> Day {
        Day::of(since_epoch(at).0.saturating_add(i64::from(offset)))
    }

    /// Year, month and date.
    ///
    /// Counted from the first of March of the year 0, so that the day of a leap year comes last; 146,097 days are 400 years.
    pub(super) fn civil(self) -> (i64, i64, i64) {
        let days = self.0.saturating_add(719_468);
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let of_year = day - (365 * year + year / 4 - year / 100);
        let march = (5 * of_year + 2) / 153;
        let date = of_year - (153 * march + 2) / 5 + 1;
        let month = if march < 10 { march + 3 } else { march - 9 };
        (year + era.saturating_mul(400) + i64::from(month <= 2), month, date)
    }
}

/// The name that a file of that day gets: `FILE.yyyyMMdd`, with a number behind it if that is taken already.
pub(super) fn archive(file: &Path, day: Day, number: u32) -> PathBuf {
    let (year, month, date) = day.civil();
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{year:04}{month:02}{date:02}"));
    if number > 0 {
        name.push(format!(".{number}"));
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn days_have_the_dates_of_the_calendar() {
        for (seconds, date) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (951_782_400, (2000, 2, 29)),
            (951_868_800, (2000, 3, 1)),
            (1_709_164_800, (2024, 2, 29)),
            (1_772_323_199, (2026, 2, 28)),
            (1_772_323_200, (2026, 3, 1)),
            (4_107_542_400, (2100, 3, 1)),
        ] {
            assert_eq!(Day::of(seconds).civil(), date, "{seconds}");
        }
    }

    #[test]
    fn an_extreme_clock_does_no_harm() {
        for seconds in [i64::MAX, i64::MIN] {
            Day::of(seconds).civil();
        }
        assert_eq!(since_epoch(UNIX_EPOCH - Duration::from_secs(5)), (-5, 0));
    }

    #[test]
    fn a_file_of_yesterday_is_named_after_its_day() {
        let day = Day::of(1_769_904_000);
        assert_eq!(archive(Path::new("/l/a.log"), day, 0), Path::new("/l/a.log.20260201"));
        assert_eq!(archive(Path::new("/l/a.log"), day, 2), Path::new("/l/a.log.20260201.2"));
    }
}
