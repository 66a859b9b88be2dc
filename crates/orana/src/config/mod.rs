//! The configuration of an application: Dubbo's keys from every place in which they may stand, and which of two values counts.
//!
//! ```text
//!   properties, variables, external texts, files ──▶ Layers ──placeholders, known?, of its type?──▶ Configuration
//!                                                                                                     │  and what code says
//!                                                                       Settings of a reference or a service, each with its Origin
//!                                                                                                     │  and provider, override
//!                                                                                              resolve: the value of one call
//! ```
//!
//! Two orders meet here. Of one thing (`timeout` of a reference) the place decides: a property that the program sets, a variable, the
//! configuration centre's text for the application, its text for all, the program's code, a file. Among things, the more specific
//! one counts: method, interface, application-wide default.
//!
//! Everything but [`Layers::of_process`] is a function of its arguments: nothing here reads the environment or a file, and nothing
//! knows a configuration centre or a registry; their texts come as strings.

mod attribute;
mod check;
mod configuration;
mod endpoint;
mod error;
mod gather;
mod key;
mod layer;
mod layers;
mod origin;
mod placeholder;
mod process;
mod protocol;
mod resolve;
mod secret;
mod settings;
mod source;
mod spelling;
mod table;
mod warning;

#[cfg(test)]
mod tests;

pub use self::configuration::{Configuration, Said};
pub use self::endpoint::Endpoint;
pub use self::error::ConfigError;
pub use self::layers::Layers;
pub use self::origin::{External, Origin};
pub use self::protocol::Protocol;
pub use self::resolve::{CONSTANTS, Effective, Precedence, Sources, resolve};
pub use self::settings::{Level, Setting, Settings};
pub use self::warning::Warning;
