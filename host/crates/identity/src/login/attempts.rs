//! Throttling, timing and audit entries of password attempts.

use std::time::Duration;

use super::{KNOWN_ADDRESS, Login, LoginRequest, Logins};
use crate::error::{LOGIN_REFUSED, Result, ServiceError};
use crate::fair_semaphore::PermitRequest;
use crate::names::username_key;
use crate::password::Verdict;
use crate::throttle::{Attempt, ClientNetwork, Subject};
use svc_domain::audit::AuditEvent;
use svc_domain::time::Timestamp;
use svc_domain::user::User;

/// Upper bound of the random delay of every response, which hides remaining timing differences.
const MAX_JITTER_MS: u8 = 20;

/// An id that no account has.
const NO_ACCOUNT: i64 = 0;

impl Logins {
    /// Refuses a login without a password. It costs no hash and is not throttled.
    pub(super) fn refuse(&self, request: &LoginRequest, user: Option<&User>) -> Result<Login> {
        if self.may_audit(request) {
            self.audit(AuditEvent::LoginFailed, request, user);
        }
        Err(LOGIN_REFUSED)
    }

    /// Verifies the password, or hashes it against a dummy if there is no account. While the hashing queue is busy,
    /// requests from the account's known addresses have priority.
    pub(super) async fn verify_password(
        &self,
        request: &LoginRequest,
        user: Option<&User>,
        password: String,
        hash: Option<String>,
    ) -> Result<Verdict> {
        let network = ClientNetwork::from(request.client.address);
        let known = self.passwords.all_busy() && self.is_known(user, network).await?;
        let by = PermitRequest { network, known };
        Ok(self.passwords.verify(by, password, hash).await?)
    }

    /// Whether the account signed in from this network recently. Unknown accounts run the same query, so that the time
    /// does not reveal them.
    async fn is_known(&self, user: Option<&User>, network: ClientNetwork) -> Result<bool> {
        let id = user.map_or_else(|| NO_ACCOUNT.into(), |user| user.id);
        let known_for = i64::try_from(KNOWN_ADDRESS.as_millis()).unwrap_or(i64::MAX);
        let since = Timestamp::from_millis(self.context.now().millis().saturating_sub(known_for));
        Ok(self
            .users
            .is_known_address(id, &network.to_string(), since)
            .await?)
    }

    /// Checks the password throttle.
    pub(super) async fn begin(&self, request: &LoginRequest, user: Option<&User>) -> Result<Attempt> {
        let typed = request.username.as_deref().or(request.user_id.as_deref());
        let subject = match user {
            Some(user) => Some(Subject::Account(user.id)),
            None => typed.map(|name| self.throttle.unknown_name(&username_key(name))),
        };
        let network = ClientNetwork::from(request.client.address);
        let mut begun = self.throttle.begin_in_turn(subject, network, false).await;
        if begun.is_err() && self.is_known(user, network).await? {
            begun = self.throttle.begin(subject, network, true);
        }
        begun.map_err(|retry_after| {
            if self.may_audit(request) {
                self.audit(AuditEvent::LoginThrottled, request, user);
            }
            ServiceError::throttled("wrong passwords", retry_after)
        })
    }

    /// Whether the limit on audit entries of this address allows another one.
    fn may_audit(&self, request: &LoginRequest) -> bool {
        self.refusals.may_write(&request.client)
    }

    /// Writes an audit entry. The typed name is not written, because it may be a password in the wrong field.
    pub(super) fn audit(&self, event: AuditEvent, request: &LoginRequest, user: Option<&User>) {
        let details: Vec<_> = request
            .app
            .iter()
            .map(|app| ("app", app.as_str().to_owned()))
            .collect();
        self.refusals.write(event, &request.client, user, &details);
    }

    pub(super) async fn jitter(&self) -> Result<()> {
        let mut byte = [0];
        self.context
            .random
            .fill(&mut byte)
            .map_err(ServiceError::internal)?;
        let [byte] = byte;
        tokio::time::sleep(Duration::from_millis(u64::from(byte % (MAX_JITTER_MS + 1)))).await;
        Ok(())
    }
}
