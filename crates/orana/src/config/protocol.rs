//! The protocol that a provider speaks, and where it listens.

use super::settings::{Setting, Settings};

/// A protocol of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Protocol {
    /// Its identifier, in `dubbo.protocols.ID.port`.
    pub id: Option<String>,
    /// Its name; `dubbo` if nobody says another, and the identifier if there is one.
    pub name: String,
    /// All that was said.
    pub settings: Settings,
}

impl Protocol {
    /// The host at which it listens, if that was said.
    pub fn host(&self) -> Option<&str> {
        self.settings.text("host")
    }

    /// The port at which it listens, if that was said; -1, which means any free one, is 0.
    pub fn port(&self) -> Option<u16> {
        let said: i32 = self.settings.number("port")?;
        Some(u16::try_from(said).unwrap_or(0))
    }

    /// Where the port was said.
    pub fn port_setting(&self) -> Option<&Setting> {
        self.settings.get("port")
    }
}
