//! The permissions of long-lived connections, which are checked again while they are open.

use super::{Authentication, restricted_to};
use crate::actor::{Actor, CredentialBinding};
use crate::capabilities_of;
use crate::capability::CapabilitySet;
use crate::error::ServiceError;
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;
use svc_domain::user::Account;

/// Identifies who opened a long-lived connection and with which credential. Equal principals have equal permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Principal {
    pub(super) user: UserId,
    pub(super) is_guest: bool,
    pub(super) binding: CredentialBinding,
}

impl Principal {
    /// The principal of an actor.
    pub fn of(actor: &Actor) -> Self {
        Self {
            user: actor.user.id,
            is_guest: actor.user.is_guest,
            binding: actor.binding(),
        }
    }

    /// The account.
    pub fn user(&self) -> UserId {
        self.user
    }
}

/// The current permissions of an open connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionSnapshot {
    /// Capabilities of the roles, restricted to those of the token.
    pub capabilities: CapabilitySet,
    /// The media that the caller may see.
    pub scope: MediaScope,
    /// Expiry of a personal access token, which closes the connection. Expiry of an access token does not, because its
    /// session continues.
    pub ends: Option<Timestamp>,
}

impl Authentication {
    /// The current permissions of an open connection; `None` closes it, because its account was deleted or disabled, or
    /// its session or token was revoked.
    ///
    /// # Errors
    /// Database errors.
    pub async fn permissions(
        &self,
        principal: &Principal,
    ) -> Result<Option<PermissionSnapshot>, ServiceError> {
        match self.enabled_account(principal.user).await? {
            Some(account) => self.permissions_of_account(principal, &account).await,
            None => Ok(None),
        }
    }

    /// As `permissions`, for an account that was already read.
    pub(super) async fn permissions_of_account(
        &self,
        principal: &Principal,
        account: &Account,
    ) -> Result<Option<PermissionSnapshot>, ServiceError> {
        let mut permissions = PermissionSnapshot {
            capabilities: capabilities_of(account),
            scope: self.scope_of(&account.user).await?,
            ends: None,
        };
        match principal.binding {
            CredentialBinding::Account => {}
            CredentialBinding::Session(session) => {
                let sessions = &self.repositories.sessions;
                if sessions.session_end(session, principal.user).await?.is_none() {
                    return Ok(None);
                }
            }
            CredentialBinding::Token(id) => {
                let tokens = self
                    .repositories
                    .tokens
                    .personal_access_tokens(principal.user)
                    .await?;
                let Some(token) = tokens.into_iter().find(|token| token.id == id) else {
                    return Ok(None);
                };
                permissions.capabilities =
                    restricted_to(permissions.capabilities, token.capabilities.as_deref());
                permissions.ends = token.expires_at;
            }
        }
        Ok((!self.is_expired(principal, permissions.ends)).then_some(permissions))
    }

    /// Whether an open connection has expired without a change of its account: its token expired, or guest access was
    /// disabled.
    pub fn is_expired(&self, principal: &Principal, ends: Option<Timestamp>) -> bool {
        ends.is_some_and(|ends| ends <= self.context.now())
            || (principal.is_guest && !self.settings.guest_access())
    }
}
