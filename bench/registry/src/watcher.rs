//! Subscribes to a service and says every list that it is told. The lines are those of `org.example.peer.Listed`.

use anyhow::Result;
use orana_core::ServiceUrl;
use orana_registry::Notification;

use crate::registrant::micros;

/// Says `LIST TIME PORT…` for each list, and `READY` once it has subscribed.
pub(crate) async fn run(registry: &str, interface: &str) -> Result<()> {
    let registry = crate::connected(registry).await?;
    let consumer = ServiceUrl::parse(&format!(
        "consumer://127.0.0.1/{interface}?application=peer&category=providers&check=false&interface={interface}\
         &side=consumer"
    ))?;
    let mut subscription = registry.subscribe(&consumer).await?;
    list(&subscription.current())?;
    crate::say("READY");
    let until_the_end = crate::input_ends();
    tokio::pin!(until_the_end);
    loop {
        tokio::select! {
            () = &mut until_the_end => break,
            news = subscription.changed() => match news {
                Some(news) => list(&news)?,
                None => break,
            },
        }
    }
    drop(subscription);
    registry.close().await;
    Ok(())
}

fn list(news: &Notification) -> Result<()> {
    let now = micros()?;
    let providers = news.providers().into_iter().flat_map(|urls| urls.iter());
    let mut ports: Vec<_> = providers.filter_map(ServiceUrl::port).collect();
    ports.sort_unstable();
    let ports: String = ports.iter().map(|port| format!(" {port}")).collect();
    crate::say(&format!("LIST {now}{ports}"));
    Ok(())
}
