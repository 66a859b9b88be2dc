//! What a request asks for: which method of which exported service, with what.
//!
//! A consumer says the same in most of its requests, so what was understood of the last ones is remembered by its bytes.
//! Nothing is performed here.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use orana_core::{Attachments, Encoded, Invocation, Method};
use orana_wire::dubbo::version::reads_response_attachments;
use orana_wire::dubbo::{Descriptor, Header, Serialization, Status};
use orana_wire::hessian::{DecodeError, Decoder};

use crate::arguments;
use crate::exporter::{Absent, Export, Exporter};
use crate::generic::{self, Generic};
use crate::overload;
use crate::values::read_attachments;

/// So many heads are remembered for one connection.
const REMEMBERED: usize = 16;

/// A longer piece is not worth comparing.
const PIECE_MAX: usize = 4096;

/// A request that is understood.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) asked: Asked,
    /// Whether the caller reads attachments in answers.
    pub(super) with_attachments: bool,
}

/// What is asked for.
#[derive(Debug)]
pub(super) enum Asked {
    /// A method of a service.
    Call(Call),
    /// The argument back (`$echo`).
    Echo(Bytes),
}

/// A method of a service to be performed.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) export: Arc<Export>,
    /// The number of the method.
    pub(super) method: usize,
    pub(super) invocation: Invocation,
    /// How the result is to be put, if the call was a generic one.
    pub(super) generic: Option<Generic>,
}

/// A request that is answered with a status and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: Status,
    pub(super) text: String,
}

/// What one connection's requests have in common.
#[derive(Debug, Default)]
pub(super) struct Memory {
    heads: Vec<Head>,
    /// The state of the exporter that the targets belong to.
    changes: u64,
    /// Which head is forgotten next.
    oldest: usize,
}

/// The five texts in front of the arguments.
#[derive(Debug)]
struct Head {
    bytes: Box<[u8]>,
    path: Box<str>,
    version: Box<str>,
    method: Box<str>,
    descriptor: Box<str>,
    parameters: usize,
    with_attachments: bool,
    /// The attachments that came with it last, and the method that was meant.
    last: Option<Last>,
}

#[derive(Debug)]
struct Last {
    bytes: Vec<u8>,
    attachments: Attachments,
    target: (Arc<Export>, Meant),
}

/// What a head and attachments say of the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meant {
    /// This one.
    Method(usize),
    /// One of several; the arguments decide, each time anew.
    ByArguments,
    /// `$invoke` or `$echo`.
    Reserved,
}

impl Refusal {
    pub(super) fn new(status: Status, text: impl Into<String>) -> Refusal {
        Refusal {
            status,
            text: text.into(),
        }
    }

    fn generic(text: String) -> Refusal {
        Refusal::new(Status::BAD_REQUEST, text)
    }

    fn unreadable(error: &dyn std::fmt::Display) -> Refusal {
        Refusal::new(Status::BAD_REQUEST, format!("the request cannot be read: {error}"))
    }
}

