//! The vocabulary of Orana: what a service is called, where it is, what is said about it.
//!
//! Plain immutable values. Knows no I/O, no clock and no protocol; the text forms here are those of the field itself
//! (a service URL, a service key, a node name), which every protocol carries unchanged.

mod category;
mod key;
pub mod percent;
mod url;

pub use category::Category;
pub use key::ServiceKey;
pub use url::{ServiceUrl, UrlError};
