//! The Rust consumer: what `org.orana.interop.governance.Consumer` is in Java, with the same flags and the same lines.

use std::io::{BufRead, Write};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use orana::{Application, Client};
use serde_json::Value;

use super::answer::Answer;
use super::orders::{OrderService, OrderServiceClient};
use super::question::Question;

const TIMEOUT: Duration = Duration::from_secs(5);

/// What the command line says.
#[derive(Debug, Default)]
struct Flags {
    registry: String,
    application: String,
    group: String,
    version: String,
    parameters: Vec<(String, String)>,
}

/// Says `READY`, then answers each line of `questions` until there are no more. `--host` is read before the runtime starts,
/// by [`host`].
pub async fn run(arguments: &[String], questions: impl BufRead, mut answers: impl Write) -> Result<()> {
    let flags = Flags::read(arguments)?;
    let application = Application::new(&flags.application).registry(&flags.registry);
    let mut refer = application
        .consumer()
        .refer::<OrderServiceClient>()
        .group(&flags.group)
        .version(&flags.version)
        .parameter("loadbalance", "roundrobin")
        .retries(0)
        .timeout(TIMEOUT)
        .check(false);
    for (key, value) in &flags.parameters {
        refer = refer.parameter(key, value);
    }
    let client = refer.await?;
    writeln!(answers, "READY")?;
    for line in questions.lines() {
        let question: Question = serde_json::from_str(&line?)?;
        let answer = answer(&client, &question).await?;
        writeln!(answers, "ANSWER {}", serde_json::to_string(&answer)?)?;
        answers.flush()?;
    }
    drop(client);
    application.close().await;
    Ok(())
}

/// The consumer's own address, if the command line names one. The SDK takes it from the environment, as Dubbo does.
pub fn host(arguments: &[String]) -> Option<&str> {
    let mut pairs = arguments.chunks_exact(2);
    pairs.find_map(|pair| match pair {
        [key, host] if key == "--host" => Some(host.as_str()),
        _ => None,
    })
}

async fn answer(client: &OrderServiceClient, question: &Question) -> Result<Answer> {
    let mut answer = Answer {
        id: question.id,
        ..Answer::default()
    };
    let reference = client.reference().clone();
    let asking = question
        .attachments
        .iter()
        .fold(reference, |reference, (key, value)| reference.attachment(key, value));
    let client = OrderServiceClient::over(asking);
    for _ in 0..question.calls {
        match call(&client, question).await? {
            Ok(Some(address)) => drop(answer.reached.insert(address)),
            Ok(None) => answer.nulls += 1,
            Err(error) => {
                *answer.errors.entry(i32::from(error.code().number())).or_default() += 1;
                answer.failure.get_or_insert_with(|| error.to_string());
            }
        }
    }
    Ok(answer)
}

/// An error of the outer kind is one of the question.
async fn call(client: &OrderServiceClient, question: &Question) -> Result<orana::Result<Option<String>>> {
    let text = |index: usize| -> Result<String> {
        let argument = question.arguments.get(index).and_then(Value::as_str);
        Ok(argument
            .with_context(|| format!("argument {index} is no text"))?
            .to_owned())
    };
    let number = |index: usize| -> Result<i32> {
        let argument = question.arguments.get(index).and_then(Value::as_i64);
        Ok(i32::try_from(
            argument.with_context(|| format!("argument {index} is no number"))?,
        )?)
    };
    Ok(match question.method.as_str() {
        "find" => client.find(text(0)?).await,
        "findPage" => client.find_page(text(0)?, number(1)?).await,
        "get" => client.get(text(0)?).await,
        "getAll" => client.get_all().await,
        "list" => client.list().await,
        "save" => client.save(text(0)?, number(1)?).await,
        other => bail!("no method `{other}`"),
    })
}

impl Flags {
    fn read(arguments: &[String]) -> Result<Flags> {
        let mut flags = Flags::default();
        for pair in arguments.chunks(2) {
            let [key, value] = pair else {
                bail!("`{}` has no value", pair.concat())
            };
            match key.as_str() {
                "--registry" => flags.registry.clone_from(value),
                "--application" => flags.application.clone_from(value),
                "--group" => flags.group.clone_from(value),
                "--version" => flags.version.clone_from(value),
                "--host" => {}
                "--param" => {
                    let (key, value) = value
                        .split_once('=')
                        .with_context(|| format!("`{value}` is no `key=value`"))?;
                    flags.parameters.push((key.to_owned(), value.to_owned()));
                }
                other => bail!("`{other}` is no flag"),
            }
        }
        Ok(flags)
    }
}
