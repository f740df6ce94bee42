//! When accounts, sessions and tokens were last used: kept in memory, written now and then. A request must not wait
//! for the disk because of it, and a power cut may take the last minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::actor::{Actor, AuthMethod};
use crate::error::Result;
use svc_domain::id::{PersonalAccessTokenId, SessionId, UserId};
use svc_domain::time::Timestamp;
use svc_store::{Activity, UserRepository};

/// How often it is written.
pub const WRITE_EVERY: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
struct LastSeen {
    users: HashMap<UserId, Timestamp>,
    sessions: HashMap<SessionId, Timestamp>,
    tokens: HashMap<PersonalAccessTokenId, Timestamp>,
}

/// Notes who was here. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ActivityLog(Arc<Mutex<LastSeen>>);

impl ActivityLog {
    /// Notes that a caller was here.
    pub fn note(&self, actor: &Actor, now: Timestamp) {
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

    /// Writes what was noted since the last time.
    ///
    /// # Errors
    /// The store's; what was noted is lost then.
    pub async fn write(&self, users: &UserRepository) -> Result<()> {
        let seen = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let activity = Activity {
            users: numbers(seen.users, UserId::get),
            sessions: numbers(seen.sessions, SessionId::get),
            tokens: numbers(seen.tokens, PersonalAccessTokenId::get),
        };
        if !activity.users.is_empty() {
            users.note_activity(&activity).await?;
        }
        Ok(())
    }
}

fn numbers<T: Eq + Hash>(seen: HashMap<T, Timestamp>, number: impl Fn(T) -> i64) -> Vec<(i64, Timestamp)> {
    seen.into_iter().map(|(id, at)| (number(id), at)).collect()
}
