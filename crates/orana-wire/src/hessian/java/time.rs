//! The types of `java.time`, which Dubbo's Hessian sends as *handles*: plain objects with the parts of the value.
//!
//! A switch of the Java encoder makes it write three of them (date, time, both) in a compact form instead; that is
//! read here and never written, because only the newest Java can read it. Whether a date exists is for the reader's
//! calendar to say: nothing here computes with time, beyond taking the compact numbers apart.

use super::super::convert::{FromHessian, ToHessian};
use super::super::decode::Decoder;
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};

/// Where the Java encoder keeps its handles, in all generations of Dubbo.
macro_rules! handle_name {
    ($name:literal) => {
        concat!("com.alibaba.com.caucho.hessian.io.java8.", $name, "Handle")
    };
}

/// Declares a type with the Java names of its parts, in the order in which Java writes them.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident $java:literal {
        $($(#[$field_doc:meta])* $field:ident $java_field:literal: $kind:ty,)*
    } $(or $compact:ident)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name { $($(#[$field_doc])* pub $field: $kind,)* }

            impl ToHessian for $name {
                fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
                    out.begin_object(handle_name!($java), &[$($java_field),*])?;
                    $(self.$field.to_hessian(out)?;)*
                    Ok(())
                }
            }

            impl FromHessian for $name {
                fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
                    $(if input.peek_type()?.as_deref() == Some(concat!("java.time.", $java)) {
                        return $compact(input);
                    })?
                    $(let mut $field = None;)*
                    input.fields(|input, name| {
                        match name {
                            $($java_field => $field = Some(FromHessian::from_hessian(input)?),)*
                            _ => return Ok(false),
                        }
                        Ok(true)
                    })?;
                    Ok($name { $($field: $field.ok_or(DecodeError::Missing($java_field))?,)* })
                }
            }
        )*
    };
}

handles! {
    /// `java.time.LocalDate`.
    LocalDate "LocalDate" {
        /// 1 to 31.
        day "day": i32,
        /// 1 to 12.
        month "month": i32,
        /// May be negative.
        year "year": i32,
    } or compact_date;

    /// `java.time.LocalTime`.
    LocalTime "LocalTime" {
        /// 0 to 999,999,999.
        nano "nano": i32,
        /// 0 to 59.
        second "second": i32,
        /// 0 to 59.
        minute "minute": i32,
        /// 0 to 23.
        hour "hour": i32,
    } or compact_time;

    /// `java.time.LocalDateTime`.
    LocalDateTime "LocalDateTime" {
        /// The time of day.
        time "time": LocalTime,
        /// The day.
        date "date": LocalDate,
    } or compact_date_time;

    /// `java.time.Instant`.
    Instant "Instant" {
        /// 0 to 999,999,999.
        nanos "nanos": i32,
        /// Since 1970.
        seconds "seconds": i64,
    };

    /// `java.time.Duration`.
    Duration "Duration" {
        /// 0 to 999,999,999, also of a negative duration.
        nanos "nanos": i32,
        /// Rounded down.
        seconds "seconds": i64,
    };

    /// `java.time.Period`.
    Period "Period" {
        /// Any number.
        days "days": i32,
        /// Any number.
        months "months": i32,
        /// Any number.
        years "years": i32,
    };

    /// `java.time.Year`.
    Year "Year" {
        /// May be negative.
        year "year": i32,
    };

    /// `java.time.YearMonth`.
    YearMonth "YearMonth" {
        /// 1 to 12.
        month "month": i32,
        /// May be negative.
        year "year": i32,
    };

    /// `java.time.MonthDay`.
    MonthDay "MonthDay" {
        /// 1 to 31.
        day "day": i32,
        /// 1 to 12.
        month "month": i32,
    };

    /// `java.time.ZoneOffset`.
    ZoneOffset "ZoneOffset" {
        /// East of Greenwich.
        seconds "seconds": i32,
    };

    /// `java.time.ZoneId` of a region.
    ZoneId "ZoneId" {
        /// For instance `Europe/Berlin`.
        zone_id "zoneId": String,
    };

    /// `java.time.OffsetDateTime`.
    OffsetDateTime "OffsetDateTime" {
        /// Distance of the local time from UTC.
        offset "offset": ZoneOffset,
        /// The local time.
        date_time "dateTime": LocalDateTime,
    };

    /// `java.time.OffsetTime`.
    OffsetTime "OffsetTime" {
        /// Distance of the local time from UTC.
        zone_offset "zoneOffset": ZoneOffset,
        /// The local time.
        local_time "localTime": LocalTime,
    };

    /// `java.time.ZonedDateTime`.
    ZonedDateTime "ZonedDateTime" {
        /// Distance of the local time from UTC.
        offset "offset": ZoneOffset,
        /// The local time.
        date_time "dateTime": LocalDateTime,
        /// A region, or an offset once more.
        zone_id "zoneId": Option<String>,
    };
}

