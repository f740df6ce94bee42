//! Listing and ending sessions.

use super::{Sessions, presented};
use crate::error::{Result, ServiceError};
use crate::{AuthContext, ClientInfo, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::{SessionId, UserId};
use svc_domain::session::Session;

impl Sessions {
    /// Ends the sessions of a cookie and of an access token, if given.
    ///
    /// # Errors
    /// Database errors.
    pub async fn end(
        &self,
        cookie: Option<&str>,
        session: Option<(UserId, SessionId)>,
        client: ClientInfo,
    ) -> Result<()> {
        let token = cookie.and_then(|cookie| self.token(cookie));
        if token.is_none() && session.is_none() {
            return Ok(());
        }
        let sessions = self.clone();
        run_to_completion(&self.context.tasks, "session-end", async move {
            let context = &sessions.context;
            let mut change = context.identity.change_identity().await?;
            let now = context.now();
            let mut ended: Vec<_> = session.into_iter().collect();
            if let Some(token) = token
                && let Some(presented) = presented(&mut change, &token).await?
            {
                ended.push((presented.session.user, presented.session.id));
            }
            let mut with_provider = Vec::new();
            for &(user, session) in &ended {
                if change.revoke_session(user, session, now).await? {
                    let provider = change.cloud_session(session).await?;
                    with_provider.extend(provider.and_then(|provider| Some((session, provider.token?))));
                    let account = change.account(user).await?.map(|account| account.user);
                    let event = AuditEvent::LoggedOut;
                    let entry = context.audit_entry(event, &client, account.as_ref(), None, &[]);
                    change.audit(&entry).await?;
                }
            }
            change.commit_of(ended.into_iter().map(|(user, _)| user)).await?;
            sessions.revoke_at_provider(with_provider);
            Ok(())
        })
        .await
    }

    /// The sessions of an account, newest first.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn list(&self, user: UserId) -> Result<Vec<Session>> {
        self.users.account(user).await?.ok_or(ServiceError::NotFound)?;
        Ok(self.sessions.live_sessions(user, self.context.now()).await?)
    }

    /// Ends one session of an account.
    ///
    /// # Errors
    /// Not found; refused for an account with capabilities that the caller lacks; database errors.
    pub async fn revoke(&self, by: AuthContext, user: UserId, session: SessionId) -> Result<()> {
        let ended = self.revoke_some(by, user, Some(session)).await?;
        if ended == 0 {
            return Err(ServiceError::NotFound);
        }
        Ok(())
    }

    /// Ends all sessions of an account except the caller's; returns their number.
    ///
    /// # Errors
    /// As [`Sessions::revoke`].
    pub async fn revoke_all(&self, by: AuthContext, user: UserId) -> Result<u64> {
        self.revoke_some(by, user, None).await
    }
}
