//! The result of a scan, as text and as JSON.

use std::io::{self, Write};

use serde_json::json;

use svc_domain::kind::MediaKind;
use svc_domain::list::Listing;
use svc_domain::scan::{Run, RunLogEntry};

/// Maximum number of listed files that could not be indexed.
pub(super) const MAX_FAILURES: u32 = 50;

/// Prints the result as text.
pub(super) fn table(out: &mut impl Write, run: &Run, failures: &Listing<RunLogEntry>) -> io::Result<()> {
    writeln!(
        out,
        "{:<10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "kind", "found", "added", "updated", "unchanged", "missing", "failed"
    )?;
    for (kind, counts) in &run.counts {
        writeln!(
            out,
            "{kind:<10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
            counts.found, counts.added, counts.updated, counts.unchanged, counts.missing, counts.errored
        )?;
    }
    if !failures.items.is_empty() {
        writeln!(out, "\nnot indexed:")?;
        for failure in &failures.items {
            let reason = failure.reason.as_deref().unwrap_or(&failure.event);
            writeln!(
                out,
                "  {} {}: {}",
                failure.kind.as_ref().map_or("", MediaKind::as_str),
                printable(failure.path.as_str()),
                printable(reason)
            )?;
        }
        let more = failures.total.saturating_sub(failures.items.len() as u64);
        if more > 0 {
            writeln!(out, "  and {more} more")?;
        }
    }
    for warning in &run.warnings {
        writeln!(out, "warning: {}", printable(warning))?;
    }
    writeln!(
        out,
        "\n{} in {:.2} s, {} media files opened",
        run.status.as_str(),
        run.seconds,
        run.files_opened
    )
}

/// Prints the result as one JSON object.
pub(super) fn json(out: &mut impl Write, run: &Run, failures: &Listing<RunLogEntry>) -> io::Result<()> {
    let failures_listed: Vec<_> = failures
        .items
        .iter()
        .map(|failure| {
            json!({ "mediaKind": failure.kind, "relativePath": failure.path.as_str(), "reason": failure.reason })
        })
        .collect();
    let summary = json!({
        "runId": run.id,
        "type": run.run_type,
        "status": run.status,
        "counts": run.counts,
        "filesOpened": run.files_opened,
        "seconds": run.seconds,
        "warnings": run.warnings,
        "failures": failures_listed,
        "failuresTotal": failures.total,
    });
    writeln!(out, "{summary}")
}

/// Replaces control characters, which file names may contain and terminals would interpret.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_replaces_control_characters() {
        assert_eq!(printable("a\x1b[31m\nb"), "a\u{fffd}[31m\u{fffd}b");
    }
}
