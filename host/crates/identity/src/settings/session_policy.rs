//! Lifetime of sessions, from the setting `session_timeout`.

use std::time::Duration;

use super::DAY;
use crate::later;
use svc_domain::named_enum::named_enum;
use svc_domain::time::Timestamp;

/// Idle timeout of a session without a persistent cookie.
const UNSEEN_MEMORY_SESSION: Duration = Duration::from_secs(24 * 60 * 60);

const UNSEEN_BROWSER_SESSION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

named_enum! {
    /// Where apps store a session.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SessionScope {
        /// Persistent.
        Local => "local",
        /// Until the browser is closed.
        Session => "session",
        /// Until the page is closed.
        Memory => "memory",
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
        later(now, self.idle)
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
