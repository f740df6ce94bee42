//! The reasons for which the host ends a call.

use std::time::Duration;

use svc_domain::extraction::ExtractFailure;

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
