//! `orana explain SERVICE --method M`: where such a call of some consumer would go and why, from the registry and the configuration centre alone.
//! Builds the reference that the consumer would have, with nobody connected to and nothing registered.

use std::time::Duration;

use clap::Args;
use orana::{Application, Explanation, Reference};
use orana_core::ServiceKey;
use tokio::time::timeout;

use super::call::{arguments, pair};
use crate::failure::{Failure, Kind};
use crate::print;
use crate::registry::{Source, question, run, service};

/// How long a list that was told may take to be worked through; nobody is connected to, so it is a matter of milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// The command line of `orana explain`.
#[derive(Args)]
pub(crate) struct Explain {
    /// The service as the consumer asks for it: GROUP/INTERFACE:VERSION; a group or version that is left out is none, * is any
    #[arg(value_name = "SERVICE", value_parser = service)]
    service: ServiceKey,
    /// The method
    #[arg(long)]
    method: String,
    /// The arguments as a JSON array, for rules that look at them
    #[arg(long, default_value = "[]", value_name = "JSON")]
    args: String,
    /// What is sent beside the arguments, for instance dubbo.tag=gray; may be given several times
    #[arg(long, value_name = "NAME=TEXT", value_parser = pair)]
    attachment: Vec<(String, String)>,
    /// The name of the application that calls
    #[arg(long, value_name = "NAME", default_value = "orana-cli")]
    application: String,
    /// The address that it calls from [default: the one of this machine towards the registry]
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,
    /// The group of the service, instead of one in SERVICE
    #[arg(long)]
    group: Option<String>,
    /// The version of the service, instead of one in SERVICE
    #[arg(long)]
    version: Option<String>,
    /// A parameter of the consumer, for instance region=hangzhou or retries=0; may be given several times
    #[arg(long, value_name = "NAME=TEXT", value_parser = pair)]
    parameter: Vec<(String, String)>,
    #[command(flatten)]
    source: Source,
    /// Where rules stand, if not at the registry, for instance zookeeper://127.0.0.1:2181
    #[arg(long, value_name = "URL", env = "ORANA_CONFIG_CENTER")]
    config_center: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Explain {
    /// Prints the explanation; a failure if nobody is left.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let arguments = arguments(&self.args)?;
        // A reference goes on without its registry; here that is a failure to be told.
        self.source.lookup(&question(&self.asked(), "providers"))?;
        run(async {
            let (application, reference) = self.reference().await?;
            // What does not come in this time is told as what is known by then.
            let _ = timeout(PATIENCE, reference.settled()).await;
            let explanation = reference.explain(&self.method, &arguments)?;
            let hint = match explanation.registered {
                0 => self.source.meant(&self.asked()).await,
                _ => None,
            };
            drop(reference);
            application.close().await;
            self.print(&explanation)?;
            conclude(explanation, hint)
        })
    }

    fn asked(&self) -> ServiceKey {
        ServiceKey::new(
            self.service.interface(),
            self.group.as_deref().or(self.service.group()),
            self.version.as_deref().or(self.service.version()),
        )
    }

    async fn reference(&self) -> Result<(Application, Reference), Failure> {
        let registry = self.source.url()?.edit().set("register", "false").build();
        let mut application = Application::new(&self.application).registry(&registry.full_text());
        if let Some(centre) = &self.config_center {
            application = application.config_center(centre);
        }
        let mut consumer = application.consumer().connecting_nowhere();
        if let Some(host) = &self.host {
            consumer = consumer.host(host);
        }
        let asked = self.asked();
        let mut refer = consumer
            .refer_to(asked.interface())
            .group(asked.group().unwrap_or_default())
            .version(asked.version().unwrap_or_default());
        for (name, value) in &self.parameter {
            refer = refer.parameter(name, value);
        }
        // The registry is to answer; that it lists nobody is an answer.
        let reference = refer.check(false).await?;
        let reference = self
            .attachment
            .iter()
            .fold(reference, |reference, (name, text)| reference.attachment(name, text));
        Ok((application, reference))
    }

    fn print(&self, explanation: &Explanation) -> Result<(), Failure> {
        match self.json {
            true => print::json(explanation),
            false => print::text(&explanation.to_string()),
        }
    }
}

fn conclude(explanation: Explanation, hint: Option<String>) -> Result<(), Failure> {
    match (explanation.nobody, hint) {
        (None, _) => Ok(()),
        (Some(nobody), Some(hint)) => Err(Failure::new(Kind::NotFound, format_args!("{nobody}; {hint}"))),
        (Some(nobody), None) => Err(Failure::new(Kind::NotFound, nobody)),
    }
}
