//! A change of identities by a known caller: whether they may was decided when the request came in, and is decided
//! again inside the transaction, where nothing can change any more.

use crate::actor::{Actor, CredentialBinding};
use crate::authentication::{AuthenticationError, narrowed};
use crate::error::{Result, ServiceError};
use crate::{AuthContext, Context, capabilities_of};
use svc_store::IdentityChange;

impl Context {
    /// Begins a change by this caller; by the server itself if there is none. Between the moment at which the request was let in and this one, a body was
    /// received, a password hashed, a turn awaited: the account, its session or token, and what it may do, must still be
    /// there. After a factory reset none of them is.
    ///
    /// # Errors
    /// What the caller would be told if they asked now; the store's.
    pub async fn change_by(&self, by: impl Into<Option<&AuthContext>>) -> Result<IdentityChange> {
        let mut change = self.identity.change_identity().await?;
        // Every change that takes something from somebody raises a number.
        if let Some(by) = by.into()
            && !change.is_as_it_was(by.actor.user.id, by.actor.revision).await?
        {
            self.require_unchanged(&mut change, &by.actor).await?;
        }
        Ok(change)
    }

    async fn require_unchanged(&self, change: &mut IdentityChange, actor: &Actor) -> Result<()> {
        let gone = match actor.binding() {
            CredentialBinding::Token(_) => AuthenticationError::InvalidPersonalAccessToken,
            CredentialBinding::Session(_) | CredentialBinding::Account => {
                AuthenticationError::ForeignAccessToken
            }
        };
        let account = change.account(actor.user.id).await?;
        let Some(account) = account.filter(|account| account.user.enabled) else {
            return Err(gone.into());
        };
        let mut capabilities = capabilities_of(&account);
        match actor.binding() {
            CredentialBinding::Account => {}
            CredentialBinding::Session(session) => {
                if !change.session_counts(session, actor.user.id).await? {
                    return Err(AuthenticationError::InvalidAccessToken.into());
                }
            }
            CredentialBinding::Token(id) => {
                let token = change.personal_access_token(actor.user.id, id).await?;
                let now = self.now();
                let Some(token) = token.filter(|token| token.expires_at.is_none_or(|end| end > now)) else {
                    return Err(gone.into());
                };
                capabilities = narrowed(capabilities, token.capabilities.as_deref());
            }
        }
        // The rules of the change were applied, and will be, to what the caller could do then.
        if actor.capabilities.is_subset(capabilities) {
            Ok(())
        } else {
            Err(ServiceError::Refused("your roles have changed meanwhile"))
        }
    }
}
