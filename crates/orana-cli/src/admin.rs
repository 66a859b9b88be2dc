//! Asks the admin HTTP API of a centre. Knows its address and its errors, not what the documents mean.

use std::time::Duration;

use clap::Args;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Kind};

/// A centre that is asked for its status answers at once, or something is wrong with it.
const PATIENCE: Duration = Duration::from_secs(10);

/// No document of this API is larger.
const LONGEST: u64 = 64 << 20;

/// Which centre.
#[derive(Args)]
pub(crate) struct Centre {
    /// The admin address of the centre
    #[arg(
        long,
        value_name = "HOST:PORT",
        env = "ORANA_ADMIN",
        default_value = "127.0.0.1:7710"
    )]
    admin: String,
}

impl Centre {
    /// Gets the document at `path`.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let url = format!("http://{}{path}", self.admin);
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build();
        let mut response = ureq::Agent::new_with_config(config)
            .get(&url)
            .call()
            .map_err(|error| self.failure(error))?;
        let status = response.status();
        let text = response.body_mut().with_config().limit(LONGEST).read_to_string();
        let text = text.map_err(|error| self.failure(error))?;
        if !status.is_success() {
            let kind = if status == ureq::http::StatusCode::NOT_FOUND {
                Kind::NotFound
            } else {
                Kind::Failed
            };
            return Err(Failure::new(
                kind,
                format_args!("`{url}` answered {status}: {}", text.trim()),
            ));
        }
        serde_json::from_str(&text)
            .map_err(|error| Failure::new(Kind::Failed, format_args!("`{url}` answered something else: {error}")))
    }

    fn failure(&self, error: ureq::Error) -> Failure {
        let kind = match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => Kind::Usage,
            ureq::Error::Io(_)
            | ureq::Error::Timeout(_)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed => Kind::Unreachable,
            _ => Kind::Failed,
        };
        let (why, hint) = match &error {
            ureq::Error::Io(io) => (io.to_string(), "; is `orana server` running there?"),
            other => (other.to_string(), ""),
        };
        Failure::new(
            kind,
            format_args!("cannot ask the centre at `{}`: {why}{hint}", self.admin),
        )
    }
}
