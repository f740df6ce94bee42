//! The record of a file depends on the file alone: not on the instance, the files before it, or other threads.

use std::thread;

use crate::conformance::{Cases, Conformance};
use crate::media::Media;
use crate::record::Record;
use crate::sandbox::Sandbox;

/// Repetitions on new instances.
const REPETITIONS: usize = 3;
/// Threads that read the same files.
const THREADS: usize = 4;

/// New instances give the same record.
pub(super) fn determinism(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "determinism");
    for media in media {
        let Some(first) = cases.read(&media.source()) else {
            break;
        };
        for _ in 1..REPETITIONS {
            cases.restart();
            let Some(again) = cases.read(&media.source()) else {
                break;
            };
            if again != first {
                cases.fail(format!(
                    "{}: a new instance gives {}",
                    media.name,
                    again.to_json()
                ));
            }
        }
    }
    cases.finish()
}

/// One instance reads A, B and A again: the record of A is that of a new instance.
pub(super) fn leaks(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "state between files");
    let mut fresh = Vec::with_capacity(media.len());
    for media in media {
        cases.restart();
        let Some(record) = cases.read(&media.source()) else {
            return cases.finish();
        };
        fresh.push(record);
    }
    cases.restart();
    for (at, (a, expected)) in media.iter().zip(&fresh).enumerate() {
        // Each file after every other one would be quadratic; the neighbours change with each round.
        let Some(b) = media.get((at + 1) % media.len().max(1)) else {
            break;
        };
        for (media, is_a) in [(a, true), (b, false), (a, true)] {
            let Some(record) = cases.read(&media.source()) else {
                return cases.finish();
            };
            if is_a && record != *expected {
                cases.fail(format!(
                    "{}: another record after {}: {}",
                    a.name,
                    b.name,
                    record.to_json()
                ));
            }
        }
    }
    cases.finish()
}

/// Instances on several threads do not affect each other.
pub(super) fn concurrency(sandbox: &Sandbox, media: &[Media]) -> Conformance {
    let mut cases = Cases::new(sandbox, "concurrent instances");
    let mut expected = Vec::with_capacity(media.len());
    for media in media {
        let Some(record) = cases.read(&media.source()) else {
            return cases.finish();
        };
        expected.push(record);
    }
    let read_all = || -> Vec<Record> {
        let mut reader = sandbox.reader();
        media.iter().map(|media| reader.read(&media.source())).collect()
    };
    let results: Vec<Option<Vec<Record>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(read_all)).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect()
    });
    cases.result.cases += THREADS * media.len();
    for records in results {
        let Some(records) = records else {
            cases.fail("the plugin host panicked".to_owned());
            continue;
        };
        for ((record, expected), media) in records.iter().zip(&expected).zip(media) {
            if record != expected {
                cases.fail(format!(
                    "{}: another record on another thread: {}",
                    media.name,
                    record.to_json()
                ));
            }
        }
    }
    cases.finish()
}
