//! What is said of many times.

/// Times in microseconds, ascending.
pub(crate) struct Quantiles(Vec<u64>);

impl Quantiles {
    pub(crate) fn of(mut micros: Vec<u64>) -> Quantiles {
        micros.sort_unstable();
        Quantiles(micros)
    }

    /// In milliseconds: the least time that this part of all is not above; `part` is between 0 and 1.
    pub(crate) fn at(&self, part: f64) -> f64 {
        let count = self.0.len();
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few thousand at most"
        )]
        let rank = (part * count as f64).ceil().max(1.0) as usize;
        let micros = self.0.get(rank.min(count).saturating_sub(1)).copied().unwrap_or(0);
        #[allow(clippy::cast_precision_loss, reason = "milliseconds")]
        let millis = micros as f64 / 1_000.0;
        millis
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Quantiles;

    #[test]
    fn a_quantile_is_a_time_that_was_measured() {
        let times = Quantiles::of((1..=200).rev().map(|time| time * 1_000).collect());
        assert_eq!(times.at(0.5), 100.0);
        assert_eq!(times.at(0.99), 198.0);
        assert_eq!(times.at(1.0), 200.0);
        assert_eq!(Quantiles::of(vec![7_000]).at(0.99), 7.0);
    }
}
