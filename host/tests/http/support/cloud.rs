//! A cloud that a test scripts.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::gate::Gate;
use svc_domain::time::Timestamp;
use svc_identity::cloud::{Cloud, CloudAccount, CloudError, CloudFeatures, CloudFuture};

/// A cloud that confirms the configured tokens and rejects all others.
#[derive(Debug, Default)]
pub(crate) struct ScriptedCloud {
    accounts: Mutex<HashMap<String, Result<CloudAccount, CloudError>>>,
    asked: AtomicUsize,
    /// Wakes what waits for an answer to [`LATE`].
    late: Notify,
    answered_late: AtomicUsize,
    /// Before each answer.
    pub(crate) gate: Gate,
}

/// A token for which the cloud never answers.
pub(crate) const SILENCE: &str = "silence";

/// A token for which the cloud answers after [`ScriptedCloud::answer_late`].
pub(crate) const LATE: &str = "late";

impl ScriptedCloud {
    pub(crate) fn says(&self, token: &str, answer: Result<&str, CloudError>) {
        let account = |id: &str| CloudAccount {
            id: id.to_owned(),
            ..CloudAccount::default()
        };
        self.answers(token, answer.map(account));
    }

    pub(crate) fn answers(&self, token: &str, answer: Result<CloudAccount, CloudError>) {
        self.accounts.lock().unwrap().insert(token.to_owned(), answer);
    }

    /// The token is of this account, whose session with the cloud ends at `expires_at`.
    pub(crate) fn vouches_until(&self, token: &str, id: &str, expires_at: Timestamp) {
        let account = CloudAccount {
            id: id.to_owned(),
            display_name: Some(format!("{id} of the cloud")),
            expires_at: Some(expires_at),
            ..CloudAccount::default()
        };
        self.answers(token, Ok(account));
    }

    /// How often it was asked for an account.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Answers all requests for [`LATE`] that wait.
    pub(crate) fn answer_late(&self) {
        self.late.notify_waiters();
    }

    /// How many requests for [`LATE`] were answered.
    pub(crate) fn answered_late(&self) -> usize {
        self.answered_late.load(Ordering::SeqCst)
    }
}

impl Cloud for ScriptedCloud {
    fn features(&self) -> CloudFeatures {
        CloudFeatures {
            accounts: true,
            ..CloudFeatures::default()
        }
    }

    fn identity(&self) -> &str {
        "https://cloud.example"
    }

    fn account<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudAccount> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let reported = self.accounts.lock().unwrap().get(token).cloned();
        let answer = reported.unwrap_or(Err(CloudError::Rejected));
        Box::pin(async move {
            self.gate.pass().await;
            match token {
                SILENCE => std::future::pending().await,
                LATE => {
                    self.late.notified().await;
                    self.answered_late.fetch_add(1, Ordering::SeqCst);
                    answer
                }
                _ => answer,
            }
        })
    }
}
