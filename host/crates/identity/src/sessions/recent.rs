//! Whether the user of a session authenticated recently, which changes of how an account signs in require.

use std::time::Duration;

use crate::AuthContext;
use crate::error::{Result, ServiceError};
use crate::sessions::Sessions;

/// How long a sign-in counts as recent.
pub const RECENT: Duration = Duration::from_secs(5 * 60);

impl Sessions {
    /// Fails unless the user of the caller's session signed in within the last five minutes. Refreshes do not count, and a
    /// device has the time of the session that approved it.
    ///
    /// # Errors
    /// Reauthentication required; database errors.
    pub async fn require_recent_sign_in(&self, by: &AuthContext) -> Result<()> {
        let signed_in_at = match by.actor.session() {
            Some(session) => self.sessions.signed_in_at(session, by.actor.user.id).await?,
            None => None,
        };
        let now = self.context.now();
        // A clock that was set back must not lock anyone out for longer than that.
        let is_recent = signed_in_at
            .is_some_and(|at| u128::from(now.millis().abs_diff(at.millis())) < RECENT.as_millis());
        if is_recent {
            Ok(())
        } else {
            Err(ServiceError::ReauthenticationRequired)
        }
    }
}
