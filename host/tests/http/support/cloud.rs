//! A cloud that a test scripts.

use std::collections::HashMap;
use std::sync::Mutex;

use svc_identity::cloud::{Cloud, CloudAccount, CloudError, CloudFeatures, CloudFuture};

/// A cloud that confirms the configured tokens and rejects all others.
#[derive(Debug, Default)]
pub(crate) struct ScriptedCloud {
    accounts: Mutex<HashMap<String, Result<String, CloudError>>>,
}

impl ScriptedCloud {
    pub(crate) fn says(&self, token: &str, answer: Result<&str, CloudError>) {
        let answer = answer.map(str::to_owned);
        self.accounts.lock().unwrap().insert(token.to_owned(), answer);
    }
}

impl Cloud for ScriptedCloud {
    fn features(&self) -> CloudFeatures {
        CloudFeatures {
            accounts: true,
            ..CloudFeatures::default()
        }
    }

    fn account<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudAccount> {
        let reported = self.accounts.lock().unwrap().get(token).cloned();
        let answer = reported.unwrap_or(Err(CloudError::Rejected));
        Box::pin(async move {
            answer.map(|id| CloudAccount {
                id,
                ..CloudAccount::default()
            })
        })
    }
}
