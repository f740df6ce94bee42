//! The caller of a request, once known.

use std::sync::Arc;

use crate::app::App;
use crate::capability::{Capability, CapabilitySet};
use svc_domain::id::{PersonalAccessTokenId, SessionId};
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;
use svc_domain::user::User;

/// By what the caller proved who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthMethod {
    /// An access token from signing in.
    AccessToken {
        /// The app they signed in to.
        app: App,
        /// The session that the token belongs to, if it has one.
        session: Option<SessionId>,
        /// When the token ends.
        expires_at: Timestamp,
    },
    /// A personal access token.
    PersonalAccessToken(PersonalAccessTokenId),
    /// A signed link, which opens one item.
    ItemLink(CredentialBinding),
}

/// What a credential depends on beside its account: it ends with it, and so does everything made with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CredentialBinding {
    /// The account alone.
    Account,
    /// A session.
    Session(SessionId),
    /// A personal access token.
    Token(PersonalAccessTokenId),
}

/// A known caller, with everything that decides what they may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The account.
    pub user: Arc<User>,
    /// Names of its roles.
    pub roles: Arc<[String]>,
    /// What they allow together, narrowed to what the credential allows.
    pub capabilities: CapabilitySet,
    /// What they see of the media that the capabilities let them read.
    pub scope: MediaScope,
    /// The credential that was shown.
    pub auth_method: AuthMethod,
    /// The state of accounts and roles, as the store numbers it, that all of this was read from.
    pub revision: i64,
}

impl Actor {
    /// Whether the caller may do something.
    pub fn may(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Whether the caller may act on who or what has these capabilities: nobody acts on a stronger one.
    pub fn covers(&self, capabilities: CapabilitySet) -> bool {
        capabilities.is_subset(self.capabilities)
    }

    /// Whether the caller signed in, rather than showing a token that was made for a program.
    pub fn is_signed_in(&self) -> bool {
        matches!(self.auth_method, AuthMethod::AccessToken { .. })
    }

    /// The session that the caller's token belongs to.
    pub fn session(&self) -> Option<SessionId> {
        match self.auth_method {
            AuthMethod::AccessToken { session, .. } => session,
            AuthMethod::PersonalAccessToken(_) | AuthMethod::ItemLink(_) => None,
        }
    }

    /// What the caller's credential depends on.
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
