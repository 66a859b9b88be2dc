//! Exceptions, as Java's encoder takes them apart: an object of the exception's class with the private fields of
//! `java.lang.Throwable` and whatever fields the class has itself.

use std::borrow::Cow;

use super::super::convert::{FromHessian, ToHessian};
use super::super::decode::Decoder;
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};
use super::super::fields::{Classed, FromFields, ToFields};
use super::super::kind::Kind;
use super::super::layout::Field;
use super::super::value::Value;
use super::super::{ConvertError, from_bytes, to_bytes};

/// Any exception of Java. Only its class is judged by the reader: Java throws what the caller's side knows and allows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Throwable {
    /// For instance `java.lang.IllegalStateException`.
    pub class: String,
    /// What `getMessage` returns.
    pub message: Option<String>,
    /// What it was caused by; none also if it refers to itself, which is how Java says so.
    pub cause: Option<Box<Throwable>>,
    /// Where it was made, the innermost call first.
    pub stack: Vec<StackFrame>,
    /// What went wrong besides, while resources were closed.
    pub suppressed: Vec<Throwable>,
    /// The fields of its own class, for instance `code` of `RpcException`.
    pub fields: Vec<(String, Value)>,
}

/// What each exception has from `java.lang.Throwable`: the parent of an exception that is declared as a struct.
///
/// ```
/// use orana_macros::Hessian;
/// use orana_wire::hessian::java::{Exception, Throwable};
///
/// #[derive(Debug, PartialEq, Hessian)]
/// #[hessian(class = "org.example.Refused")]
/// struct Refused {
///     #[hessian(flatten)]
///     exception: Exception,
///     code: i32,
/// }
///
/// let refused = Refused { exception: Exception::new("no"), code: 7 };
/// let thrown = Throwable::of(&refused)?;
/// assert_eq!((&*thrown.class, thrown.message.as_deref()), ("org.example.Refused", Some("no")));
/// assert_eq!(thrown.as_declared::<Refused>(), Some(Ok(refused)));
/// # Ok::<(), orana_wire::hessian::ConvertError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exception {
    /// What `getMessage` returns.
    pub message: Option<String>,
    /// What it was caused by.
    pub cause: Option<Box<Throwable>>,
    /// Where it was made, the innermost call first.
    pub stack: Vec<StackFrame>,
    /// What went wrong besides, while resources were closed.
    pub suppressed: Vec<Throwable>,
}

/// `java.lang.StackTraceElement`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackFrame {
    /// Where the method is.
    pub class: String,
    /// The method.
    pub method: String,
    /// The source file, if known.
    pub file: Option<String>,
    /// The line; negative if unknown, -2 in native code.
    pub line: i32,
}

impl Throwable {
    /// An exception with a message and nothing else.
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Self {
        Throwable {
            class: class.into(),
            message: Some(message.into()),
            ..Throwable::default()
        }
    }

    /// An exception that is declared as a struct, as those see it who do not know the struct.
    pub fn of<T: ToHessian + Classed>(exception: &T) -> Result<Self, ConvertError> {
        Ok(from_bytes(&to_bytes(exception)?)?)
    }

    /// The exception as the struct that it is declared as; none if it is of another class.
    pub fn as_declared<T: FromHessian + Classed>(&self) -> Option<Result<T, ConvertError>> {
        let read = || Ok(from_bytes(&to_bytes(self)?)?);
        (self.class == T::CLASS).then(read)
    }

    /// The value of a field of its own class.
    pub fn get(&self, field: &str) -> Option<&Value> {
        let known = self.fields.iter().find(|(name, _)| name == field);
        known.map(|(_, value)| value)
    }
}

impl Exception {
    /// With a message and nothing else.
    pub fn new(message: impl Into<String>) -> Self {
        Exception {
            message: Some(message.into()),
            ..Exception::default()
        }
    }

