//! Reports of the provider that sessions have ended (back-channel logout).

use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::cloud::CloudError;
use crate::error::ServiceError;
use crate::oidc::Oidc;
use crate::throttle::ClientNetwork;
use crate::{ClientInfo, later, run_to_completion};
use svc_domain::audit::AuditEvent;

/// How long the id of a report is remembered, beyond the time in which the plugin accepts the report.
const REMEMBERED: Duration = Duration::from_secs(15 * 60);

/// Why a report is not accepted.
#[derive(Debug)]
pub enum LogoutError {
    /// It is not a report of the provider, or was sent before.
    Invalid,
    /// It cannot be verified now, or the server failed.
    Service(ServiceError),
}

impl<E: Into<ServiceError>> From<E> for LogoutError {
    fn from(error: E) -> Self {
        Self::Service(error.into())
    }
}

impl Oidc {
    /// Ends the sessions that a report of the provider names, with their access tokens and open streams.
    ///
    /// # Errors
    /// Invalid if it is not accepted; try later if the provider's keys are not available; too many.
    pub async fn log_out(&self, token: &str, client: ClientInfo) -> Result<(), LogoutError> {
        let network = ClientNetwork::from(client.address);
        self.logouts
            .try_acquire(network)
            .map_err(|wait| ServiceError::throttled("reports of sign-outs", wait))?;
        let report = match self.parts.cloud.logout(token).await {
            Ok(report) => report,
            Err(CloudError::Rejected | CloudError::Refused(_)) => {
                tracing::warn!("report of a sign-out refused: it was not accepted");
                return Err(LogoutError::Invalid);
            }
            Err(error) => return Err(ServiceError::from(error).into()),
        };
        let (account, session) = (report.account_id, report.session_id);
        if account.is_none() && session.is_none() {
            tracing::warn!("report of a sign-out refused: it names nobody");
            return Err(LogoutError::Invalid);
        }
        let context = self.parts.context.clone();
        let hash: [u8; 32] = Sha256::new()
            .chain_update("svc oidc report ")
            .chain_update(&report.id)
            .finalize()
            .into();
        let is_new = run_to_completion(&self.parts.context.tasks, "provider-logout", async move {
            let now = context.now();
            let mut change = context.identity.change_identity().await?;
            if !change
                .insert_single_use(&hash, None, now, later(now, REMEMBERED))
                .await?
            {
                return Ok(false);
            }
            let sessions = change
                .sessions_of_cloud(account.as_deref(), session.as_deref())
                .await?;
            for &(session, user) in &sessions {
                change.revoke_session(user, session, now).await?;
                let target = change.account(user).await?.map(|account| account.user);
                let details = [("sessionId", session.to_string()), ("by", "provider".to_owned())];
                let event = AuditEvent::SessionsRevoked;
                let entry = context.audit_entry(event, &client, None, target.as_ref(), &details);
                change.audit(&entry).await?;
            }
            tracing::info!(sessions = sessions.len(), "the provider ended sessions");
            change
                .commit_of(sessions.into_iter().map(|(_, user)| user))
                .await?;
            Ok(true)
        });
        if is_new.await? {
            return Ok(());
        }
        tracing::warn!("report of a sign-out refused: it was sent before");
        Err(LogoutError::Invalid)
    }
}