/// Reads the body of a request that arrived at that time.
pub(super) fn read(
    header: &Header,
    body: &Bytes,
    exporter: &Exporter,
    memory: &mut Memory,
    arrived: Instant,
) -> Result<Request, Refusal> {
    if header.serialization != Serialization::HESSIAN2 {
        let text = format!(
            "Unrecognized serialize type from consumer: {}",
            header.serialization.id()
        );
        return Err(Refusal::new(Status::BAD_REQUEST, text));
    }
    memory.refresh(exporter);
    let head = memory.head(body).map_err(|error| Refusal::unreadable(&error))?;
    let start = head.bytes.len();
    let (end, attachments, export, meant) = match head.again(body) {
        Some(again) => again,
        None => {
            let mut input = Decoder::new(body.get(start..).unwrap_or_default());
            for _ in 0..head.parameters {
                input.skip().map_err(|error| Refusal::unreadable(&error))?;
            }
            let end = body.len() - input.rest().len();
            let (attachments, export, meant) = head.target(input, exporter)?;
            (end, attachments, export, meant)
        }
    };
    let arguments = slice(body, start, end);
    if let Some(token) = &export.token
        && attachments.get("token") != Some(token)
    {
        let text = format!(
            "Invalid token! Forbid invoke remote service {}",
            export.definition.interface
        );
        return Err(Refusal::new(Status::SERVICE_ERROR, text));
    }
    let encoded = arguments::received(arguments, head.parameters);
    let asked = match meant {
        Meant::Method(method) => Call::asked(export, method, encoded, attachments, arrived, None),
        Meant::ByArguments => {
            let method = overload::by_arguments(&export.definition, &head.method, &encoded)
                .ok_or_else(|| no_method(&export, &head.method, &head.descriptor))?;
            Call::asked(export, method, encoded, attachments, arrived, None)
        }
        Meant::Reserved if head.is_echo() => Ok(Asked::Echo(encoded.bytes().clone())),
        Meant::Reserved => {
            let kind = Generic::of(attachments.get("generic")).map_err(Refusal::generic)?;
            let (method, encoded) = generic::unwrap(&encoded, kind, &export.definition).map_err(Refusal::generic)?;
            Call::asked(export, method, encoded, attachments, arrived, Some(kind))
        }
    };
    Ok(Request {
        asked: asked?,
        with_attachments: head.with_attachments,
    })
}

impl Call {
    fn asked(
        export: Arc<Export>,
        method: usize,
        arguments: Encoded,
        attachments: Attachments,
        arrived: Instant,
        generic: Option<Generic>,
    ) -> Result<Asked, Refusal> {
        let known: Option<&Arc<Method>> = export.methods.get(method);
        let known = Arc::clone(known.ok_or_else(|| no_method(&export, "", ""))?);
        let mut invocation = Invocation::new(known, arguments);
        let left = attachments.get("_TO").or_else(|| attachments.get("_to"));
        invocation.options.deadline = left
            .and_then(|millis| millis.parse().ok())
            .and_then(|millis| arrived.checked_add(Duration::from_millis(millis)));
        invocation.attachments = attachments;
        Ok(Asked::Call(Call {
            export,
            method,
            invocation,
            generic,
        }))
    }
}

impl Memory {
    /// Forgets where calls went if that may have changed.
    fn refresh(&mut self, exporter: &Exporter) {
        let changes = exporter.changes();
        if self.changes != changes {
            self.changes = changes;
            self.heads.iter_mut().for_each(|head| head.last = None);
        }
    }

    /// The head at the front of `body`.
    fn head(&mut self, body: &[u8]) -> Result<&mut Head, HeadError> {
        let known = self.heads.iter().position(|head| body.starts_with(&head.bytes));
        let at = match known {
            Some(at) => at,
            None => {
                let head = Head::read(body)?;
                if self.heads.len() < REMEMBERED {
                    self.heads.push(head);
                    self.heads.len() - 1
                } else {
                    let at = self.oldest % REMEMBERED;
                    self.oldest = at + 1;
                    if let Some(place) = self.heads.get_mut(at) {
                        *place = head;
                    }
                    at
                }
            }
        };
        self.heads.get_mut(at).ok_or(HeadError::Value(DecodeError::Truncated))
    }
}

