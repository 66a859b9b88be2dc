//! Results side by side: the best of the rounds, ratio and goal; as text, as Markdown and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{
    contestant::Product,
    row::{Figure, Goal, Round, Row},
};

/// The rounds of each product for one row.
pub(crate) struct RowResult {
    row: &'static Row,
    rounds: Vec<(Product, Round)>,
}

/// One line of the table.
struct Line<'a> {
    figure: &'a Figure,
    original: Option<f64>,
    ours: Option<f64>,
    floor: Option<f64>,
}

impl RowResult {
    pub(crate) fn new(row: &'static Row) -> RowResult {
        RowResult {
            row,
            rounds: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, product: Product, round: Round) {
        self.rounds.push((product, round));
    }

    /// The most processors that others kept busy in any round.
    fn others(&self) -> f64 {
        self.rounds.iter().map(|(_, round)| round.others).fold(0.0, f64::max)
    }

    fn all(&self, product: Product, place: usize) -> impl Iterator<Item = f64> {
        let own = self.rounds.iter().filter(move |(whose, _)| *whose == product);
        own.filter_map(move |(_, round)| round.figures.get(place).copied())
    }

    fn best(&self, product: Product, place: usize) -> Option<f64> {
        let best = self.row.figures.get(place)?.best;
        self.all(product, place).reduce(|one, other| best.of(one, other))
    }

    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.row.figures.iter().enumerate().map(|(place, figure)| Line {
            figure,
            original: self.best(Product::Zookeeper, place),
            ours: self.best(Product::Orana, place),
            floor: self.best(Product::Null, place),
        })
    }

    /// For a person at a terminal.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.row.name, self.row.title);
        for line in self.lines() {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "  {:<36} zookeeper {:>9}   orana {:>9} {:<5} ratio {:>6}   null {:>7}   {}",
                line.figure.name,
                number(line.original),
                number(line.ours),
                line.figure.unit,
                number(line.ratio()),
                number(line.floor),
                line.verdict(),
            );
        }
        let _ = writeln!(
            text,
            "  others kept up to {:.2} processors busy meanwhile",
            self.others()
        );
        text
    }

    /// Rows of the Markdown table.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        for (nth, line) in self.lines().enumerate() {
            let title = if nth == 0 { self.row.title } else { "" };
            let unit = match line.figure.unit {
                "" => String::new(),
                unit => format!(", {unit}"),
            };
            let _ = writeln!(
                text,
                "| {title} | {}{unit} | {} | {} | {} | {} | {} |",
                line.figure.name,
                number(line.original),
                number(line.ours),
                number(line.floor),
                number(line.ratio()),
                line.verdict(),
            );
        }
        text
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let figures = self.lines().enumerate().map(|(place, line)| {
            let rounds = |product| self.all(product, place).collect::<Vec<_>>();
            json!({
                "name": line.figure.name,
                "unit": line.figure.unit,
                "zookeeper": line.original,
                "orana": line.ours,
                "null": line.floor,
                "ratio": line.ratio(),
                "goal": line.goal(),
                "met": line.met(),
                "rounds": {
                    "zookeeper": rounds(Product::Zookeeper),
                    "orana": rounds(Product::Orana),
                    "null": rounds(Product::Null),
                },
            })
        });
        json!({
            "name": self.row.name,
            "title": self.row.title,
            "others": self.others(),
            "figures": figures.collect::<Vec<_>>(),
        })
    }

    /// How many goals were met, and how many there are that can be judged.
    pub(crate) fn goals(&self) -> (usize, usize) {
        let judged: Vec<bool> = self.lines().filter_map(|line| line.met()).collect();
        (judged.iter().filter(|met| **met).count(), judged.len())
    }
}

impl Line<'_> {
    fn ratio(&self) -> Option<f64> {
        let (ours, original) = (self.ours?, self.original?);
        (original > 0.0).then_some(ours / original)
    }

    fn met(&self) -> Option<bool> {
        self.figure.goal.met(self.ours?, self.original)
    }

    fn goal(&self) -> Option<String> {
        match self.figure.goal {
            Goal::None => None,
            Goal::TimesOrMore(times) => Some(format!("≥ {times:.1} ×")),
            Goal::TimesOrLess(times) => Some(format!("≤ 1/{:.0}", 1.0 / times)),
            Goal::AtMost(most) => Some(format!("≤ {most:.0} {}", self.figure.unit)),
        }
    }

    fn verdict(&self) -> String {
        match (self.goal(), self.met()) {
            (None, _) => String::new(),
            (Some(goal), None) => goal,
            (Some(goal), Some(true)) => format!("{goal}: met"),
            (Some(goal), Some(false)) => format!("{goal}: **missed**"),
        }
    }
}

/// Three digits that count, or a dash.
pub(crate) fn number(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value.abs() >= 100.0 => format!("{value:.0}"),
        Some(value) if value.abs() >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::ROWS;

    fn result() -> RowResult {
        let mut result = RowResult::new(&ROWS[0]);
        for (product, throughput) in [
            (Product::Zookeeper, 20.0),
            (Product::Orana, 90.0),
            (Product::Zookeeper, 30.0),
            (Product::Orana, 80.0),
        ] {
            result.add(
                product,
                Round {
                    figures: vec![throughput, 1.0, 2.0, 3.0, 4.0],
                    others: 0.1,
                },
            );
        }
        result
    }

    #[test]
    fn the_best_round_of_each_product_is_compared() {
        let json = result().json();
        let throughput = &json["figures"][0];
        assert_eq!(throughput["zookeeper"], 30.0);
        assert_eq!(throughput["orana"], 90.0);
        assert_eq!(throughput["ratio"], 3.0);
        assert_eq!(throughput["met"], true);
        assert_eq!(throughput["rounds"]["orana"], json!([90.0, 80.0]));
    }

    #[test]
    fn missed_goals_are_said_and_figures_without_a_goal_are_not_judged() {
        let result = result();
        assert_eq!(result.goals(), (1, 3));
        let text = result.markdown();
        assert!(
            text.contains("| throughput, k/s | 30.0 | 90.0 | – | 3.00 | ≥ 3.0 ×: met |"),
            "{text}"
        );
        assert!(
            text.contains("| p99, ms | 2.00 | 2.00 | – | 1.00 | ≤ 1/3: **missed** |"),
            "{text}"
        );
        assert!(text.contains("| p50, ms | 1.00 | 1.00 | – | 1.00 |  |"), "{text}");
    }
}
