//! The table a benchmark of the scan ends with.

use std::fmt::Write;

use super::scan::Outcome;

const HEAD: [&str; 14] = [
    "library",
    "items",
    "errors",
    "first scan s",
    "CPU s",
    "files per CPU s",
    "bare loop CPU s",
    "of bare loop",
    "peak MiB",
    "database B per item",
    "rescan s",
    "rescan CPU s",
    "idle MiB (anonymous)",
    "cold start s",
];

/// Markdown, one row per library. "Of bare loop" is throughput per CPU second, ours divided by its.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut table = format!("\n| {} |\n|{}\n", HEAD.join(" | "), "---|".repeat(HEAD.len()));
    for outcome in outcomes {
        let files = outcome.library.files as f64;
        let native = outcome.native.as_ref();
        let cells = [
            format!("{} {}", outcome.library.files, outcome.library.kind.name()),
            outcome.items.to_string(),
            outcome.errors.to_string(),
            format!("{:.2}", outcome.first.wall),
            format!("{:.2}", outcome.first.cpu),
            format!("{:.0}", files / outcome.first.cpu),
            native.map_or("-".into(), |native| format!("{:.2}", native.cpu)),
            native.map_or("-".into(), |native| {
                format!("{:.2}", native.cpu / outcome.first.cpu)
            }),
            mebibytes(outcome.first.peak_memory),
            format!(
                "{:.0}",
                outcome.database_bytes as f64 / (outcome.items.max(1) as f64)
            ),
            format!("{:.2}", outcome.rescan.wall),
            format!("{:.2}", outcome.rescan.cpu),
            format!(
                "{} ({})",
                mebibytes(outcome.idle.total),
                mebibytes(outcome.idle.anonymous)
            ),
            format!("{:.2}", outcome.cold_start.as_secs_f64()),
        ];
        // Writing to a string does not fail.
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    table
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / (1024.0 * 1024.0))
}
