//! Counters of an active run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{KindCounts, RunCounts};
use svc_store::PersistOutcome;

/// Counters of one media kind.
#[derive(Debug, Default)]
pub(super) struct KindProgress {
    found: AtomicU64,
    added: AtomicU64,
    updated: AtomicU64,
    unchanged: AtomicU64,
    missing: AtomicU64,
    errored: AtomicU64,
}

/// Result of reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// New in the index.
    Added,
    /// Its record changed.
    Updated,
    /// Its record is unchanged.
    Unchanged,
    /// It could not be read.
    Errored,
}

impl KindProgress {
    pub(super) fn found(&self, files: usize) {
        self.found.fetch_add(files as u64, Ordering::Relaxed);
    }

    pub(super) fn unchanged(&self, files: usize) {
        self.unchanged.fetch_add(files as u64, Ordering::Relaxed);
    }

    pub(super) fn missing(&self, files: usize) {
        self.missing.fetch_add(files as u64, Ordering::Relaxed);
    }

    /// Counts a file that disappeared after it was found.
    pub(super) fn vanished(&self) {
        decrement(&self.found);
    }

    /// Counts the result of a file; each found file counts once.
    pub(super) fn read(&self, outcome: Outcome) {
        let counter = match outcome {
            Outcome::Added => &self.added,
            Outcome::Updated => &self.updated,
            Outcome::Unchanged => &self.unchanged,
            Outcome::Errored => &self.errored,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a stale file, which the run had counted as unchanged.
    pub(super) fn read_again(&self, outcome: Outcome) {
        if !decrement(&self.unchanged) {
            // Its directory could not be listed before.
            self.found(1);
        }
        self.read(outcome);
    }

    fn snapshot(&self) -> KindCounts {
        KindCounts {
            found: self.found.load(Ordering::Relaxed),
            added: self.added.load(Ordering::Relaxed),
            updated: self.updated.load(Ordering::Relaxed),
            unchanged: self.unchanged.load(Ordering::Relaxed),
            missing: self.missing.load(Ordering::Relaxed),
            errored: self.errored.load(Ordering::Relaxed),
        }
    }
}

/// Decrements the counter; false if it is zero.
fn decrement(counter: &AtomicU64) -> bool {
    counter
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |number| {
            number.checked_sub(1)
        })
        .is_ok()
}

/// Receives the changes of each committed transaction; must not block.
type OnCommitted = Box<dyn Fn(PersistOutcome) + Send + Sync>;

/// The counters of a run.
#[derive(Default)]
pub struct Progress {
    kinds: BTreeMap<MediaKind, KindProgress>,
    files_opened: AtomicU64,
    /// Whether all directories are listed.
    walked: AtomicBool,
    /// The file that was opened last.
    current: Mutex<Option<RelativePath>>,
    on_committed: Option<OnCommitted>,
    warnings: Mutex<Vec<String>>,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress")
            .field("kinds", &self.kinds)
            .finish_non_exhaustive()
    }
}

/// Further warnings are only counted, so that a failing disk fills neither memory nor the run's row.
const MAX_WARNINGS: usize = 100;

impl Progress {
    /// Creates counters for these kinds.
    pub fn new(kinds: impl IntoIterator<Item = MediaKind>) -> Self {
        let kinds = kinds
            .into_iter()
            .map(|kind| (kind, KindProgress::default()))
            .collect();
        Self {
            kinds,
            ..Self::default()
        }
    }

    /// Sets the callback for committed changes.
    #[must_use]
    pub fn on_committed(mut self, on_committed: impl Fn(PersistOutcome) + Send + Sync + 'static) -> Self {
        self.on_committed = Some(Box::new(on_committed));
        self
    }

    /// Reports a committed transaction.
    pub(super) fn committed(&self, outcome: PersistOutcome) {
        if let Some(on_committed) = &self.on_committed {
            on_committed(outcome);
        }
    }

    /// Records that all directories are listed, so the number of found files is final.
    pub(super) fn walked(&self) {
        self.walked.store(true, Ordering::Relaxed);
    }

    /// Whether all directories are listed.
    pub fn is_walked(&self) -> bool {
        self.walked.load(Ordering::Relaxed)
    }

    /// Records the file being read. A contended lock is skipped; the next file follows soon.
    pub(super) fn reading(&self, path: &RelativePath) {
        if let Ok(mut current) = self.current.try_lock() {
            *current = Some(path.clone());
        }
    }

    /// The file that was opened last, relative to its root.
    pub fn current_path(&self) -> Option<RelativePath> {
        self.current
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The counters of a kind of this run.
    pub(super) fn kind(&self, kind: &MediaKind) -> Option<&KindProgress> {
        self.kinds.get(kind)
    }

    pub(super) fn file_opened(&self) {
        self.files_opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Logs a warning and adds it to the run.
    pub fn warn(&self, warning: String) {
        tracing::warn!(target: "svc::scan", "{warning}");
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        match warnings.len() {
            len if len < MAX_WARNINGS => warnings.push(warning),
            MAX_WARNINGS => warnings.push("further warnings are in the log only".to_owned()),
            _ => {}
        }
    }

    /// Media files opened so far.
    pub fn files_opened(&self) -> u64 {
        self.files_opened.load(Ordering::Relaxed)
    }

    /// The counts so far.
    pub fn counts(&self) -> RunCounts {
        self.kinds
            .iter()
            .map(|(kind, counts)| (kind.to_string(), counts.snapshot()))
            .collect()
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
