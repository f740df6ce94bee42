//! Lifetime of sessions, from the setting `session_timeout`.

use std::time::Duration;

use super::DAY;
use svc_domain::time::Timestamp;

/// Idle timeout of a session without a persistent cookie.
const UNSEEN_MEMORY_SESSION: Duration = Duration::from_secs(24 * 60 * 60);

const UNSEEN_BROWSER_SESSION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Where apps store a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionScope {
    /// Persistent.
    Local,
    /// Until the browser is closed.
    Session,
    /// Until the page is closed.
    Memory,
}

impl SessionScope {
    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Session => "session",
            Self::Memory => "memory",
        }
    }
}

/// Lifetime of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Where apps store them.
    pub scope: SessionScope,
    /// Idle timeout.
    pub idle: Duration,
}

impl SessionPolicy {
    /// When a session that is used now expires.
    pub fn idle_expiry(&self, now: Timestamp) -> Timestamp {
        let idle = i64::try_from(self.idle.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(now.millis().saturating_add(idle))
    }

    pub(super) fn from_word(word: &str) -> Self {
        let days = word.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
        let (scope, idle) = match (word, days) {
            (_, Some(days)) => (SessionScope::Local, DAY * days),
            ("session", _) => (SessionScope::Session, UNSEEN_BROWSER_SESSION),
            _ => (SessionScope::Memory, UNSEEN_MEMORY_SESSION),
        };
        Self { scope, idle }
    }
}
