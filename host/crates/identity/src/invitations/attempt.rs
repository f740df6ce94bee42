//! The last attempt to use an invitation, in memory: automated tests of clients read it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Result, ServiceError};
use svc_domain::id::InvitationId;
use svc_domain::named_enum::named_enum;
use svc_domain::time::Timestamp;

named_enum! {
    /// How somebody tried to use an invitation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ClaimMethod {
        /// With its shortcode, a username and a password.
        Password => "password",
        /// With its shortcode, by signing in at the provider.
        SignIn => "sign_in",
        /// By signing in with the token of the cloud account that holds it.
        CloudToken => "cloud_token",
    }
}

/// An attempt to use an invitation. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimAttempt {
    /// When it ended.
    pub at: Timestamp,
    /// How the invitation was to be used.
    pub method: ClaimMethod,
    /// The invitation, if there is one.
    pub invitation: Option<InvitationId>,
    /// `claimed`, the code of the error, or `failed` for an error without a code.
    pub outcome: String,
}

/// The last attempt. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct LastAttempt(Arc<Mutex<Option<ClaimAttempt>>>);

impl LastAttempt {
    pub(super) fn get(&self) -> Option<ClaimAttempt> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records an attempt by its result.
    pub(super) fn record<T>(
        &self,
        at: Timestamp,
        method: ClaimMethod,
        invitation: Option<InvitationId>,
        result: &Result<T>,
    ) {
        let outcome = match result {
            Ok(_) => "claimed",
            Err(
                ServiceError::Absent { code, .. }
                | ServiceError::Conflict { code, .. }
                | ServiceError::Unauthorized { code: Some(code), .. },
            ) => code.as_str(),
            Err(ServiceError::TryLater(later)) => later.reason.code().map_or("failed", |code| code.as_str()),
            Err(_) => "failed",
        };
        let attempt = ClaimAttempt {
            at,
            method,
            invitation,
            outcome: outcome.to_owned(),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(attempt);
    }
}
