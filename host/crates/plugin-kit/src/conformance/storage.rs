//! Storage that returns less than requested, fails, or is limited.

use std::sync::Arc;

use svc_domain::extraction::ExtractFailure;
use svc_plugin_host::SourceBytes;

use crate::conformance::{Cases, Conformance};
use crate::media::Media;
use crate::probe::{Failing, Recorded, Short};
use crate::sandbox::Sandbox;

/// Failing reads of one file, at most.
const MAX_FAILING: u32 = 64;

/// The record does not depend on how many bytes each read returns.
pub(super) fn short_reads(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "short reads");
    for media in media {
        let Some(expected) = cases.read(&media.source()) else {
            break;
        };
        for (divisor, most) in [(2, usize::MAX), (1, 1000), (1, 7)] {
            let short: Arc<dyn SourceBytes> = Arc::new(Short {
                inner: Arc::clone(&media.bytes),
                divisor,
                most,
            });
            let Some(record) = cases.read(&media.source_of(short, media.size)) else {
                break;
            };
            // Reads of a few bytes each may need more of them than are granted.
            if record
                .failures()
                .iter()
                .any(|failure| matches!(failure, ExtractFailure::Budget(_)))
            {
                cases.left_out("files that take too many reads when each returns a few bytes");
            } else if record != expected {
                cases.fail(format!(
                    "{}: another record when reads return at most {}: {}",
                    media.name,
                    if divisor > 1 {
                        "half of what is requested".to_owned()
                    } else {
                        format!("{most} bytes")
                    },
                    record.to_json(),
                ));
            }
        }
    }
    cases.finish()
}

/// A read that fails is reported as such, and leaves the instance able to read the next file.
pub(super) fn failing_reads(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "failing reads");
    for media in media {
        let recorded = Recorded::new(Arc::clone(&media.bytes));
        let Some(expected) = cases.read(&media.source_of(recorded.clone(), media.size)) else {
            break;
        };
        let reads = u32::try_from(recorded.reads().len()).unwrap_or(u32::MAX);
        for failing in 0..reads.min(MAX_FAILING) {
            let source: Arc<dyn SourceBytes> = Arc::new(Failing {
                inner: Arc::clone(&media.bytes),
                failing,
                reads: 0.into(),
            });
            let Some(record) = cases.read(&media.source_of(source, media.size)) else {
                break;
            };
            let what = format!("{}: read {} fails", media.name, failing + 1);
            if let Some(fault) = record.fault() {
                cases.fail(format!("{what}: {fault}"));
            } else if !record
                .failures()
                .iter()
                .any(|failure| matches!(failure, ExtractFailure::Io(_)))
            {
                cases.fail(format!(
                    "{what}: the plugin returns a record all the same: {}",
                    record.to_json()
                ));
            }
            let Some(after) = cases.read(&media.source()) else {
                break;
            };
            if after != expected {
                cases.fail(format!("{what}: the next read of the file gives another record"));
            }
        }
    }
    cases.finish()
}

/// When the granted bytes are used up, the plugin ends with an error instead of a trap. `tight` grants a single byte.
pub(super) fn read_limit(tight: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(tight, "read limit");
    for media in media {
        let Some(record) = cases.read(&media.source()) else {
            break;
        };
        if let Some(fault) = record.failures().iter().find(|failure| failure.blames_plugin()) {
            cases.fail(format!("{}: {fault}", media.name));
        }
    }
    cases.finish()
}
