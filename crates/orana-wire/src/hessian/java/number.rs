//! Numbers without bounds, and UUIDs.

use std::fmt;
use std::str::FromStr;

use super::super::convert::{FromHessian, ToHessian};
use super::super::decode::Decoder;
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};
use super::super::kind::Kind;
use super::object::field;

/// More digits than this take longer to convert than a message should; such numbers stay as they are.
const DIGITS_MAX: usize = 4096;

/// `java.math.BigDecimal` by its text, for instance `-1.50` or `1E+3`, which keeps the scale as Java does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BigDecimal(String);

/// `java.math.BigInteger`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BigInteger {
    negative: bool,
    /// From the highest to the lowest, without leading zeros; zero has none.
    words: Vec<u32>,
}

/// `java.util.UUID`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub u128);

/// A text that is not the number it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a {0}")]
pub struct NotANumber(&'static str);

// ---------------------------------------------------------------------------------------------------------------------

impl BigDecimal {
    /// The text, as Java's `toString` has it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BigDecimal {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (number, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent),
            None => (unsigned, "0"),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let decimal = digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty());
        if decimal && exponent.parse::<i32>().is_ok() {
            Ok(BigDecimal(text.to_owned()))
        } else {
            Err(NotANumber("decimal number"))
        }
    }
}

impl fmt::Display for BigDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ToHessian for BigDecimal {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_object("java.math.BigDecimal", &["value"])?;
        out.text(&self.0);
        Ok(())
    }
}

impl FromHessian for BigDecimal {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let text = field(input, "value", String::from_hessian)?;
        text.parse().map_err(|_| DecodeError::Invalid("decimal number"))
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl BigInteger {
    /// From a sign and the words of the absolute value, the highest first.
    pub fn new(negative: bool, words: &[u32]) -> Self {
        let zeros = words.iter().take_while(|word| **word == 0).count();
        let words = words.get(zeros..).unwrap_or(&[]).to_vec();
        BigInteger {
            negative: negative && !words.is_empty(),
            words,
        }
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The words of the absolute value, the highest first; zero has none.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    fn signum(&self) -> i32 {
        match (self.negative, self.words.is_empty()) {
            (_, true) => 0,
            (false, false) => 1,
            (true, false) => -1,
        }
    }
}

impl From<i128> for BigInteger {
    fn from(value: i128) -> Self {
        let absolute = value.unsigned_abs();
        #[allow(clippy::cast_possible_truncation, reason = "word by word")]
        let words = [96, 64, 32, 0].map(|shift| (absolute >> shift) as u32);
        BigInteger::new(value < 0, &words)
    }
}

impl TryFrom<&BigInteger> for i128 {
    type Error = NotANumber;

    fn try_from(value: &BigInteger) -> Result<Self, NotANumber> {
        let beyond = NotANumber("number of 128 bits");
        if value.words.len() > 4 {
            return Err(beyond);
        }
        let absolute = value
            .words
            .iter()
            .fold(0u128, |sum, word| sum << 32 | u128::from(*word));
        if value.negative {
            0i128.checked_sub_unsigned(absolute).ok_or(beyond)
        } else {
            i128::try_from(absolute).map_err(|_| beyond)
        }
    }
}

impl FromStr for BigInteger {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let negative = text.starts_with('-');
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if digits.is_empty() || digits.len() > DIGITS_MAX {
            return Err(NotANumber("whole number"));
        }
        // From the lowest word to the highest.
        let mut words: Vec<u32> = Vec::new();
        for digit in digits.chars() {
            let mut carry = u64::from(digit.to_digit(10).ok_or(NotANumber("whole number"))?);
            for word in &mut words {
                carry += u64::from(*word) * 10;
                *word = low_word(carry);
                carry >>= 32;
            }
            if carry > 0 {
                words.push(low_word(carry));
            }
        }
        words.reverse();
        Ok(BigInteger::new(negative, &words))
    }
}

/// Decimal, up to some thousand digits; hexadecimal beyond.
impl fmt::Display for BigInteger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        // A word is not quite ten digits.
        if self.words.len() > DIGITS_MAX / 9 {
            f.write_str("0x")?;
            return self.words.iter().try_for_each(|word| write!(f, "{word:08x}"));
        }
        let mut rest = self.words.clone();
        let mut groups = Vec::new();
        while rest.iter().any(|word| *word != 0) {
            let mut remainder = 0;
            for word in &mut rest {
                let part = remainder << 32 | u64::from(*word);
                *word = low_word(part / 1_000_000_000);
                remainder = part % 1_000_000_000;
            }
            groups.push(remainder);
        }
        write!(f, "{}", groups.pop().unwrap_or(0))?;
        groups.iter().rev().try_for_each(|group| write!(f, "{group:09}"))
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the low half is what is wanted")]
fn low_word(value: u64) -> u32 {
    value as u32
}

impl ToHessian for BigInteger {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        // Java's private fields; the others of them are caches that Java fills by itself.
        out.begin_object("java.math.BigInteger", &["signum", "mag"])?;
        out.int(self.signum());
        out.begin_list(Some("[int"), self.words.len())?;
        for word in &self.words {
            out.int(word.cast_signed());
        }
        Ok(())
    }
}

