//! The order in which a centre comes up and goes down.
//!
//! ```text
//!  up:    descriptors ─▶ bind ─▶ member (store, log, state) ─▶ faces serve ─▶ `ready`
//!  down:  stop accepting ─▶ connections end ─▶ writes that were taken are finished ─▶ store closes
//! ```

use std::io::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use orana_node::{Centre, MemberConfig, StartError};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::admin;
use crate::config::Config;
use crate::frontend::zookeeper::{Face, FaceConfig, Listener};

/// How long connections, and then writes, may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a centre did not start or could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// An address could not be bound.
    #[error("cannot listen on {address} (`{key}`): {source}; is another server running there?")]
    Bind {
        /// The setting that names the address.
        key: &'static str,
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The member did not come up.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The member cannot go on.
    #[error(
        "stopped, because the store or the engine failed: {0}; nothing that was acknowledged is lost; mend the cause and start again"
    )]
    Failed(String),
}

/// Runs a centre until `shutdown` completes or it cannot go on. Writes the line `ready …` to the standard error
/// stream once it serves.
///
/// # Errors
/// [`ServerError`].
pub async fn run(config: Config, shutdown: impl Future<Output = ()> + Send) -> Result<(), ServerError> {
    let started = Instant::now();
    raise_descriptor_limit();
    let centre = Centre::start(member_config(&config)).await?;
    let face = Face::new(centre.clone(), FaceConfig::of(&config));
    let (stop, stopping) = watch::channel(false);
    let mut tasks = tokio::task::JoinSet::new();
    let mut zookeeper = String::from("off");
    if let Some(address) = config.zookeeper {
        let bind = |source| ServerError::Bind {
            key: "zookeeper",
            address,
            source,
        };
        let listener = Listener::bind(address, face.clone()).await.map_err(bind)?;
        zookeeper = listener.address().map_err(bind)?.to_string();
        tasks.spawn(listener.run(stopping.clone(), PATIENCE));
    }
    let mut admin = String::from("off");
    if let Some(address) = config.admin {
        let bind = |source| ServerError::Bind {
            key: "admin",
            address,
            source,
        };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        admin = listener.local_addr().map_err(bind)?.to_string();
        tasks.spawn(admin::serve(listener, centre.clone(), face.clone(), stopping.clone()));
    }
    // One line for whoever waits for it, not a log line: it is there at every log level and in every format.
    let ms = started.elapsed().as_millis();
    let _ = writeln!(std::io::stderr(), "ready zookeeper={zookeeper} admin={admin} in {ms}ms");

    let failed = tokio::select! {
        () = shutdown => None,
        reason = centre.failure() => Some(reason),
    };
    let _ = stop.send(true);
    if let Some(reason) = failed {
        tracing::error!(%reason, "the member cannot go on");
        return Err(ServerError::Failed(reason));
    }
    while tasks.join_next().await.is_some() {}
    centre.stop(PATIENCE).await;
    Ok(())
}

fn member_config(config: &Config) -> MemberConfig {
    MemberConfig {
        dir: config.data.clone(),
        tick: config.tick_time,
        event_window: config.event_window,
        max_outstanding_bytes: config.max_outstanding_bytes as usize,
        disk_reserve: config.disk_reserve,
        snapshot_log_bytes: config.snapshot_log_bytes,
        snapshot_log_entries: config.snapshot_log_entries,
        reap_interval: config.reap_interval,
    }
}

/// A centre with many clients needs many descriptors; the soft limit is often small although more is allowed.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: limit.maximum,
                maximum: limit.maximum,
            },
        )
    {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}
