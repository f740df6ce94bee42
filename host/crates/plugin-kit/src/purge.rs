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

/// What a person reads before they confirm a purge.
#[derive(Debug)]
pub struct PurgeQuestion {
    /// The kind.
    pub kind: String,
    /// As far as the server tells.
    pub known: Option<KnownKind>,
}

/// A kind as a server lists it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct KnownKind {
    /// Its name.
    pub kind: String,
    /// `active`, or why its files are not read.
    pub state: String,
    /// A sentence about it; absent if it is active.
    #[serde(default)]
    pub unavailable: Option<Unavailable>,
}

/// Why the files of a kind are not read.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct Unavailable {
    /// A sentence.
    pub reason: String,
}

impl fmt::Display for PurgeQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.kind;
        write!(
            f,
            "all items of the kind {kind} would be deleted for good, with their ratings and history"
        )?;
        let Some(known) = &self.known else {
            return write!(f, "; its state is not known");
        };
        match &known.unavailable {
            Some(unavailable) => write!(f, "; now it is {}: {}", known.state, unavailable.reason)?,
            None => write!(f, "; now it is {}", known.state)?,
        }
        if known.state != "no_plugin" {
            f.write_str("; without a purge, they would come back with the plugin")?;
        }
        Ok(())
    }
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
    fn question_names_the_state_of_the_kind() {
        let question = |known: serde_json::Value| {
            let known = serde_json::from_value(known).unwrap();
            let kind = "comics".to_owned();
            PurgeQuestion { kind, known }.to_string()
        };
        let disabled = question(json!({
            "kind": "comics", "state": "plugin_disabled", "playable": false,
            "unavailable": {"reason": "the plugin `comics` is disabled"},
        }));
        assert_eq!(
            disabled,
            "all items of the kind comics would be deleted for good, with their ratings and history; now it is \
             plugin_disabled: the plugin `comics` is disabled; without a purge, they would come back with the plugin"
        );
        let removed = question(json!({
            "kind": "comics", "state": "no_plugin", "unavailable": {"reason": "no plugin defines it"},
        }));
        assert!(
            removed.ends_with("now it is no_plugin: no plugin defines it"),
            "{removed}"
        );
        assert!(question(serde_json::Value::Null).ends_with("its state is not known"));
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
