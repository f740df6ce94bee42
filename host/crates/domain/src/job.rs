//! Jobs: long background work that a user starts, task by task.

use crate::id::{JobId, UserId};
use crate::named_enum::named_enum;
use crate::time::Timestamp;

named_enum! {
    /// The state of a job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum JobStatus: i16 {
        /// Waits to be started.
        Queued = 0 => "queued",
        /// Runs, or was interrupted by the end of the process and will be resumed.
        Running = 1 => "running",
        /// Paused by a user.
        Paused = 2 => "paused",
        /// Completed, possibly with failed tasks.
        Completed = 3 => "completed",
        /// Ended by an error.
        Failed = 4 => "failed",
        /// Cancelled by a user.
        Cancelled = 5 => "cancelled",
    }
}

/// An action of a user on a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobAction {
    /// Suspend it.
    Pause,
    /// Queue it again.
    Resume,
    /// End it without completing.
    Cancel,
}

impl JobAction {
    /// The states in which the action is permitted, and the resulting state.
    pub fn transition(self) -> (&'static [JobStatus], JobStatus) {
        use JobStatus::{Cancelled, Paused, Queued, Running};
        match self {
            Self::Pause => (&[Queued, Running], Paused),
            Self::Resume => (&[Paused], Queued),
            Self::Cancel => (&[Queued, Running, Paused], Cancelled),
        }
    }
}

/// The checkpoint from which a job is resumed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobProgress {
    /// Position in the list of tasks, defined by the job type; 0 is the start.
    pub cursor: i64,
    /// Finished tasks, including failed ones.
    pub completed: i64,
    /// Tasks that failed.
    pub failed: i64,
    /// All tasks, if their number is known.
    pub total: Option<i64>,
    /// Preliminary result: an object in the format of the job type.
    pub result: serde_json::Value,
}

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Id.
    pub id: JobId,
    /// Name of its type.
    pub job_type: String,
    /// An object, validated by the job type.
    pub parameters: serde_json::Value,
    /// State.
    pub status: JobStatus,
    /// The account that started it.
    pub created_by: Option<UserId>,
    /// When it first ran.
    pub started_at: Option<Timestamp>,
    /// When it completed, failed or was cancelled.
    pub completed_at: Option<Timestamp>,
    /// The last checkpoint.
    pub progress: JobProgress,
    /// The error of a failed job.
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_permitted_in_the_states_of_the_table() {
        use JobStatus::{Cancelled, Paused, Queued};
        let after = |action: JobAction, status: JobStatus| {
            let (from, to) = action.transition();
            from.contains(&status).then_some(to)
        };
        // In the order of `JobStatus::ALL`.
        let table = [
            (
                JobAction::Pause,
                [Some(Paused), Some(Paused), None, None, None, None],
            ),
            (JobAction::Resume, [None, None, Some(Queued), None, None, None]),
            (
                JobAction::Cancel,
                [
                    Some(Cancelled),
                    Some(Cancelled),
                    Some(Cancelled),
                    None,
                    None,
                    None,
                ],
            ),
        ];
        for (action, expected) in table {
            assert_eq!(
                JobStatus::ALL.map(|status| after(action, status)),
                expected,
                "{action:?}"
            );
        }
        for status in JobStatus::ALL {
            assert_eq!(JobStatus::from_number(status as i16), Some(status));
        }
        assert_eq!(JobStatus::from_number(6), None);
    }
}
