//! Small objects: constants of enums, classes, and the several kinds of dates.

use super::super::convert::{FromHessian, ToHessian};
use super::super::decode::Decoder;
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};
use super::super::kind::Kind;

/// `java.util.Date`: milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub i64);

/// `java.sql.Timestamp`, to the millisecond, which is all that Hessian keeps of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A constant of a Java enum. Its class decides, on the Java side, whether there is such a constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Enumerated {
    /// For instance `java.util.concurrent.TimeUnit`.
    pub class: String,
    /// The constant's name.
    pub name: String,
}

/// `java.lang.Class`: a name, nothing more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JavaClass(pub String);

impl ToHessian for Date {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.date(self.0);
        Ok(())
    }
}

impl FromHessian for Date {
    /// Reads a date, or one of the objects of `java.sql` that hold one.
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        if input.peek()? == Kind::Date {
            return input.date().map(Date);
        }
        field(input, "value", Decoder::date).map(Date)
    }
}

impl ToHessian for Timestamp {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_object("java.sql.Timestamp", &["value"])?;
        out.date(self.0);
        Ok(())
    }
}

impl FromHessian for Timestamp {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Date::from_hessian(input).map(|date| Timestamp(date.0))
    }
}

impl ToHessian for Enumerated {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_object(&self.class, &["name"])?;
        out.text(&self.name);
        Ok(())
    }
}

impl FromHessian for Enumerated {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let class = input.peek_type()?;
        let name = field(input, "name", String::from_hessian)?;
        Ok(Enumerated {
            class: class.map(|class| class.to_string()).unwrap_or_default(),
            name,
        })
    }
}

impl ToHessian for JavaClass {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_object("java.lang.Class", &["name"])?;
        out.text(&self.0);
        Ok(())
    }
}

impl FromHessian for JavaClass {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        field(input, "name", String::from_hessian).map(JavaClass)
    }
}

/// Reads an object for one of its fields.
pub(super) fn field<'a, T>(
    input: &mut Decoder<'a>,
    wanted: &'static str,
    read: impl Fn(&mut Decoder<'a>) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let mut found = None;
    input.fields(|input, name| {
        let known = name == wanted;
        if known {
            found = Some(read(input)?);
        }
        Ok(known)
    })?;
    found.ok_or(DecodeError::Missing(wanted))
}
