//! `orana ls PATH`: the children of a node, one a line, in the order of their names.

use clap::Args;
use orana_wire::zookeeper::request::PathAndWatch;
use orana_wire::zookeeper::{Reply, Request};
use serde::Serialize;

use crate::failure::Failure;
use crate::print;
use crate::zookeeper::Question;

/// The command line of `orana ls`.
#[derive(Args)]
pub(crate) struct Ls {
    #[command(flatten)]
    question: Question,
}

#[derive(Serialize)]
struct Children<'a> {
    path: &'a str,
    children: Vec<String>,
}

impl Ls {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let path = self.question.path()?;
        let request = Request::GetChildren(PathAndWatch {
            path: Some(path.into()),
            watch: false,
        });
        let mut children = self.question.ask(&request, |reply| match reply {
            Reply::Children(names) => Some(names.into_iter().map(|name| name.into_owned()).collect::<Vec<_>>()),
            _ => None,
        })?;
        children.sort();
        if self.question.json {
            return print::json(&Children { path, children });
        }
        print::text(&children.join("\n"))
    }
}