    /// Reads a field if it is one of these, knowing the numbers of the exceptions around the value.
    fn read(&mut self, name: &str, input: &mut Decoder<'_>, around: &mut Vec<usize>) -> Result<bool, DecodeError> {
        match name {
            "detailMessage" => self.message = Option::from_hessian(input)?,
            "cause" => self.cause = read_cause(input, around)?.map(Box::new),
            "stackTrace" => self.stack = Option::from_hessian(input)?.unwrap_or_default(),
            "suppressedExceptions" => self.suppressed = read_suppressed(input, around)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// All four fields: by them dubbo-go recognises an exception of a class that it does not know.
const OWN: [&str; 4] = ["suppressedExceptions", "stackTrace", "cause", "detailMessage"];

fn write_own(
    out: &mut Encoder<'_>,
    suppressed: &[Throwable],
    stack: &[StackFrame],
    cause: Option<&Throwable>,
    message: Option<&str>,
) -> Result<(), EncodeError> {
    suppressed.to_hessian(out)?;
    out.begin_list(Some("[java.lang.StackTraceElement"), stack.len())?;
    stack.iter().try_for_each(|frame| frame.to_hessian(out))?;
    cause.to_hessian(out)?;
    message.to_hessian(out)
}

impl ToFields for Exception {
    const FIELDS: &'static [Field] = &[
        Field::Named(OWN[0]),
        Field::Named(OWN[1]),
        Field::Named(OWN[2]),
        Field::Named(OWN[3]),
    ];

    fn to_fields(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        let cause = self.cause.as_deref();
        write_own(out, &self.suppressed, &self.stack, cause, self.message.as_deref())
    }
}

impl FromFields for Exception {
    type Read = Exception;

    fn read_field(read: &mut Exception, name: &str, input: &mut Decoder<'_>) -> Result<bool, DecodeError> {
        read.read(name, input, &mut vec![input.inside()])
    }

    fn complete(read: Exception) -> Result<Self, DecodeError> {
        Ok(read)
    }
}

impl ToHessian for Throwable {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        let mut names: Vec<&str> = self.fields.iter().map(|(name, _)| name.as_str()).collect();
        names.extend(OWN);
        out.begin_object(&self.class, &names)?;
        self.fields.iter().try_for_each(|(_, value)| out.value(value))?;
        let cause = self.cause.as_deref();
        write_own(out, &self.suppressed, &self.stack, cause, self.message.as_deref())
    }
}

impl FromHessian for Throwable {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        read(input, &mut Vec::new())
    }
}

/// Reads an exception, knowing the numbers of those around it: one that leads back to any of them is no cause.
fn read(input: &mut Decoder<'_>, around: &mut Vec<usize>) -> Result<Throwable, DecodeError> {
    let Some(class) = input.peek_type()?.map(Cow::into_owned) else {
        return Err(DecodeError::Unexpected {
            wanted: "an exception",
            found: input.peek()?,
        });
    };
    let (mut own, mut fields) = (Exception::default(), Vec::new());
    let outer = around.len();
    input.fields(|input, name| {
        if around.len() == outer {
            around.push(input.inside());
        }
        if !own.read(name, input, around)? {
            fields.push((name.to_owned(), input.value()?));
        }
        Ok(true)
    })?;
    around.truncate(outer);
    Ok(Throwable {
        class,
        message: own.message,
        cause: own.cause,
        stack: own.stack,
        suppressed: own.suppressed,
        fields,
    })
}

fn read_cause(input: &mut Decoder<'_>, around: &mut Vec<usize>) -> Result<Option<Throwable>, DecodeError> {
    if input.null()? {
        return Ok(None);
    }
    if input.peek()? == Kind::Reference && around.contains(&input.peek_number()?) {
        input.skip()?;
        return Ok(None);
    }
    read(input, around).map(Some)
}

fn read_suppressed(input: &mut Decoder<'_>, around: &mut Vec<usize>) -> Result<Vec<Throwable>, DecodeError> {
    if input.null()? {
        return Ok(Vec::new());
    }
    // Java wraps the list in various ways; whatever is none is not worth failing for.
    match input.peek()? {
        Kind::List => Ok(input
            .list(|input| read_cause(input, around))?
            .into_iter()
            .flatten()
            .collect()),
        _ => {
            input.skip()?;
            Ok(Vec::new())
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl ToHessian for StackFrame {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        let fields = ["declaringClass", "methodName", "fileName", "lineNumber"];
        out.begin_object("java.lang.StackTraceElement", &fields)?;
        out.text(&self.class);
        out.text(&self.method);
        self.file.to_hessian(out)?;
        out.int(self.line);
        Ok(())
    }
}

impl FromHessian for StackFrame {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let mut frame = StackFrame::default();
        input.fields(|input, name| {
            match name {
                "declaringClass" => frame.class = Option::from_hessian(input)?.unwrap_or_default(),
                "methodName" => frame.method = Option::from_hessian(input)?.unwrap_or_default(),
                "fileName" => frame.file = Option::from_hessian(input)?,
                "lineNumber" => frame.line = i32::from_hessian(input)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(frame)
    }
}
