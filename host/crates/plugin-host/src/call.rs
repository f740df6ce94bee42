//! What a store knows of the call that runs in it, and the ways in which the host ends one.

use std::sync::Arc;
use std::time::Duration;

use crate::deadline::Deadline;
use crate::host_log::LogState;
use crate::host_related::OpenedRelated;
use crate::host_source::{SourceFile, SourceState};
use crate::limits::Limits;
use crate::memory::MemoryMeter;
use svc_domain::extraction::ExtractFailure;

/// The data of a plugin's store.
pub(super) struct CallState {
    pub(super) source: SourceState,
    pub(super) related: Option<OpenedRelated>,
    pub(super) log: LogState,
    pub(super) deadline: Deadline,
    pub(super) memory: MemoryMeter,
}

impl CallState {
    /// Of an instance that may hold this much memory.
    pub(super) fn new(plugin_id: Arc<str>, memory: u64) -> Self {
        Self {
            source: SourceState::new(),
            related: None,
            log: LogState::new(plugin_id),
            deadline: Deadline::default(),
            memory: MemoryMeter::new(memory),
        }
    }

    /// Makes this file the one of the current call, which is held to these limits.
    pub(super) fn begin(&mut self, file: &Arc<SourceFile>, limits: &Limits) {
        self.source.open(file, limits);
        self.memory.set_limit(limits.memory);
        self.log.restart();
        self.deadline.start(limits.time, file.cancelled());
    }

    /// Lets go of the file.
    pub(super) fn end(&mut self) {
        self.source.close();
        self.related = None;
    }
}

/// Why the host ended a call. Travels through the guest's frames as wasmtime's error.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum Stop {
    #[error("deadline of {0:?} passed")]
    Timeout(Duration),
    #[error("no progress for {0:?}: waiting for storage or CPU")]
    Starved(Duration),
    #[error("cancelled")]
    Cancelled,
    #[error("memory limit of {0} bytes reached")]
    Memory(u64),
    #[error("{0}")]
    Budget(String),
}

impl From<Stop> for ExtractFailure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Timeout(limit) => Self::Timeout { limit },
            Stop::Starved(waited) => Self::Io(format!(
                "no progress for {:.1} s: the storage or the machine is too slow",
                waited.as_secs_f64()
            )),
            Stop::Cancelled => Self::Io("stopped, because nobody waits for it any more".to_owned()),
            Stop::Memory(limit) => Self::OutOfMemory { limit },
            Stop::Budget(what) => Self::Budget(what),
        }
    }
}
