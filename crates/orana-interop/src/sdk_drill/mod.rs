//! What the outage drills of the SDK run beside the rig's Dubbo applications: a Rust application that offers and calls the
//! same `org.orana.interop.Greeter` and is driven by the same words (`interop/java/dubbo33/…/DubboApplication.java`), and
//! a path that loses every packet without a word. Nothing here knows which outage is drilled.

pub mod arguments;
pub mod caller;
pub mod fleet;
pub mod greeter;
pub mod silent_path;

pub use silent_path::SilentPath;
