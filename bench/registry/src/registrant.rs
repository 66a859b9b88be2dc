//! Registers providers when it is told to, and says how long that took. The lines are those of `org.example.peer.Listed`.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use orana_core::ServiceUrl;
use orana_registry::Registration;
use tokio::io::{AsyncBufReadExt, BufReader};

/// Says `READY`, then obeys `ADD PORT` and `REMOVE PORT` with `ADDED|REMOVED PORT BEGUN ENDED`.
pub(crate) async fn run(registry: &str, interface: &str) -> Result<()> {
    let registry = crate::connected(registry).await?;
    let mut registrations: HashMap<String, Registration> = HashMap::new();
    crate::say("READY");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let (verb, port) = line.split_once(' ').unwrap_or((&line, ""));
        let (done, begun) = match verb {
            "ADD" => {
                let url = provider(interface, port)?;
                let begun = micros()?;
                registrations.insert(port.to_owned(), registry.register(&url).await?);
                ("ADDED", begun)
            }
            "REMOVE" => {
                let registration = registrations.remove(port);
                let registration = registration.with_context(|| format!("port `{port}` is not registered"))?;
                let begun = micros()?;
                registration.unregister().await?;
                ("REMOVED", begun)
            }
            _ => bail!("unknown command `{line}`"),
        };
        crate::say(&format!("{done} {port} {begun} {}", micros()?));
    }
    registry.close().await;
    Ok(())
}

/// With the parameters that a real provider of one method has; the Java side has the same.
fn provider(interface: &str, port: &str) -> Result<ServiceUrl> {
    let pid = std::process::id();
    Ok(ServiceUrl::parse(&format!(
        "dubbo://127.0.0.1:{port}/{interface}?anyhost=false&application=peer&background=false&deprecated=false&dubbo=2.0.2\
         &dynamic=true&generic=false&interface={interface}&methods=sayHello&pid={pid}&release=3.3.6\
         &service-name-mapping=true&side=provider&timestamp=1700000000000"
    ))?)
}

/// Microseconds since 1970: two processes of one machine read the same clock.
pub(crate) fn micros() -> Result<u128> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros())
}
