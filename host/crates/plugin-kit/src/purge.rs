//! The job of a server that deletes the items of a kind, as its administrator's tools see it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The job.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PurgeReport {
    /// Its id.
    pub job_id: String,
    /// What it was asked for.
    pub parameters: PurgeParameters,
    /// `queued`, `running`, `paused`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// Number of deleted entries of files.
    pub completed_tasks: u64,
    /// What it did so far.
    pub result: PurgeResult,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The parameters of the job.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PurgeParameters {
    /// The kind.
    pub media_kind: String,
}

/// The result of the job.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeResult {
    /// Number of deleted items.
    #[serde(default)]
    pub items: u64,
}

impl PurgeReport {
    /// Whether the job waits or runs. Somebody else may have paused it; it goes on when they resume it.
    pub fn is_open(&self) -> bool {
        ["queued", "running"].contains(&self.status.as_str())
    }

    /// Whether nothing of the kind is left.
    pub fn is_completed(&self) -> bool {
        self.status == "completed"
    }
}

impl fmt::Display for PurgeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.parameters.media_kind;
        write!(
            f,
            "{} items of the kind {kind} are purged; their {} files are as they were",
            self.result.items, self.completed_tasks
        )?;
        if !self.is_completed() {
            let reason = self.error.as_deref().unwrap_or("others may be left");
            write!(f, "\nthe job {} is {}: {reason}", self.job_id, self.status)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(status: &str) -> PurgeReport {
        let job = json!({
            "jobId": "7", "type": "purge_kind", "parameters": {"mediaKind": "comics"}, "status": status,
            "completedTasks": 5, "failedTasks": 0, "result": {"items": 3}, "error": "a plugin reads them",
        });
        serde_json::from_value(job).unwrap()
    }

    #[test]
    fn report_says_what_is_purged_and_why_it_ended() {
        let completed = report("completed");
        assert!(completed.is_completed() && !completed.is_open());
        assert_eq!(
            completed.to_string(),
            "3 items of the kind comics are purged; their 5 files are as they were"
        );
        let failed = report("failed");
        assert!(!failed.is_completed() && !failed.is_open());
        let text = failed.to_string();
        assert!(
            text.ends_with("the job 7 is failed: a plugin reads them"),
            "{text}"
        );
        assert!(report("running").is_open());
    }
}
