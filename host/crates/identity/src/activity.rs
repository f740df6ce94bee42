//! The last use of accounts, sessions and tokens. It is kept in memory and written periodically, so that requests do
//! not wait for the disk; a power failure loses at most the last minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::actor::{Actor, AuthMethod};
use crate::error::Result;
use svc_domain::id::{PersonalAccessTokenId, SessionId, UserId};
use svc_domain::time::Timestamp;
use svc_store::{Activity, UserRepository};

/// Interval of the writes.
pub const WRITE_EVERY: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
struct LastSeen {
    users: HashMap<UserId, Timestamp>,
    sessions: HashMap<SessionId, Timestamp>,
    tokens: HashMap<PersonalAccessTokenId, Timestamp>,
}

/// Collects the last use of each credential. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ActivityLog(Arc<Mutex<LastSeen>>);

impl ActivityLog {
    /// Records a request of the caller.
    pub fn record(&self, actor: &Actor, now: Timestamp) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.users.insert(actor.user.id, now);
        match actor.auth_method {
            AuthMethod::AccessToken {
                session: Some(session),
                ..
            } => {
                seen.sessions.insert(session, now);
            }
            AuthMethod::AccessToken { session: None, .. } | AuthMethod::ItemLink(_) => {}
            AuthMethod::PersonalAccessToken(token) => {
                seen.tokens.insert(token, now);
            }
        }
    }

    /// Writes everything recorded since the last call.
    ///
    /// # Errors
    /// Database errors; the recorded uses are lost then.
    pub async fn write(&self, users: &UserRepository) -> Result<()> {
        let seen = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let activity = Activity {
            users: numbers(seen.users, UserId::get),
            sessions: numbers(seen.sessions, SessionId::get),
            tokens: numbers(seen.tokens, PersonalAccessTokenId::get),
        };
        if !activity.users.is_empty() {
            users.record_activity(&activity).await?;
        }
        Ok(())
    }
}

fn numbers<T: Eq + Hash>(seen: HashMap<T, Timestamp>, number: impl Fn(T) -> i64) -> Vec<(i64, Timestamp)> {
    seen.into_iter().map(|(id, at)| (number(id), at)).collect()
}
