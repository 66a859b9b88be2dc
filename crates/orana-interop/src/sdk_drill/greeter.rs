//! `org.orana.interop.Greeter` in Rust.

use std::time::Duration;

/// What every provider in the Dubbo scenarios offers.
#[orana::service(interface = "org.orana.interop.Greeter")]
pub trait Greeter {
    /// Answers after `millis` milliseconds with the provider's port, a space and the name, so that a caller knows who
    /// answered.
    async fn greet(&self, name: String, millis: i32) -> orana::Result<String>;
}

/// A provider, by the port that consumers know it by.
#[derive(Debug)]
pub struct At(pub u16);

impl Greeter for At {
    async fn greet(&self, name: String, millis: i32) -> orana::Result<String> {
        if let Ok(millis @ 1..) = u64::try_from(millis) {
            tokio::time::sleep(Duration::from_millis(millis)).await;
        }
        Ok(format!("{} {name}", self.0))
    }
}