/// Why the head cannot be read.
#[derive(Debug, thiserror::Error)]
enum HeadError {
    #[error(transparent)]
    Value(#[from] DecodeError),
    #[error(transparent)]
    Descriptor(#[from] orana_wire::dubbo::descriptor::DescriptorError),
    #[error("the names in front of the arguments are too long")]
    Long,
}

impl Head {
    fn read(body: &[u8]) -> Result<Head, HeadError> {
        let mut input = Decoder::new(body);
        let mut text = || -> Result<Cow<'_, str>, DecodeError> {
            match input.null()? {
                true => Ok(Cow::Borrowed("")),
                false => input.text(),
            }
        };
        let (protocol, path, version, method, descriptor) = (text()?, text()?, text()?, text()?, text()?);
        let end = body.len() - input.rest().len();
        let bytes = body.get(..end).filter(|bytes| bytes.len() <= PIECE_MAX);
        Ok(Head {
            bytes: bytes.ok_or(HeadError::Long)?.into(),
            parameters: Descriptor::parse(&descriptor)?.count(),
            with_attachments: reads_response_attachments(&protocol),
            path: path.into(),
            version: version.into(),
            method: method.into(),
            descriptor: descriptor.into(),
            last: None,
        })
    }

    fn is_echo(&self) -> bool {
        &*self.method == "$echo"
    }

    /// Where the arguments end, and what is called, if `body` ends in the same attachments as the last request with this
    /// head: then the arguments need not be looked through to find their end. (Nobody gains by making other bytes look like
    /// that end: what is taken from there was said on this connection, and arguments are checked when they are read.)
    fn again(&self, body: &[u8]) -> Option<(usize, Attachments, Arc<Export>, Meant)> {
        let last = self.last.as_ref()?;
        let end = body
            .len()
            .checked_sub(last.bytes.len())
            .filter(|end| *end >= self.bytes.len())?;
        if !body.ends_with(&last.bytes) {
            return None;
        }
        let (export, meant) = &last.target;
        Some((end, last.attachments.clone(), Arc::clone(export), *meant))
    }

    /// Reads the attachments, where `input` stands, and finds what is called.
    fn target(
        &mut self,
        mut input: Decoder<'_>,
        exporter: &Exporter,
    ) -> Result<(Attachments, Arc<Export>, Meant), Refusal> {
        let bytes = input.rest();
        let attachments = read_attachments(&mut input).map_err(|error| Refusal::unreadable(&error))?;
        let export = self.export(&attachments, exporter)?;
        let meant = self.method(&export)?;
        let mut memory = self.last.take().map_or_else(Vec::new, |last| last.bytes);
        if bytes.len() <= PIECE_MAX {
            memory.clear();
            memory.extend_from_slice(bytes);
            self.last = Some(Last {
                bytes: memory,
                attachments: attachments.clone(),
                target: (Arc::clone(&export), meant),
            });
        }
        Ok((attachments, export, meant))
    }

    fn export(&self, attachments: &Attachments, exporter: &Exporter) -> Result<Arc<Export>, Refusal> {
        let path = attachments
            .get("path")
            .filter(|path| !path.is_empty())
            .unwrap_or(&self.path);
        let group = attachments.get("group");
        exporter.find(path, group, Some(&self.version)).map_err(|absent| {
            let known: Vec<String> = exporter.keys().iter().map(ToString::to_string).take(20).collect();
            let asked = orana_core::ServiceKey::new(path, group, Some(&self.version));
            match absent {
                Absent::Path => {
                    let text = format!("Service not found: {asked}, {}; exported here: {known:?}", self.method);
                    Refusal::new(Status::BAD_REQUEST, text)
                }
                Absent::GroupOrVersion => {
                    let text =
                        format!("Not found exported service: {asked} in {known:?}, may be version or group mismatch");
                    Refusal::new(Status::SERVICE_ERROR, text)
                }
            }
        })
    }

    fn method(&self, export: &Export) -> Result<Meant, Refusal> {
        match &*self.method {
            "$echo" | "$invoke" | "$invokeAsync" => {
                let wanted = if self.is_echo() { generic::ECHO } else { generic::INVOKE };
                if *self.descriptor == *wanted {
                    return Ok(Meant::Reserved);
                }
                Err(no_method(export, &self.method, &self.descriptor))
            }
            name => match overload::by_descriptor(&export.definition, name, &self.descriptor, self.parameters) {
                overload::Found::One(method) => Ok(Meant::Method(method)),
                overload::Found::Several => Ok(Meant::ByArguments),
                overload::Found::None => Err(no_method(export, name, &self.descriptor)),
            },
        }
    }
}

fn no_method(export: &Export, method: &str, descriptor: &str) -> Refusal {
    let text = format!(
        "Service not found: {}, no method {method} with parameters `{descriptor}`",
        export.definition.interface
    );
    Refusal::new(Status::BAD_REQUEST, text)
}

fn slice(body: &Bytes, start: usize, end: usize) -> Bytes {
    body.get(start..end)
        .map_or_else(Bytes::new, |part| body.slice_ref(part))
}
