//! How calls end: overloads, exceptions, later, never, with attachments.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use orana::{Client, Error, ErrorCode, Value};

use super::beans::Refused;
use super::canonical;
use super::cases::Cases;
use super::contract::{Corpus, CorpusClient};
use super::flags::Asked;
use super::samples;

const SHORT_TIMEOUT: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(5);

/// All of them.
pub(super) async fn run(corpus: &CorpusClient, asked: &Asked, cases: &mut Cases) -> Result<()> {
    overloads(corpus, cases).await;
    exceptions(corpus, cases).await;
    later(corpus, cases).await;
    attachments(corpus, cases).await;
    one_way(corpus, cases).await?;
    timeout(corpus, cases).await;
    nobody(asked, cases).await?;
    echo_service(corpus, cases).await;
    Ok(())
}

async fn overloads(corpus: &CorpusClient, cases: &mut Cases) {
    cases
        .says("overload.string", "String \"a\"", corpus.same_string("a".into()))
        .await;
    cases.says("overload.int", "int 5", corpus.same_int(5)).await;
    cases
        .says("overload.integer", "Integer 5", corpus.same_integer(Some(5)))
        .await;
    cases
        .says("overload.integer-null", "Integer null", corpus.same_integer(None))
        .await;
    cases
        .says(
            "overload.string-int",
            "String,int \"a\" 5",
            corpus.same_string_int("a".into(), 5),
        )
        .await;
    cases
        .says("overload.list", "List [1]", corpus.same_list(vec![Value::Int(1)]))
        .await;
}

async fn exceptions(corpus: &CorpusClient, cases: &mut Cases) {
    cases.equals("void", &(), corpus.nothing()).await;
    let call = thrown(corpus.declared("no 中".into(), 7));
    cases
        .says("exception.declared", "org.example.peer.Refused: no 中", call)
        .await;
    let call = async {
        match corpus.declared("no".into(), 7).await {
            Ok(answer) => Ok(answer),
            Err(error) => match orana::caught::<Refused>(&error) {
                Some(refused) => Ok(format!("{:?} {}", refused.exception.message, refused.code)),
                None => Err(error),
            },
        }
    };
    cases.says("exception.declared-field", "Some(\"no\") 7", call).await;
    for (kind, expected) in [
        ("runtime", "java.lang.RuntimeException: why"),
        ("state", "java.lang.IllegalStateException: why"),
    ] {
        let call = thrown(corpus.undeclared(kind.into(), "why".into()));
        cases.says(&format!("exception.{kind}"), expected, call).await;
    }
    let call = async {
        let thrown = thrown(corpus.undeclared("foreign".into(), "far".into())).await?;
        let right = thrown.starts_with("java.lang.RuntimeException: ") && thrown.contains("far");
        Ok(if right { "as a RuntimeException".into() } else { thrown })
    };
    cases.says("exception.foreign", "as a RuntimeException", call).await;
}

async fn later(corpus: &CorpusClient, cases: &mut Cases) {
    cases.says("future", "x", corpus.later("x".into(), 50)).await;
    let call = thrown(corpus.later_refused("late".into(), 1));
    cases
        .says("future.refused", "org.example.peer.Refused: late", call)
        .await;
    // Many in flight on one connection, whose answers come in another order.
    let call = async {
        let calls = (0..100).map(|number| {
            let corpus = corpus.clone();
            tokio::spawn(async move { corpus.later(format!("call {number}"), (100 - number) * 5).await })
        });
        let mut wrong = 0;
        for (number, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
            let answer = call
                .await
                .map_err(|error| Error::new(ErrorCode::Unknown, error.to_string()))??;
            wrong += i32::from(answer != format!("call {number}"));
        }
        Ok(wrong)
    };
    cases.equals("concurrent", &0, call).await;
}

