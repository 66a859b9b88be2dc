//! Types of Java that travel as objects and that programs want as what they are.
//!
//! Each reads every form that Java's encoders give it and writes the one that every Dubbo since 2.6 can read.

mod array;
mod declared;
mod number;
mod object;
mod throwable;
mod time;

pub use array::Array;
pub use declared::JavaType;
pub use number::{BigDecimal, BigInteger, Uuid};
pub use object::{Date, Enumerated, JavaClass, Timestamp};
pub use throwable::{Exception, StackFrame, Throwable};
pub use time::{
    Duration, Instant, LocalDate, LocalDateTime, LocalTime, MonthDay, OffsetDateTime, OffsetTime, Period, Year,
    YearMonth, ZoneId, ZoneOffset, ZonedDateTime,
};