// ---------------------------------------------------------------------------------------------------------------------

const NANOS_OF_SECOND: i64 = 1_000_000_000;
const NANOS_OF_DAY: i64 = 86_400 * NANOS_OF_SECOND;
/// The days of 400 years, after which the calendar repeats.
const DAYS_OF_ERA: i64 = 146_097;

fn compact_date(input: &mut Decoder<'_>) -> Result<LocalDate, DecodeError> {
    date_of(super::object::field(input, "epochDay", Decoder::integer)?)
}

fn compact_time(input: &mut Decoder<'_>) -> Result<LocalTime, DecodeError> {
    time_of(super::object::field(input, "nanoOfDay", Decoder::integer)?)
}

fn compact_date_time(input: &mut Decoder<'_>) -> Result<LocalDateTime, DecodeError> {
    let (mut day, mut nano) = (None, None);
    input.fields(|input, name| {
        match name {
            "date" => day = Some(input.integer()?),
            "time" => nano = Some(input.integer()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(LocalDateTime {
        time: time_of(nano.ok_or(DecodeError::Missing("time"))?)?,
        date: date_of(day.ok_or(DecodeError::Missing("date"))?)?,
    })
}

fn time_of(nano: i64) -> Result<LocalTime, DecodeError> {
    if !(0..NANOS_OF_DAY).contains(&nano) {
        return Err(DecodeError::Invalid("time of day"));
    }
    let part = |number: i64| i32::try_from(number).map_err(|_| DecodeError::Invalid("time of day"));
    let seconds = nano / NANOS_OF_SECOND;
    Ok(LocalTime {
        nano: part(nano % NANOS_OF_SECOND)?,
        second: part(seconds % 60)?,
        minute: part(seconds / 60 % 60)?,
        hour: part(seconds / 3600)?,
    })
}

/// The day so many days after 1 January 1970, in the Gregorian calendar continued in both directions.
fn date_of(day: i64) -> Result<LocalDate, DecodeError> {
    let part = |number: i64| i32::try_from(number).map_err(|_| DecodeError::Invalid("date"));
    // Counted from 1 March of the year 0: the leap day is the last of a year, and eras begin with one.
    let day = day.checked_add(719_468).ok_or(DecodeError::Invalid("date"))?;
    let (era, of_era) = (day.div_euclid(DAYS_OF_ERA), day.rem_euclid(DAYS_OF_ERA));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let month = (month_from_march + 2) % 12 + 1;
    Ok(LocalDate {
        day: part(of_year - (153 * month_from_march + 2) / 5 + 1)?,
        month: part(month)?,
        year: part(year_of_era + era * 400 + i64::from(month <= 2))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_days_and_nanos_are_taken_apart() {
        for (number, day, month, year) in [
            (0, 1, 1, 1970),
            (-1, 31, 12, 1969),
            (19_782, 29, 2, 2024),
            (11_016, 29, 2, 2000),
            (-719_528, 1, 1, 0),
            (2_932_896, 31, 12, 9999),
        ] {
            assert_eq!(date_of(number), Ok(LocalDate { day, month, year }), "{number}");
        }
        assert!(date_of(i64::MAX).is_err());
        let last = LocalTime {
            nano: 999_999_999,
            second: 59,
            minute: 59,
            hour: 23,
        };
        assert_eq!(time_of(NANOS_OF_DAY - 1), Ok(last));
        assert!(time_of(NANOS_OF_DAY).is_err());
        assert!(time_of(-1).is_err());
    }
}
