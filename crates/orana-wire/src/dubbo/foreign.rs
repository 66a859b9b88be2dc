//! The little that must be understood of a serialization that is not spoken here.
//!
//! A Java 3.2 provider sends events and error texts in fastjson2 even to a caller who speaks Hessian 2. They are a
//! single string or null: a four-byte length, then a value of fastjson2's binary JSON.

/// The only string of a body; `None` if it is none, or not understood.
pub(super) fn fastjson2_text(body: &[u8]) -> Option<String> {
    let (length, rest) = body.split_first_chunk::<4>()?;
    let value = rest.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    let (kind, rest) = value.split_first()?;
    if let 0x49..=0x78 = kind {
        let text = rest.get(..usize::from(kind - 0x49))?;
        return text.is_ascii().then(|| latin1(text));
    }
    let (length, rest) = small_number(rest)?;
    let text = rest.get(..length)?;
    let units = |read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = text.as_chunks::<2>().0.iter().copied().map(read).collect();
        String::from_utf16_lossy(&units)
    };
    match kind {
        0x79 => Some(latin1(text)),
        0x7a => Some(String::from_utf8_lossy(text).into_owned()),
        0x7c => Some(units(u16::from_le_bytes)),
        0x7d => Some(units(u16::from_be_bytes)),
        _ => None,
    }
}

fn latin1(text: &[u8]) -> String {
    text.iter().copied().map(char::from).collect()
}

/// A number that is a length, and what follows it.
fn small_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let biased = |high: u8, base: u8| usize::from(high).checked_sub(usize::from(base));
    Some(match *bytes {
        [number @ 0x00..=0x2f, ref rest @ ..] => (usize::from(number), rest),
        [high @ 0x30..=0x3f, low, ref rest @ ..] => (biased(high, 0x38)? << 8 | usize::from(low), rest),
        [high @ 0x40..=0x47, b1, b0, ref rest @ ..] => {
            let low = u16::from_be_bytes([b1, b0]);
            (biased(high, 0x44)? << 16 | usize::from(low), rest)
        }
        [0x48, b3, b2, b1, b0, ref rest @ ..] => (usize::try_from(i32::from_be_bytes([b3, b2, b1, b0])).ok()?, rest),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_each_form_are_read() {
        for (body, text) in [
            (&b"\0\0\0\x02\x4aR"[..], "R"),
            (b"\0\0\0\x01\x49", ""),
            (b"\0\0\0\x04\x79\x02a\xe9", "aé"),
            (b"\0\0\0\x05\x7a\x03\xe4\xb8\xad", "中"),
            (b"\0\0\0\x04\x7c\x02\x2d\x4e", "中"),
            (b"\0\0\0\x05\x7d\x38\x02\x4e\x2d", "中"),
        ] {
            assert_eq!(fastjson2_text(body).as_deref(), Some(text), "{body:02x?}");
        }
    }

    #[test]
    fn anything_else_is_not_understood() {
        for body in [
            &b""[..],
            b"\0\0\0\x01\xaf",
            b"\0\0\0\x09\x4aR",
            b"\xff\xff\xff\xff\x4aR",
            b"\0\0\0\x02\x7a\x05",
        ] {
            assert_eq!(fastjson2_text(body), None, "{body:02x?}");
        }
    }
}
