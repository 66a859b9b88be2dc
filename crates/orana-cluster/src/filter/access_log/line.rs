//! One line of an access log:
//! `[came] -> [left] caller:port -> host:port - group/interface:version method(types) arguments`.

use std::fmt::Write;
use std::net::SocketAddr;
use std::time::SystemTime;

use orana_core::{Encoded, Invocation, ServiceUrl};

use super::super::parts::CallContext;
use super::roll::{Day, since_epoch};

/// A longer line is cut.
const LONGEST: usize = 8 * 1024;

/// What a line says.
pub(super) struct Line<'a> {
    pub(super) came: SystemTime,
    pub(super) left: SystemTime,
    pub(super) caller: Option<SocketAddr>,
    pub(super) url: &'a ServiceUrl,
    pub(super) invocation: &'a Invocation,
    pub(super) context: &'a dyn CallContext,
}

impl Line<'_> {
    /// The line, in the local time that is so many seconds before that of Greenwich.
    pub(super) fn text(&self, offset: i32) -> String {
        let mut text = String::with_capacity(256);
        put_time(self.came, offset, &mut text);
        text.push_str(" -> ");
        put_time(self.left, offset, &mut text);
        // Writing to a string does not fail.
        let _ = match self.caller {
            Some(caller) => write!(text, " {}:{}", caller.ip(), caller.port()),
            None => write!(text, " local:0"),
        };
        let _ = write!(text, " -> {} - ", self.url.address());
        if let Some(key) = self.url.service_key() {
            let _ = write!(text, "{key}");
        }
        text.push(' ');
        text.push_str(self.invocation.method_name());
        text.push('(');
        put_types(&self.invocation.method().descriptor, &mut text);
        text.push_str(") ");
        self.context.put_arguments(self.invocation.arguments(), &mut text);
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.push('…');
        }
        // A line is a line, whatever the names and arguments are.
        if text.contains(char::is_control) {
            text = text.replace(char::is_control, " ");
        }
        text
    }
}

/// `[2026-01-31 23:59:59.123456]`
fn put_time(at: SystemTime, offset: i32, out: &mut String) {
    let (seconds, micros) = since_epoch(at);
    let local = seconds.saturating_add(i64::from(offset));
    let (day, second) = (Day::of(local), local.rem_euclid(86_400));
    let (year, month, date) = day.civil();
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let _ = write!(
        out,
        "[{year:04}-{month:02}-{date:02} {hour:02}:{minute:02}:{second:02}.{micros:06}]"
    );
}

/// The classes of a descriptor as Java's `Class.getName` has them: `java.lang.String,int,[J`.
fn put_types(descriptor: &str, out: &mut String) {
    let mut rest = descriptor;
    let mut first = true;
    while let Some(letter) = rest.trim_start_matches('[').chars().next() {
        let arrays = rest.len() - rest.trim_start_matches('[').len();
        let length = match letter {
            'L' => rest.find(';').map_or(rest.len(), |end| end + 1),
            letter => arrays + letter.len_utf8(),
        };
        let (this, others) = rest.split_at(length);
        rest = others;
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        match (arrays, this) {
            (0, "Z") => out.push_str("boolean"),
            (0, "B") => out.push_str("byte"),
            (0, "C") => out.push_str("char"),
            (0, "S") => out.push_str("short"),
            (0, "I") => out.push_str("int"),
            (0, "J") => out.push_str("long"),
            (0, "F") => out.push_str("float"),
            (0, "D") => out.push_str("double"),
            (0, class) => {
                let class = class.strip_prefix('L').unwrap_or(class);
                out.push_str(&class.strip_suffix(';').unwrap_or(class).replace('/', "."));
            }
            (_, array) => out.push_str(&array.replace('/', ".")),
        }
    }
}

/// The arguments that have a text as a list of JSON strings; `null` for the others.
pub(in super::super) fn put_texts(arguments: &Encoded, out: &mut String) {
    out.push('[');
    for index in 0..arguments.count() {
        if index > 0 {
            out.push(',');
        }
        match arguments.text(index) {
            Some(text) => put_json(&text, out),
            None => out.push_str("null"),
        }
        if out.len() > LONGEST {
            // It is cut anyway.
            return;
        }
    }
    out.push(']');
}

fn put_json(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars().take(LONGEST) {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;
    use std::time::{Duration, UNIX_EPOCH};

    use orana_core::Method;
    use orana_core::ServiceKey;

    use super::super::super::parts::NoContext;
    use super::super::super::testing::url;
    use super::*;

    fn line(descriptor: &str, argument: &'static str, offset: i32) -> String {
        let method = Method::new(ServiceKey::new("i", None, None), "say", descriptor);
        let text: fn(&[u8], usize) -> Option<Cow<'_, str>> =
            |bytes, index| (index == 0).then(|| String::from_utf8_lossy(bytes));
        let invocation = Invocation::new(Arc::new(method), Encoded::new(argument.into(), 2, text));
        let line = Line {
            came: UNIX_EPOCH + Duration::from_micros(1_769_903_999_000_042),
            left: UNIX_EPOCH + Duration::from_micros(1_769_904_000_500_000),
            caller: Some(([10, 0, 0, 9], 4321).into()),
            url: &url("group=g&version=1"),
            invocation: &invocation,
            context: &NoContext,
        };
        line.text(offset)
    }

    #[test]
    fn a_line_says_when_who_whom_what_and_with_what() {
        assert_eq!(
            line("Ljava/lang/String;I", "bob", 0),
            "[2026-01-31 23:59:59.000042] -> [2026-02-01 00:00:00.500000] 10.0.0.9:4321 -> 127.0.0.1:20880 - g/i:1 \
             say(java.lang.String,int) [\"bob\",null]"
        );
        assert!(line("", "bob", 8 * 3_600).starts_with("[2026-02-01 07:59:59.000042]"));
    }

    #[test]
    fn no_argument_makes_a_second_line_or_an_endless_one() {
        let odd = line("", "a\"\\\n\u{7}\u{85}b", 0);
        assert!(odd.ends_with(r#"["a\"\\\n\u0007\u0085b",null]"#), "{odd}");
        let long = "x".repeat(100_000).leak();
        assert!(line("", long, 0).len() < LONGEST + 8);
    }

    #[test]
    fn types_are_named_as_java_names_them() {
        let named = |descriptor| {
            let mut out = String::new();
            put_types(descriptor, &mut out);
            out
        };
        assert_eq!(named(""), "");
        assert_eq!(named("ZBCSIJFD"), "boolean,byte,char,short,int,long,float,double");
        assert_eq!(named("[[J[Ljava/util/List;Z"), "[[J,[Ljava.util.List;,boolean");
        for broken in ["L", "[", "[[", "Lx", "é", "[é", "[L"] {
            named(broken);
        }
    }
}
