//! `orana get PATH`: the data of a node. Text is shown as text; other bytes are written as they are, and as base64 in
//! JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use orana_wire::zookeeper::request::PathAndWatch;
use orana_wire::zookeeper::{Reply, Request};
use serde::Serialize;

use super::stat::Numbers;
use crate::failure::Failure;
use crate::print;
use crate::zookeeper::Question;

/// The command line of `orana get`.
#[derive(Args)]
pub(crate) struct Get {
    #[command(flatten)]
    question: Question,
}

/// What a program gets. A node without data has neither `data` nor `base64`.
#[derive(Serialize)]
struct Node<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    stat: Numbers,
}

impl Get {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let path = self.question.path()?;
        let request = Request::GetData(PathAndWatch {
            path: Some(path.into()),
            watch: false,
        });
        let (data, stat) = self.question.ask(&request, |reply| match reply {
            Reply::Data(data, stat) => Some((data.map(<[u8]>::to_vec), stat)),
            _ => None,
        })?;
        let bytes = data.as_deref();
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        if self.question.json {
            let base64 = bytes.filter(|_| text.is_none()).map(|bytes| STANDARD.encode(bytes));
            return print::json(&Node {
                path,
                data: text,
                base64,
                stat: Numbers::from(&stat),
            });
        }
        match text {
            Some(text) => print::text(text),
            None => print::bytes(bytes.unwrap_or_default()),
        }
    }
}
