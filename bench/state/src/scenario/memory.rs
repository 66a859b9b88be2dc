//! Resident bytes per node: 100,000 providers with names of 2,000 bytes in 20 services.

use anyhow::Result;
use orana_state::Lifetime;

use super::{Writer, create};
use crate::figures;
use crate::layout::{PLAIN, provider};

pub(crate) fn run() -> Result<()> {
    const SERVICES: usize = 20;
    const PROVIDERS: usize = 5000;
    let before = figures::resident()?;
    let mut writer = Writer::new();
    writer.fill(&["/dubbo".to_owned()], PLAIN)?;
    for service in 0..SERVICES {
        let top = format!("/dubbo/org.example.shop.api.Service{service:06}");
        writer.fill(&[top.clone(), format!("{top}/providers")], PLAIN)?;
        let lease = writer.grant()?;
        for at in 0..PROVIDERS {
            let path = format!("{top}/providers/{}", provider(service, at, 2000));
            writer.must(&create(
                &path,
                Some(lease),
                Lifetime::Ephemeral,
                vec![orana_state::AclEntry::open()],
            ))?;
        }
    }
    let nodes = (SERVICES * PROVIDERS) as u64;
    let taken = figures::resident()? - before;
    println!(
        "{nodes} nodes, names of 2000 bytes, 40 bytes of data: {} MB, {} bytes per node",
        taken / 1_000_000,
        taken / nodes
    );
    Ok(())
}
