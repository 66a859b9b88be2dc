//! `org.example.orders.OrderService`, the service that rules are about: every method answers with the provider's address.

use std::time::Duration;

use orana::Result;

/// The interface's name.
pub const INTERFACE: &str = "org.example.orders.OrderService";

/// As the Java interface in `interop/java/governance`. Null comes where a rule mocks the call.
#[orana::service(interface = "org.example.orders.OrderService")]
#[allow(missing_docs, reason = "as the Java interface")]
pub trait OrderService {
    async fn find(&self, who: String) -> Result<Option<String>>;
    async fn find_page(&self, who: String, page: i32) -> Result<Option<String>>;
    async fn get(&self, id: String) -> Result<Option<String>>;
    async fn get_all(&self) -> Result<Option<String>>;
    async fn list(&self) -> Result<Option<String>>;
    /// Takes `millis` milliseconds.
    async fn save(&self, order: String, millis: i32) -> Result<Option<String>>;
}

/// A provider that knows nothing but its address, `host:port`.
#[derive(Debug, Clone)]
pub struct Orders(pub String);

impl OrderService for Orders {
    async fn find(&self, _: String) -> Result<Option<String>> {
        Ok(Some(self.0.clone()))
    }

    async fn find_page(&self, _: String, _: i32) -> Result<Option<String>> {
        Ok(Some(self.0.clone()))
    }

    async fn get(&self, _: String) -> Result<Option<String>> {
        Ok(Some(self.0.clone()))
    }

    async fn get_all(&self) -> Result<Option<String>> {
        Ok(Some(self.0.clone()))
    }

    async fn list(&self) -> Result<Option<String>> {
        Ok(Some(self.0.clone()))
    }

    async fn save(&self, _: String, millis: i32) -> Result<Option<String>> {
        tokio::time::sleep(Duration::from_millis(u64::try_from(millis).unwrap_or(0))).await;
        Ok(Some(self.0.clone()))
    }
}
