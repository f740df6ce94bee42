//! The table of a benchmark's results: what was measured, the figure, and its aim.

use std::fmt::Write;

/// Rows of Markdown.
#[derive(Default)]
pub(crate) struct Table {
    rows: String,
}

impl Table {
    /// Adds a figure without an aim.
    pub(crate) fn add(&mut self, what: &str, measured: &str) {
        self.row(what, measured, "");
    }

    /// Adds a figure that must not exceed its aim.
    pub(crate) fn at_most(&mut self, what: &str, unit: Unit, measured: f64, aim: f64) {
        self.aimed(what, unit, measured, aim, measured <= aim, "<=");
    }

    /// Adds a figure that must reach its aim.
    pub(crate) fn at_least(&mut self, what: &str, unit: Unit, measured: f64, aim: f64) {
        self.aimed(what, unit, measured, aim, measured >= aim, ">=");
    }

    fn aimed(&mut self, what: &str, unit: Unit, measured: f64, aim: f64, reached: bool, sign: &str) {
        let mark = if reached { "" } else { " (missed)" };
        self.row(
            what,
            &format!("{}{mark}", unit.show(measured)),
            &format!("{sign} {}", unit.show(aim)),
        );
    }

    fn row(&mut self, what: &str, measured: &str, aim: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.rows, "| {what} | {measured} | {aim} |");
    }

    /// With its head.
    pub(crate) fn markdown(&self) -> String {
        format!("\n| what | measured | aim |\n|---|---|---|\n{}", self.rows)
    }
}

/// Unit of a figure.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    /// Bytes, in units of 1,024 to the power of two
    Mebibytes,
    /// Bytes, in units of 1,024
    Kibibytes,
    Seconds,
    /// One number over another
    Ratio,
    Count,
}

impl Unit {
    /// The figure with its unit, for the table.
    pub(crate) fn show(self, number: f64) -> String {
        match self {
            Self::Mebibytes => format!("{:.1} MiB", number / (1024.0 * 1024.0)),
            Self::Kibibytes => format!("{:.1} KiB", number / 1024.0),
            Self::Seconds => format!("{number:.2} s"),
            Self::Ratio => format!("{number:.2}"),
            Self::Count => format!("{number:.0}"),
        }
    }
}
