//! Damaged files: empty, truncated, of any content, much larger than their content.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conformance::{Cases, Conformance};
use crate::media::Media;
use crate::probe::{Padded, Recorded};
use crate::sandbox::Sandbox;

/// Truncations of one file, at most. Those around reads come first.
const MAX_TRUNCATIONS: usize = 400;
/// Distance of the other truncations in bytes.
const STEP: usize = 4096;
/// Size of a sparse file: more than 32 bits can count.
const SPARSE_BYTES: u64 = 5 << 30;

/// An empty file is no reason to fail.
pub(super) fn empty(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "empty file");
    for media in media {
        cases.read_without_fault(&media.source_of(Arc::clone(&media.bytes), 0), &media.name);
    }
    cases.finish()
}

/// Nor is any content.
pub(super) fn content(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "content of another format");
    for media in media {
        cases.read_without_fault(&media.source(), &media.name);
    }
    cases.finish()
}

/// Files that end before, at and after each read, and at every 4 KiB.
pub(super) fn truncated(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "truncated file");
    for media in media {
        let recorded = Recorded::new(Arc::clone(&media.bytes));
        if cases
            .read(&media.source_of(recorded.clone(), media.size))
            .is_none()
        {
            break;
        }
        let ends = recorded.reads().into_iter().flat_map(|read| {
            let end = read.offset.saturating_add(read.returned);
            [read.offset, end]
                .into_iter()
                .flat_map(|at| [at.saturating_sub(1), at, at.saturating_add(1)])
        });
        let near: BTreeSet<u64> = ends.filter(|cut| *cut < media.size).collect();
        let steps = (0..media.size).step_by(STEP).filter(|cut| !near.contains(cut));
        let cuts: Vec<u64> = near.iter().copied().chain(steps).collect();
        if cuts.len() > MAX_TRUNCATIONS {
            cases.left_out("only the first 400 truncations of each file");
        }
        for cut in cuts.into_iter().take(MAX_TRUNCATIONS) {
            let what = format!("{} truncated to {cut} bytes", media.name);
            cases.read_without_fault(&media.source_of(Arc::clone(&media.bytes), cut), &what);
        }
    }
    cases.finish()
}

/// A file of 5 GiB that starts like the fixture and continues with zeros: no plugin reads it to its end.
pub(super) fn sparse(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "file of 5 GiB");
    for media in media {
        let inner = Arc::clone(&media.bytes);
        let source = media.source_of(Arc::new(Padded { inner }), SPARSE_BYTES);
        let Some(record) = cases.read(&source) else { break };
        // A file as large as this may well take more reads than are granted; the host ends that as it should.
        if let Some(fault) = record.failures().iter().find(|failure| failure.blames_plugin()) {
            cases.fail(format!("{} continued to 5 GiB: {fault}", media.name));
        }
    }
    cases.finish()
}
