//! One attribute of Dubbo's configuration: how it is called, what its values are, and which parameter of a URL it becomes.

/// An attribute of a reference, a registry, ….
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    /// The name in kebab-case, without prefix.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) target: Target,
    /// Whether a more specific value goes behind a less specific one, with a comma, instead of replacing it.
    pub(super) appends: bool,
}

/// What values look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Flag,
    Integer,
    /// A number up to 65535, or -1 for any that is free.
    Port,
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The parameter of the same name with dots for dashes.
    Dotted,
    /// The parameter of that name.
    Parameter(&'static str),
    /// The parameter of that name of every registry's URL, although it belongs to the application.
    Registry(&'static str),
    /// It is for the SDK and stands in no URL.
    Local,
}

pub(super) const fn text(name: &'static str) -> Attribute {
    Attribute {
        name,
        kind: Kind::Text,
        target: Target::Dotted,
        appends: false,
    }
}

pub(super) const fn flag(name: &'static str) -> Attribute {
    Attribute {
        kind: Kind::Flag,
        ..text(name)
    }
}

pub(super) const fn integer(name: &'static str) -> Attribute {
    Attribute {
        kind: Kind::Integer,
        ..text(name)
    }
}

pub(super) const fn port(name: &'static str) -> Attribute {
    Attribute {
        kind: Kind::Port,
        ..text(name)
    }
}

impl Attribute {
    pub(super) const fn local(self) -> Attribute {
        Attribute {
            target: Target::Local,
            ..self
        }
    }

    pub(super) const fn parameter(self, name: &'static str) -> Attribute {
        Attribute {
            target: Target::Parameter(name),
            ..self
        }
    }

    /// The parameter is called like the attribute, dashes and all.
    pub(super) const fn as_written(self) -> Attribute {
        self.parameter(self.name)
    }

    pub(super) const fn of_registries(self, name: &'static str) -> Attribute {
        Attribute {
            target: Target::Registry(name),
            ..self
        }
    }

    pub(super) const fn appending(self) -> Attribute {
        Attribute { appends: true, ..self }
    }

    /// The name under which its value is found in [`Settings`](super::Settings): that of the parameter, or the attribute's own.
    pub(super) fn key(&self) -> String {
        match self.target {
            Target::Dotted => self.name.replace('-', "."),
            Target::Parameter(name) | Target::Registry(name) => name.to_owned(),
            Target::Local => self.name.to_owned(),
        }
    }
}

impl Kind {
    /// # Errors
    /// What would have been taken.
    pub(super) fn check(self, value: &str) -> Result<(), &'static str> {
        let (taken, wanted) = match self {
            Kind::Text => return Ok(()),
            Kind::Flag => (
                value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false"),
                "`true` or `false`",
            ),
            Kind::Integer => (value.parse::<i32>().is_ok(), "a whole number of 32 bits"),
            Kind::Port => (
                value == "-1" || value.parse::<u16>().is_ok(),
                "a port up to 65535, or -1 for any that is free",
            ),
        };
        match taken {
            true => Ok(()),
            false => Err(wanted),
        }
    }
}
