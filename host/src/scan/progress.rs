//! The numbers of a run while it goes on.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::domain::kind::MediaKind;
use crate::domain::scan::{KindCounts, RunCounts};

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

    pub(super) fn errored(&self) {
        self.errored.fetch_add(1, Ordering::Relaxed);
    }

    /// One file was read and stored.
    pub(super) fn stored(&self, known: bool) {
        let counter = if known { &self.updated } else { &self.added };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A file that was taken for new is one that was known at another place.
    pub(super) fn moved(&self) {
        self.added.fetch_sub(1, Ordering::Relaxed);
        self.updated.fetch_add(1, Ordering::Relaxed);
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

/// The numbers of a run.
#[derive(Debug, Default)]
pub struct Progress {
    kinds: BTreeMap<MediaKind, KindProgress>,
    files_opened: AtomicU64,
    warnings: Mutex<Vec<String>>,
}

/// Past this many, warnings are only counted: a broken disk must not fill memory and the run's row.
const MAX_WARNINGS: usize = 100;

impl Progress {
    /// Numbers for a run over these kinds.
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

    /// The counters of a kind of this run.
    pub(super) fn kind(&self, kind: &MediaKind) -> Option<&KindProgress> {
        self.kinds.get(kind)
    }

    pub(super) fn file_opened(&self) {
        self.files_opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes what an administrator should know, in the log and in the run.
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
