//! Why a sign-in with the provider fails: one code for the page that the browser returns to, a text of its own for the
//! log.

use std::time::Duration;

use crate::ClientInfo;
use crate::app::App;
use crate::cloud::{CloudAccount, CloudError};
use crate::error::{ErrorCode, ServiceError};
use crate::oidc::Oidc;
use crate::refused_sign_ins::{RefusedByService, ShownAccount};
use svc_domain::audit::AuditEvent;
use svc_domain::user::User;
use svc_store::StoreError;

/// Why a sign-in is refused. The texts go to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The browser's cookie is missing: another browser started the sign-in, or it took too long.
    #[error("the browser has no cookie of a sign-in")]
    NoCookie,
    /// The redirect belongs to another sign-in than the cookie.
    #[error("the state is not that of the sign-in that this browser started")]
    OtherState,
    /// Each sign-in is finished once.
    #[error("the sign-in was finished before, or has expired")]
    Finished,
    /// The provider sent the browser back with an error, such as `access_denied`.
    #[error("the provider returned an error in place of a code")]
    ErrorOfProvider,
    /// The redirect has neither code nor error.
    #[error("the redirect has no code")]
    NoCode,
    /// The provider or the verification of its tokens refused; the plugin's log line says why.
    #[error("the provider's answer was not accepted")]
    Rejected,
    /// The provider returned an account without a usable id.
    #[error("the provider's account has an invalid id")]
    InvalidAccount,
    /// No account belongs to the user, and none is created.
    #[error("no account of this server belongs to the user")]
    UnknownAccount,
    /// The account exists but may not sign in.
    #[error("the account is disabled")]
    Disabled,
    /// The roles do not permit the app.
    #[error("the account's roles do not permit the app")]
    AppNotPermitted,
    /// The role for new accounts does not exist.
    #[error("the role of the option oidc-default-role does not exist")]
    NoSuchRole,
    /// All usernames like the proposed one are taken.
    #[error("no username is free for the new account")]
    NoUsername,
    /// The subscription has no seat for another account.
    #[error("all seats of the subscription are used")]
    NoSeat,
    /// The invitation cannot be used.
    #[error("the invitation cannot be used")]
    Invitation,
    /// The ticket for linking is unknown, was used, or belongs to another session.
    #[error("the link ticket is not of this browser's session, or was used")]
    LinkTicket,
    /// The session that asked for the link has ended, or its account may no longer change itself.
    #[error("the session that asked for the link has ended or may no longer do so")]
    LinkSession,
    /// One of both accounts is linked to another.
    #[error("the account, or the provider's account, is linked to another")]
    LinkTaken,
    /// The server has no owner yet.
    #[error("the server is not set up")]
    NotSetUp,
}

/// A failed sign-in, as the page that the browser returns to sees it.
#[derive(Debug)]
pub enum SignInError {
    /// Refused, for any reason.
    Refused(Refusal),
    /// Refused for what is known of an account of this server.
    RefusedUser(Refusal, Box<User>),
    /// The provider cannot be reached, or none is configured.
    Unavailable,
    /// Too many sign-ins of this network; the time until the next one.
    TooMany(Duration),
    /// The server itself failed.
    Service(ServiceError),
}

impl SignInError {
    /// The code in the redirect. It does not tell the refusals apart.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) | Self::RefusedUser(..) => "sign_in_failed",
            Self::Unavailable => ErrorCode::CloudUnavailable.as_str(),
            Self::TooMany(_) => ErrorCode::TooManyAttempts.as_str(),
            Self::Service(_) => "server_error",
        }
    }

    /// Writes the line of the log, with the account of the provider if its token was verified.
    fn log(&self, account: Option<&CloudAccount>) {
        match self {
            Self::Refused(refusal) | Self::RefusedUser(refusal, _) => {
                let shown = account.map(ShownAccount::from);
                let account = shown.as_ref().map(|shown| shown.id.as_str());
                let name = shown.as_ref().and_then(|shown| shown.name.as_deref());
                tracing::warn!(reason = %refusal, account, name, "sign-in with the provider refused");
            }
            Self::Unavailable => tracing::warn!("sign-in with the provider failed: it is not available"),
            Self::TooMany(_) => {
                tracing::info!("sign-in with the provider refused: too many from one network");
            }
            Self::Service(error) => tracing::error!(%error, "sign-in with the provider failed"),
        }
    }
}

impl Oidc {
    /// Writes the line of the log about a failed sign-in, and the audit entry if it was refused.
    pub(super) fn report(
        &self,
        error: &SignInError,
        app: Option<App>,
        account: Option<&CloudAccount>,
        client: &ClientInfo,
    ) {
        let is_away = matches!(error, SignInError::Unavailable);
        if !is_away || self.outages.try_acquire(()).is_ok() {
            error.log(account);
        }
        let (event, reason, user) = match error {
            // As before the setup with a password.
            SignInError::Refused(Refusal::NotSetUp) | SignInError::Unavailable | SignInError::Service(_) => {
                return;
            }
            SignInError::Refused(refusal) => (AuditEvent::LoginFailed, refusal.to_string(), None),
            SignInError::RefusedUser(refusal, user) => {
                (AuditEvent::LoginFailed, refusal.to_string(), Some(user.as_ref()))
            }
            SignInError::TooMany(_) => {
                let reason = "too many sign-ins of this network".to_owned();
                (AuditEvent::LoginThrottled, reason, None)
            }
        };
        let refused = RefusedByService {
            by: "provider",
            client,
            app,
            account,
            user,
        };
        self.parts.refusals.write_of_service(event, &refused, &reason);
    }
}

impl From<ServiceError> for SignInError {
    fn from(error: ServiceError) -> Self {
        let ServiceError::TryLater(later) = error else {
            return Self::Service(error);
        };
        match (later.reason.code(), later.retry_after) {
            (Some(ErrorCode::CloudUnavailable), _) => Self::Unavailable,
            (Some(ErrorCode::TooManyAttempts), Some(wait)) => Self::TooMany(wait),
            _ => Self::Service(later.into()),
        }
    }
}

impl From<StoreError> for SignInError {
    fn from(error: StoreError) -> Self {
        ServiceError::from(error).into()
    }
}

impl From<CloudError> for SignInError {
    fn from(error: CloudError) -> Self {
        match error {
            CloudError::Rejected | CloudError::Refused(_) => Refusal::Rejected.into(),
            CloudError::Unavailable | CloudError::Unsupported | CloudError::TargetUnavailable => {
                Self::Unavailable
            }
        }
    }
}

impl From<Refusal> for SignInError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
