//! Exceptions, as Java's encoder takes them apart: an object of the exception's class with the private fields of
//! `java.lang.Throwable` and whatever fields the class has itself.

use super::super::convert::{FromHessian, ToHessian};
use super::super::decode::{Decoder, Kind};
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};
use super::super::value::Value;

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

    /// The value of a field of its own class.
    pub fn get(&self, field: &str) -> Option<&Value> {
        let known = self.fields.iter().find(|(name, _)| name == field);
        known.map(|(_, value)| value)
    }
}

impl ToHessian for Throwable {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        // All four of Throwable's own: by them dubbo-go recognises an exception of a class that it does not know.
        let mut names: Vec<&str> = self.fields.iter().map(|(name, _)| name.as_str()).collect();
        names.extend(["suppressedExceptions", "stackTrace", "cause", "detailMessage"]);
        out.begin_object(&self.class, &names)?;
        for (_, value) in &self.fields {
            out.value(value)?;
        }
        self.suppressed.to_hessian(out)?;
        out.begin_list(Some("[java.lang.StackTraceElement"), self.stack.len())?;
        for frame in &self.stack {
            frame.to_hessian(out)?;
        }
        self.cause.to_hessian(out)?;
        self.message.to_hessian(out)
    }
}

impl FromHessian for Throwable {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        read(input, &mut Vec::new())
    }
}

/// Reads an exception, knowing the numbers of those around it: one that leads back to any of them is no cause.
fn read(input: &mut Decoder<'_>, around: &mut Vec<usize>) -> Result<Throwable, DecodeError> {
    let Some(class) = input.peek_type()? else {
        return Err(DecodeError::Unexpected {
            wanted: "an exception",
            found: input.peek()?,
        });
    };
    let mut throwable = Throwable {
        class: class.to_string(),
        ..Throwable::default()
    };
    around.push(input.peek_number()?);
    input.fields(|input, name| {
        match name {
            "detailMessage" => throwable.message = Option::from_hessian(input)?,
            "cause" => throwable.cause = read_cause(input, around)?.map(Box::new),
            "stackTrace" => throwable.stack = Option::from_hessian(input)?.unwrap_or_default(),
            "suppressedExceptions" => throwable.suppressed = read_suppressed(input, around)?,
            name => throwable.fields.push((name.to_owned(), input.value()?)),
        }
        Ok(true)
    })?;
    around.pop();
    Ok(throwable)
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