impl FromHessian for BigInteger {
    /// Reads Java's object, or any whole number.
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        if let Kind::Int | Kind::Long = input.peek()? {
            return Ok(i128::from(input.integer()?).into());
        }
        let (mut signum, mut words) = (None, None);
        input.fields(|input, name| {
            match name {
                "signum" => signum = Some(i32::from_hessian(input)?),
                "mag" => words = Some(input.list(|input| Ok(i32::from_hessian(input)?.cast_unsigned()))?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let signum = signum.ok_or(DecodeError::Missing("signum"))?;
        let number = BigInteger::new(signum < 0, &words.ok_or(DecodeError::Missing("mag"))?);
        if number.signum() == signum {
            Ok(number)
        } else {
            Err(DecodeError::Invalid("whole number"))
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:032x}", self.0);
        let mut rest = digits.as_str();
        for length in [8, 4, 4, 4] {
            let (group, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
            write!(f, "{group}-")?;
            rest = tail;
        }
        f.write_str(rest)
    }
}

impl FromStr for Uuid {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let shaped = text.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
        let digits = text.replace('-', "");
        let number = u128::from_str_radix(&digits, 16).map(Uuid);
        // A sign would be understood, too.
        match number {
            Ok(number) if shaped && !digits.starts_with('+') => Ok(number),
            _ => Err(NotANumber("UUID")),
        }
    }
}

impl ToHessian for Uuid {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_object("java.util.UUID", &["value"])?;
        out.text(&self.to_string());
        Ok(())
    }
}

impl FromHessian for Uuid {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let text = field(input, "value", String::from_hessian)?;
        text.parse().map_err(|_| DecodeError::Invalid("UUID"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_any_size_are_read_and_printed() {
        for text in [
            "0",
            "1",
            "-1",
            "4294967296",
            "340282366920938463463374607431768211456",
            "-1000000000",
        ] {
            assert_eq!(text.parse::<BigInteger>().unwrap().to_string(), text);
        }
        for number in [0, -1, i128::MAX, i128::MIN, 1 << 64] {
            let big = BigInteger::from(number);
            assert_eq!(big.to_string(), number.to_string());
            assert_eq!(i128::try_from(&big), Ok(number));
        }
        assert_eq!("-0".parse(), Ok(BigInteger::from(0)));
        for text in ["", "-", "1x", "1.0", "--1"] {
            assert!(text.parse::<BigInteger>().is_err(), "{text}");
        }
    }

    #[test]
    fn decimals_are_what_java_can_parse() {
        for text in ["0", "1.50", "-.5", "1.", "1E+3", "1e-7", "+1"] {
            assert_eq!(text.parse::<BigDecimal>().unwrap().as_str(), text);
        }
        for text in ["", ".", "1,5", "1e", "1e1.5", "NaN", "0x1", "- 1"] {
            assert!(text.parse::<BigDecimal>().is_err(), "{text}");
        }
    }

    #[test]
    fn uuids_have_their_five_groups() {
        let text = "00112233-4455-6677-8899-aabbccddeeff";
        assert_eq!(text.parse::<Uuid>().unwrap().to_string(), text);
        for text in [
            "",
            "00112233445566778899aabbccddeeff",
            "0011223g-4455-6677-8899-aabbccddeeff",
        ] {
            assert!(text.parse::<Uuid>().is_err(), "{text}");
        }
    }
}
