//! Jobs: long work that somebody asked for, done in the background, item by item.

use crate::id::{JobId, UserId};
use crate::time::Timestamp;

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum JobStatus {
    /// Waits for its turn.
    Queued = 0,
    /// Under way, or cut off by the end of the process and to be taken up again.
    Running = 1,
    /// Held by a user.
    Paused = 2,
    /// Came to its end.
    Completed = 3,
    /// Ended by an error.
    Failed = 4,
    /// Ended by a user.
    Cancelled = 5,
}

impl JobStatus {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Running,
        Self::Paused,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status with this number in the store.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|status| *status as i16 == number)
    }
}

/// What a user does to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobAction {
    /// Hold it.
    Pause,
    /// Let it go on when its turn comes.
    Resume,
    /// End it.
    Cancel,
}

impl JobAction {
    /// The states in which it can be done, and the one that it leads to.
    pub fn transition(self) -> (&'static [JobStatus], JobStatus) {
        use JobStatus::{Cancelled, Paused, Queued, Running};
        match self {
            Self::Pause => (&[Queued, Running], Paused),
            Self::Resume => (&[Paused], Queued),
            Self::Cancel => (&[Queued, Running, Paused], Cancelled),
        }
    }
}

/// How far a job has come: what is kept so that it can go on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobProgress {
    /// Where it is in its list of tasks, by its own count. Zero is the beginning.
    pub cursor: i64,
    /// Tasks that are done, those that failed included.
    pub completed: i64,
    /// Tasks that failed.
    pub failed: i64,
    /// All tasks, as far as known.
    pub total: Option<i64>,
    /// What it has found so far, as its type says it: an object.
    pub result: serde_json::Value,
}

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Identifier.
    pub id: JobId,
    /// Name of its type.
    pub job_type: String,
    /// As its type has checked them: an object.
    pub parameters: serde_json::Value,
    /// Where it stands.
    pub status: JobStatus,
    /// Who asked for it.
    pub created_by: Option<UserId>,
    /// When its turn first came.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// How far it has come.
    pub progress: JobProgress,
    /// Why it failed.
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_fit_the_states_of_the_table() {
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
