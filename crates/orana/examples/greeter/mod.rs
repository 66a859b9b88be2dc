//! The service of the examples, as Java declares it: `org.example.peer.Greeter` with `String sayHello(String)`.

/// Greets.
#[orana::service(interface = "org.example.peer.Greeter")]
pub(crate) trait Greeter {
    /// A greeting for `name`.
    async fn say_hello(&self, name: String) -> orana::Result<String>;
}

/// Greets everybody in the same way.
#[allow(dead_code, reason = "the consumer has the interface alone")]
pub(crate) struct Hello;

impl Greeter for Hello {
    async fn say_hello(&self, name: String) -> orana::Result<String> {
        Ok(format!("Hello {name}"))
    }
}
