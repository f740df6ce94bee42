//! Repeats the authorization of a caller inside the transaction that changes identities, because it may have changed
//! since the request was authorized.

use crate::actor::{Actor, CredentialBinding};
use crate::authentication::restricted_to;
use crate::error::{AuthenticationError, Result, ServiceError};
use crate::{AuthContext, Context, capabilities_of};
use svc_store::IdentityChange;

impl Context {
    /// Begins a transaction for this caller; `None` is the server itself. While the request received its body, hashed a
    /// password or waited for a permit, its account, session or token may have been revoked or its permissions reduced.
    /// After a factory reset no caller is valid.
    ///
    /// # Errors
    /// The error that authentication would return now; database errors.
    pub async fn change_by(&self, by: impl Into<Option<&AuthContext>>) -> Result<IdentityChange> {
        let mut change = self.identity.change_identity().await?;
        // Every revocation increments the version counter, so an unchanged counter needs no check.
        if let Some(by) = by.into()
            && !change
                .is_unchanged_since(by.actor.user.id, by.actor.revision)
                .await?
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
                if !change.is_session_valid(session, actor.user.id).await? {
                    return Err(AuthenticationError::InvalidAccessToken.into());
                }
            }
            CredentialBinding::Token(id) => {
                let token = change.personal_access_token(actor.user.id, id).await?;
                let now = self.now();
                let Some(token) = token.filter(|token| token.expires_at.is_none_or(|end| end > now)) else {
                    return Err(gone.into());
                };
                capabilities = restricted_to(capabilities, token.capabilities.as_deref());
            }
        }
        // The rules were checked against the capabilities of the request, so these must still be granted.
        if actor.capabilities.is_subset(capabilities) {
            Ok(())
        } else {
            Err(ServiceError::Refused("your permissions have changed; try again"))
        }
    }
}
