//! The authenticated caller of a request.

use std::sync::Arc;

use crate::app::App;
use crate::capability::{Capability, CapabilitySet};
use crate::error::ServiceError;
use svc_domain::id::{PersonalAccessTokenId, SessionId};
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;
use svc_domain::user::User;

/// How the caller authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthMethod {
    /// An access token of a login.
    AccessToken {
        /// The app of the login.
        app: App,
        /// The session of the token, if it has one.
        session: Option<SessionId>,
        /// Expiry of the token.
        expires_at: Timestamp,
    },
    /// A personal access token.
    PersonalAccessToken(PersonalAccessTokenId),
    /// A signed link to one item.
    ItemLink(CredentialBinding),
}

/// The object whose revocation ends a credential, and everything created with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CredentialBinding {
    /// Only the account.
    Account,
    /// A session.
    Session(SessionId),
    /// A personal access token.
    Token(PersonalAccessTokenId),
}

/// The authenticated caller with its permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The account.
    pub user: Arc<User>,
    /// Names of the account's roles.
    pub roles: Arc<[String]>,
    /// Capabilities of all roles, restricted to those of the credential.
    pub capabilities: CapabilitySet,
    /// The media that the caller may see, if the capabilities permit reading them.
    pub scope: MediaScope,
    /// How the caller authenticated.
    pub auth_method: AuthMethod,
    /// The identity revision at which the permissions were read.
    pub revision: i64,
}

impl Actor {
    /// Whether the caller has a capability.
    pub fn may(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Whether the caller has all of these capabilities. Nobody may act on an account or role with more.
    pub fn covers(&self, capabilities: CapabilitySet) -> bool {
        capabilities.is_subset(self.capabilities)
    }

    /// Whether the caller used an access token of a login, not a personal access token or link.
    pub fn is_signed_in(&self) -> bool {
        matches!(self.auth_method, AuthMethod::AccessToken { .. })
    }

    /// The error for something that needs a capability which the caller lacks.
    pub fn lacks_capability(&self) -> ServiceError {
        ServiceError::Refused(match self.auth_method {
            AuthMethod::PersonalAccessToken(_) => {
                "the capabilities of this personal access token, or the roles of its account, do not allow this"
            }
            AuthMethod::AccessToken { .. } | AuthMethod::ItemLink(_) => "your roles do not allow this",
        })
    }

    /// The session of the caller's access token.
    pub fn session(&self) -> Option<SessionId> {
        match self.auth_method {
            AuthMethod::AccessToken { session, .. } => session,
            AuthMethod::PersonalAccessToken(_) | AuthMethod::ItemLink(_) => None,
        }
    }

    /// The object whose revocation ends the caller's credential.
    pub fn binding(&self) -> CredentialBinding {
        match self.auth_method {
            AuthMethod::AccessToken { session: None, .. } => CredentialBinding::Account,
            AuthMethod::AccessToken {
                session: Some(session),
                ..
            } => CredentialBinding::Session(session),
            AuthMethod::PersonalAccessToken(token) => CredentialBinding::Token(token),
            AuthMethod::ItemLink(binding) => binding,
        }
    }
}
