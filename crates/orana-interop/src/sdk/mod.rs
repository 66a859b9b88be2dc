//! The Rust peer of the SDK's scenarios: `org.example.peer.Corpus` offered and called by the crate `orana`, as the Java
//! and Go peers do it. What each method means and how a value is told is said in
//! `interop/java/dubbo33/src/main/java/org/example/peer/Corpus.java`; nothing here knows which peer is on the other side.

pub mod beans;
pub mod canonical;
pub mod cases;
pub mod contract;
pub mod flags;
mod generic_cases;
mod outcome_cases;
pub mod peers;
pub mod samples;
pub mod service;
mod type_cases;

use crate::sdk::{cases::Cases, contract::CorpusClient};

/// Calls every method and checks what comes back.
pub async fn call_corpus(corpus: &CorpusClient, asked: &flags::Asked, cases: &mut Cases) -> anyhow::Result<()> {
    type_cases::run(corpus, cases).await;
    outcome_cases::run(corpus, asked, cases).await?;
    generic_cases::run(corpus, cases).await;
    Ok(())
}
