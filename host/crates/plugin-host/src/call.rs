//! The state of the call that runs in a store, and the reasons for which the host ends a call.

use std::sync::Arc;
use std::time::Duration;

use crate::deadline::Deadline;
use crate::host_log::LogState;
use crate::host_related::OpenedRelated;
use crate::host_settings::SettingValues;
use crate::host_source::{SourceFile, SourceState};
use crate::limits::Limits;
use crate::memory::MemoryMeter;
use svc_domain::extraction::ExtractFailure;

/// Data of a plugin's store.
pub(super) struct CallState {
    pub(super) source: SourceState,
    pub(super) related: Option<OpenedRelated>,
    pub(super) settings: SettingValues,
    pub(super) log: LogState,
    pub(super) deadline: Deadline,
    pub(super) memory: MemoryMeter,
}

impl CallState {
    /// For an instance with these settings and a memory limit in bytes.
    pub(super) fn new(plugin_id: Arc<str>, settings: SettingValues, memory: u64) -> Self {
        Self {
            source: SourceState::new(),
            related: None,
            settings,
            log: LogState::new(plugin_id),
            deadline: Deadline::default(),
            memory: MemoryMeter::new(memory),
        }
    }

    /// Starts a call for this file with these limits.
    pub(super) fn begin(&mut self, file: &Arc<SourceFile>, limits: &Limits) {
        self.source.open(file, limits);
        self.memory.set_limit(limits.memory);
        self.log.restart();
        self.deadline.start(limits.time, file.cancelled());
    }

    /// Releases the file.
    pub(super) fn end(&mut self) {
        self.source.close();
        self.related = None;
    }
}

/// Why the host ended a call. Passes through the guest as a wasmtime error.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum StopReason {
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

impl From<StopReason> for ExtractFailure {
    fn from(stop: StopReason) -> Self {
        match stop {
            StopReason::Timeout(limit) => Self::Timeout { limit },
            StopReason::Starved(waited) => Self::Io(format!(
                "no progress for {:.1} s: the storage or the machine is too slow",
                waited.as_secs_f64()
            )),
            StopReason::Cancelled => Self::Io("cancelled, because its result is no longer needed".to_owned()),
            StopReason::Memory(limit) => Self::OutOfMemory { limit },
            StopReason::Budget(what) => Self::Budget(what),
        }
    }
}