async fn attachments(corpus: &CorpusClient, cases: &mut Cases) {
    let sent = [("peer.a", "1"), ("peer.b", "中 😀"), ("peer.c", "")];
    let sent = sent.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let mut back = BTreeMap::new();
    let call = async {
        let with = |calls, (name, text): &(String, String)| orana::Reference::attachment(calls, name, text);
        let accompanied = corpus.with(|calls| sent.iter().fold(calls, with));
        let (arrived, answered) = orana::observed(accompanied.attachments("peer.".into())).await;
        let of_ours = answered
            .attachments
            .iter()
            .filter(|(name, _)| name.starts_with("back."));
        back.extend(of_ours.map(|(name, text)| (name.to_string(), text.to_string())));
        arrived
    };
    cases
        .answers("attachments.there", &BTreeMap::from(sent.clone()), call)
        .await;
    let mut expected: BTreeMap<String, String> = sent
        .iter()
        .map(|(name, text)| (format!("back.{name}"), text.clone()))
        .collect();
    expected.insert("back.count".into(), "3".into());
    cases.answers("attachments.back", &expected, async { Ok(back) }).await;
    let nothing = BTreeMap::<String, String>::new();
    cases
        .answers("attachments.not-kept", &nothing, corpus.attachments("peer.".into()))
        .await;
}

async fn one_way(corpus: &CorpusClient, cases: &mut Cases) -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let text = format!("notice {} {}", std::process::id(), now.as_nanos());
    let call = async {
        let telling = corpus.with(|calls| calls.one_way());
        for _ in 0..20 {
            telling.notice(text.clone()).await?;
        }
        let start = Instant::now();
        loop {
            let noticed = corpus.noticed(text.clone()).await?;
            if noticed >= 20 || start.elapsed() > PATIENCE {
                return Ok(noticed);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    cases.equals("one-way", &20, call).await;
    Ok(())
}

async fn timeout(corpus: &CorpusClient, cases: &mut Cases) {
    cases.equals("slow", &100, corpus.slow(100)).await;
    let hasty = corpus.with(|calls| calls.timeout(SHORT_TIMEOUT));
    let call = async {
        let start = Instant::now();
        let outcome = hasty.slow(2_000).await;
        let took = start.elapsed();
        let error = match outcome {
            Ok(answer) => return Ok(format!("the answer {answer}")),
            Err(error) if error.code() == ErrorCode::Timeout => error,
            Err(error) => return Err(error),
        };
        let in_time = took >= SHORT_TIMEOUT && took < Duration::from_millis(1_500);
        Ok(if in_time {
            "in time".into()
        } else {
            format!("after {took:?}: {error}")
        })
    };
    cases.says("timeout", "in time", call).await;
    cases
        .answers(
            "timeout.next-call",
            &Some("x".to_owned()),
            hasty.echo_string(Some("x".into())),
        )
        .await;
}

async fn nobody(asked: &Asked, cases: &mut Cases) -> Result<()> {
    let refer = asked
        .refer::<CorpusClient>()
        .version("0.0.0-nobody-has-this")
        .check(false);
    let nobody = refer.await?;
    let call = async {
        match nobody.echo_string(Some("x".into())).await {
            Ok(answer) => Ok(format!("the answer {answer:?}")),
            Err(error) if error.code() == ErrorCode::Timeout => Err(error),
            Err(_) => Ok("refused".into()),
        }
    };
    cases.says("wrong-version", "refused", call).await;
    Ok(())
}

async fn echo_service(corpus: &CorpusClient, cases: &mut Cases) {
    for (name, value) in [
        ("string", "text".into()),
        ("int", Value::Int(5)),
        ("null", Value::Null),
        ("list", Value::list([Value::Int(1), "two".into()])),
        ("item", samples::value(&samples::item())),
    ] {
        let expected = canonical::of(&value);
        let arguments = [value];
        let call = async {
            let answer = corpus
                .reference()
                .call("$echo", &["java.lang.Object"], &arguments)
                .await?;
            Ok(canonical::of(&answer))
        };
        cases.says(&format!("$echo.{name}"), &expected, call).await;
    }
}

/// The class and message of what a call throws.
async fn thrown<T: std::fmt::Debug>(call: impl Future<Output = orana::Result<T>>) -> orana::Result<String> {
    match call.await {
        Ok(answer) => Ok(format!("the answer {answer:?}")),
        Err(error) => match error.exception() {
            Some(exception) => Ok(format!(
                "{}: {}",
                exception.class,
                exception.message.as_deref().unwrap_or("no message")
            )),
            None => Err(error),
        },
    }
}
