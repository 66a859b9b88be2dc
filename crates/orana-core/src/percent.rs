//! The escaping of `application/x-www-form-urlencoded`, as Dubbo uses it to make a ZooKeeper node name of a whole URL.
//!
//! Kept as they are: `A–Z a–z 0–9 . - * _`. A space becomes `+`, every other byte of the UTF-8 text becomes `%XX`. Other
//! writers escape `*` or keep `~`; reading accepts all of them. Names are therefore compared after decoding only.

use std::borrow::Cow;

/// A text that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A `%` without two hexadecimal digits after it.
    #[error("`%` at {at} is not followed by two hexadecimal digits")]
    Escape {
        /// The byte of the text at which the escape begins.
        at: usize,
    },
    /// The decoded bytes are not UTF-8.
    #[error("the decoded bytes are not UTF-8 from {at} on")]
    Utf8 {
        /// The first bad byte, counted in the decoded bytes.
        at: usize,
    },
}

impl DecodeError {
    /// The byte at which it went wrong.
    pub fn at(&self) -> usize {
        match self {
            DecodeError::Escape { at } | DecodeError::Utf8 { at } => *at,
        }
    }
}

/// `text` with every escape undone, once; borrowed when there is none.
pub fn decode(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    if !text.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return Ok(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || bytes.next().and_then(|(_, digit)| char::from(digit).to_digit(16));
                match (digit(), digit()) {
                    (Some(high), Some(low)) => (high * 16 + low) as u8,
                    _ => return Err(DecodeError::Escape { at }),
                }
            }
            plain => plain,
        });
    }
    String::from_utf8(decoded)
        .map(Cow::Owned)
        .map_err(|error| DecodeError::Utf8 {
            at: error.utf8_error().valid_up_to(),
        })
}

/// `text` with everything escaped that a node name must not hold; borrowed when that is nothing.
pub fn encode(text: &str) -> Cow<'_, str> {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'*' | b'_');
    if text.bytes().all(kept) {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(text.len() + text.len() / 2);
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !kept(byte)) {
        // What is kept is ASCII, so the first byte that is not begins a character.
        let (plain, escaped) = rest.split_at(at);
        encoded.push_str(plain);
        let mut characters = escaped.chars();
        match characters.next() {
            Some(' ') => encoded.push('+'),
            Some(character) => {
                for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                    encoded.extend(['%', hex(byte >> 4), hex(byte & 0xf)]);
                }
            }
            None => {}
        }
        rest = characters.as_str();
    }
    encoded.push_str(rest);
    Cow::Owned(encoded)
}

fn hex(digit: u8) -> char {
    char::from(if digit < 10 { b'0' + digit } else { b'A' + digit - 10 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_letters_that_java_keeps_are_kept_and_all_others_escaped() {
        assert_eq!(encode("AZaz09.-*_"), "AZaz09.-*_");
        assert_eq!(
            encode("a b~/:?&=@+%é€"),
            "a+b%7E%2F%3A%3F%26%3D%40%2B%25%C3%A9%E2%82%AC"
        );
    }

    #[test]
    fn decoding_is_done_once_and_takes_either_case_of_digit() {
        assert_eq!(decode("a%2fb%2Fc").as_deref(), Ok("a/b/c"));
        assert_eq!(decode("rule%3D%2520").as_deref(), Ok("rule=%20"));
        assert_eq!(decode("1+2%2B3").as_deref(), Ok("1 2+3"));
        assert_eq!(
            decode("~%2A*").as_deref(),
            Ok("~**"),
            "the escaper of dubbo-go is read as well"
        );
    }

    #[test]
    fn a_damaged_escape_is_refused_at_its_place() {
        for (text, at) in [
            ("ab%", 2),
            ("ab%2", 2),
            ("%zz", 0),
            ("a%2Fb%-1", 5),
            ("%é", 0),
            ("a%+1", 1),
        ] {
            assert_eq!(decode(text), Err(DecodeError::Escape { at }), "{text}");
        }
        assert_eq!(decode("a+%FF"), Err(DecodeError::Utf8 { at: 2 }));
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(text in "\\PC*|[\\x00-\\x7f]*") {
            let encoded = encode(&text).into_owned();
            prop_assert!(encoded.bytes().all(|b| b.is_ascii_alphanumeric() || b".-*_+%".contains(&b)));
            let decoded = decode(&encoded);
            prop_assert_eq!(decoded.as_deref(), Ok(text.as_str()));
        }

        #[test]
        fn encoding_undoes_decoding_of_what_java_writes(text in "([A-Za-z0-9.*_+-]|%(2F|3A|3F|26|3D|25|7E|2B|0A)|%C3%A9)*") {
            let decoded = decode(&text).map(Cow::into_owned);
            prop_assert_eq!(decoded.as_deref().map(encode), Ok(Cow::Borrowed(text.as_str())));
        }

        #[test]
        fn no_text_makes_decoding_panic(text in any::<String>()) {
            if let Err(error) = decode(&text) {
                prop_assert!(error.at() <= text.len());
            }
        }
    }
}
