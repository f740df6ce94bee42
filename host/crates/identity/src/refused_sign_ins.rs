//! Refused sign-ins in the audit log: with a password, with a token of the cloud, with a provider; and codes that were
//! typed and are wrong.

use std::sync::Arc;

use crate::app::App;
use crate::audit::Details;
use crate::cloud::{Cloud, CloudAccount};
use crate::error::{RetryReason, ServiceError};
use crate::names::printable;
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::throttle::ClientNetwork;
use crate::{ClientInfo, Context};
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_domain::user::User;
use svc_store::AuditRepository;

/// Limit on entries of a network for sign-ins that no password throttle bounds.
const AUDIT_RATE: RateLimit = RateLimit::new(10, 60);
/// Longest id of an account in entries and lines, in characters: an issuer, and a subject of at most 255 (OpenID Connect).
const MAX_ID: usize = 400;
/// Longest name of an account in entries and lines, in characters.
const MAX_NAME: usize = 100;

/// Writes entries about refused sign-ins. Clones share the limit.
#[derive(Debug, Clone)]
pub struct RefusedSignIns {
    context: Context,
    audit: AuditRepository,
    cloud: Arc<dyn Cloud>,
    limiter: Arc<RateLimiter<ClientNetwork>>,
}

/// A refused sign-in for which a service vouches. It holds nothing that the client sent, which may be a secret.
#[derive(Debug)]
pub(crate) struct RefusedByService<'a> {
    /// What the user signs in with: `cloud` or `provider`.
    pub(crate) by: &'static str,
    pub(crate) client: &'a ClientInfo,
    pub(crate) app: Option<App>,
    /// Whom the service named in a token that was verified.
    pub(crate) account: Option<&'a CloudAccount>,
    /// The account, if it is known.
    pub(crate) user: Option<&'a User>,
}

/// How entries and lines name an account of a service, whose texts may be chosen by its user.
#[derive(Debug)]
pub(crate) struct ShownAccount {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
}

impl From<&CloudAccount> for ShownAccount {
    fn from(account: &CloudAccount) -> Self {
        let name = account.display_name.as_ref().or(account.username.as_ref());
        Self {
            id: printable(&account.id, MAX_ID),
            name: name.map(|name| printable(name, MAX_NAME)),
        }
    }
}

impl RefusedSignIns {
    /// Creates the service.
    pub fn new(context: Context, audit: AuditRepository, cloud: Arc<dyn Cloud>) -> Self {
        Self {
            context,
            audit,
            cloud,
            limiter: Arc::new(RateLimiter::new(AUDIT_RATE)),
        }
    }

    /// Whether the limit of the client's network allows another entry.
    pub(crate) fn may_write(&self, client: &ClientInfo) -> bool {
        self.limiter
            .try_acquire(ClientNetwork::from(client.address))
            .is_ok()
    }

    /// Writes an entry in the background, so that its time does not reveal whether an account exists.
    pub(crate) fn write(
        &self,
        event: AuditEvent,
        client: &ClientInfo,
        user: Option<&User>,
        details: Details<'_>,
    ) {
        self.store(self.context.audit_entry(event, client, None, user, details));
    }

    fn store(&self, entry: AuditEntry) {
        let audit = self.audit.clone();
        self.context.tasks.spawn("audit-login", async move {
            if let Err(error) = audit.write_audit(&entry).await {
                tracing::warn!(%error, "audit entry could not be stored");
            }
        });
    }

    /// Writes an entry about a code that was typed, if the error is that it is wrong or may not be tried. The code is not
    /// written: another one that differs by a letter may be right.
    pub(crate) fn of_code(
        &self,
        kind: &'static str,
        client: &ClientInfo,
        user: Option<&User>,
        error: &ServiceError,
    ) {
        let reason = match error {
            ServiceError::NotFound | ServiceError::Absent { .. } => "wrong",
            ServiceError::TryLater(later) if later.reason == RetryReason::TooManyAttempts => {
                "too many wrong ones"
            }
            _ => return,
        };
        if self.may_write(client) {
            let details = [("code", kind.to_owned()), ("reason", reason.to_owned())];
            let event = AuditEvent::CodeRejected;
            self.store(self.context.audit_entry(event, client, user, None, &details));
        }
    }

    /// Writes an entry with the service and the reason; `false` beyond the limit.
    pub(crate) fn write_of_service(
        &self,
        event: AuditEvent,
        refused: &RefusedByService<'_>,
        reason: &str,
    ) -> bool {
        if !self.may_write(refused.client) {
            return false;
        }
        let mut details = vec![("by", refused.by.to_owned()), ("reason", reason.to_owned())];
        details.extend(refused.app.map(|app| ("app", app.as_str().to_owned())));
        if let Some(shown) = refused.account.map(ShownAccount::from) {
            details.push(("cloudAccount", shown.id));
            details.extend(shown.name.map(|name| ("displayName", name)));
        }
        let service = Some(self.cloud.identity()).filter(|service| !service.is_empty());
        details.extend(service.map(|service| ("service", service.to_owned())));
        self.write(event, refused.client, refused.user, &details);
        true
    }

    /// Writes an entry and a line of the log if the error is a refusal, and no failure of the server or the cloud.
    pub(crate) fn by_cloud(&self, refused: &RefusedByService<'_>, error: &ServiceError) {
        let event = match error {
            ServiceError::TryLater(later) if later.reason == RetryReason::TooManyAttempts => {
                AuditEvent::LoginThrottled
            }
            ServiceError::TryLater(_) | ServiceError::Internal(_) => return,
            _ => AuditEvent::LoginFailed,
        };
        let reason = error.to_string();
        if self.write_of_service(event, refused, &reason) {
            let shown = refused.account.map(ShownAccount::from);
            let account = shown.as_ref().map(|shown| shown.id.as_str());
            let name = shown.as_ref().and_then(|shown| shown.name.as_deref());
            tracing::info!(reason, account, name, "sign-in with a token of the cloud refused");
        }
    }
}
