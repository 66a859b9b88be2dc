//! The version that every request carries, which is all the negotiation there is.

/// What we send. Anything that is not of the form 2.0.x makes peers leave out the attachments of responses.
pub const PROTOCOL_VERSION: &str = "2.0.2";

/// Whether a peer that says this version reads attachments in responses.
///
/// Before 2.6.3 the version of the library stood here (2.5.10, 2.6.1): those peers do not.
pub fn reads_response_attachments(version: &str) -> bool {
    (20_002..=20_099).contains(&number(version))
}

/// 2.0.2 as 20002; what does not begin with a number counts as zero.
fn number(version: &str) -> u32 {
    let mut parts = version.split('.').map(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        part.get(..digits).and_then(|digits| digits.parse().ok()).unwrap_or(0)
    });
    [10_000, 100, 1].iter().fold(0u32, |sum, weight| {
        let part: u32 = parts.next().unwrap_or(0);
        sum.saturating_add(part.saturating_mul(*weight))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_of_the_protocol_mean_that_attachments_are_read() {
        for version in ["2.0.2", "2.0.10", "2.0.99", "2.0.2-SNAPSHOT"] {
            assert!(reads_response_attachments(version), "{version}");
        }
        for version in [
            "",
            "x",
            "2",
            "2.0.1",
            "2.5.10",
            "2.6.2",
            "2.7.23",
            "3.3.6",
            "99999999999.0.2",
        ] {
            assert!(!reads_response_attachments(version), "{version}");
        }
    }
}
