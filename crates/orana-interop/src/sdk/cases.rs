//! The bookkeeping of a consumer that checks itself, as `Cases.java` does it: `ok NAME`, `bad NAME expected … got …`, in the
//! end `DONE N ok M bad`. `--only` and `--except` choose cases by the beginnings of their names, `--peer go` those that
//! dubbo-go 3.3.0 can pass as a provider.
#![allow(clippy::print_stdout, reason = "a peer talks to the test by its standard output")]

use std::fmt::Debug;
use std::future::Future;

use super::canonical::{self, Canonical};
use super::flags::Asked;

/// More of a value does not help to see what is wrong.
const TOLD: usize = 600;

/// It has no overloads, its frames end at 102,400 bytes, a null becomes something else, and an object of a class that it does
/// not know ends the connection.
const GO: &str = "echo.boolean,echo.byte,echo.short,echo.int,echo.long,echo.double,echo.string,echo.bytes,echo.date,\
    echo.ints,echo.longs,echo.list.1,echo.map.1,echo.map.2,echo.base.2,void,exception.declared,exception.declared-field,\
    exception.runtime,exception.state,future,concurrent,attachments,slow,timeout,$echo.string,$echo.int,generic.string,\
    generic.int,generic.long,generic.double,generic.boolean,generic.list,generic.void,generic.future";
const NOT_GO: &str = "echo.string.12,echo.string.13,echo.string.14,echo.bytes.8,echo.bytes.9,echo.date.7,echo.ints.3,\
    echo.longs.2,future.refused";

/// What was right and what was not.
#[derive(Debug)]
pub struct Cases {
    only: Vec<String>,
    except: Vec<String>,
    ok: usize,
    bad: usize,
}

impl Cases {
    /// The cases that the flags choose.
    pub fn new(asked: &Asked) -> Cases {
        let go = asked.get("peer") == Some("go");
        let names = |key: &str, of_go: &str| {
            let list = asked.get(key).unwrap_or(if go { of_go } else { "" });
            let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        };
        Cases {
            only: names("only", GO),
            except: names("except", NOT_GO),
            ok: 0,
            bad: 0,
        }
    }

    /// The call answers this value, as far as its text shows.
    pub async fn answers<E: Canonical + ?Sized, T: Canonical>(
        &mut self,
        name: &str,
        expected: &E,
        call: impl Future<Output = orana::Result<T>>,
    ) {
        let call = async { call.await.map(|value| canonical::of(&value)) };
        self.says(name, &canonical::of(expected), call).await;
    }

    /// The call answers an equal value.
    pub async fn equals<T: PartialEq + Debug>(
        &mut self,
        name: &str,
        expected: &T,
        call: impl Future<Output = orana::Result<T>>,
    ) {
        let call = async { call.await.map(|value| format!("{value:?}")) };
        self.says(name, &format!("{expected:?}"), call).await;
    }

    /// The call yields this text.
    pub async fn says(&mut self, name: &str, expected: &str, call: impl Future<Output = orana::Result<String>>) {
        if !self.only.is_empty() && !is_of(name, &self.only) || is_of(name, &self.except) {
            return;
        }
        let got = Box::pin(call).await.unwrap_or_else(|error| format!("error {error}"));
        if got == expected {
            self.ok += 1;
            println!("ok {name}");
        } else {
            self.bad += 1;
            println!("bad {name} expected {} got {}", told(expected), told(&got));
        }
    }

    /// Says how many there were; whether there were some and all were right.
    pub fn done(&self) -> bool {
        println!("DONE {} ok {} bad", self.ok, self.bad);
        self.bad == 0 && self.ok > 0
    }
}

fn is_of(name: &str, names: &[String]) -> bool {
    let begins = |other: &String| {
        name.strip_prefix(&**other)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    names.iter().any(begins)
}

fn told(value: &str) -> String {
    let line = value.replace('\r', "").replace('\n', " ");
    match line.char_indices().nth(TOLD) {
        Some((end, _)) => line.get(..end).unwrap_or(&line).to_owned() + "...",
        None => line,
    }
}
