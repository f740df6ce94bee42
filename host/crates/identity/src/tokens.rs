//! Personal access tokens: created by users for programs that act on their behalf.

use crate::account_input::check;
use crate::error::{ErrorCode, FieldError, Result, ServiceError};
use crate::names::check_display_name;
use crate::roles::{known_capabilities, names_of};
use crate::secret_token::PersonalAccessSecret;
use crate::{AuthContext, Context, capabilities_of, require_not_stronger, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::{PersonalAccessTokenId, UserId};
use svc_domain::session::PersonalAccessToken;
use svc_domain::time::Timestamp;
use svc_store::{TokenRepository, UserRepository};

/// Maximum of unexpired tokens per account.
const MAX_TOKENS: u64 = 200;

/// Input of [`PersonalAccessTokens::create`].
#[derive(Debug)]
pub struct CreateToken {
    /// Label for display.
    pub label: String,
    /// Expiry; never if `None`.
    pub expires_at: Option<Timestamp>,
    /// The capabilities to which it is restricted; all of its user if `None`.
    pub capabilities: Option<Vec<String>>,
}

/// A new token with its secret, which is shown only once.
#[derive(Debug)]
pub struct CreatedToken {
    /// The token.
    pub token: PersonalAccessToken,
    /// The plain text.
    pub secret: PersonalAccessSecret,
}

/// The service for personal access tokens.
#[derive(Debug, Clone)]
pub struct PersonalAccessTokens {
    context: Context,
    users: UserRepository,
    tokens: TokenRepository,
}

impl PersonalAccessTokens {
    /// Creates the service.
    pub fn new(context: Context, users: UserRepository, tokens: TokenRepository) -> Self {
        Self {
            context,
            users,
            tokens,
        }
    }

    /// Creates a token for an account.
    ///
    /// # Errors
    /// Refused for an account with capabilities that the caller lacks, and for the guest; not found; invalid input;
    /// conflict if the account has too many tokens; database errors.
    pub async fn create(&self, by: AuthContext, user: UserId, request: CreateToken) -> Result<CreatedToken> {
        let context = self.context.clone();
        let now = context.now();
        let mut errors = Vec::new();
        let label = check(check_display_name(&request.label), "label", &mut errors);
        if request.expires_at.is_some_and(|moment| moment <= now) {
            errors.push(FieldError::new("expiresAt", "is in the past"));
        }
        let (Some(label), true) = (label, errors.is_empty()) else {
            return Err(ServiceError::Invalid(errors));
        };
        let narrowed = match &request.capabilities {
            None => None,
            Some(names) => Some(known_capabilities(names, "capabilities")?),
        };
        run_to_completion(&self.context.tasks, "token-create", async move {
            let mut change = context.change_by(&by).await?;
            let target = change.account(user).await?.ok_or(ServiceError::NotFound)?;
            require_not_stronger(&by, &target)?;
            if target.user.is_guest {
                return Err(ServiceError::Refused("the guest has no tokens"));
            }
            if narrowed.is_some_and(|narrowed| !narrowed.is_subset(capabilities_of(&target))) {
                return Err(ServiceError::invalid(
                    "capabilities",
                    "the user lacks some of these capabilities",
                ));
            }
            if change.count_live_tokens(user, now).await? >= MAX_TOKENS {
                return Err(ServiceError::conflict(
                    ErrorCode::TooManyTokens,
                    format!("a user has at most {MAX_TOKENS} tokens; revoke some"),
                ));
            }
            let secret =
                PersonalAccessSecret::generate(context.random.as_ref()).map_err(ServiceError::internal)?;
            let token = PersonalAccessToken {
                id: context.ids.next(now),
                user,
                label,
                hint: secret.hint().to_owned(),
                capabilities: narrowed.map(names_of),
                created_by: Some(by.actor.user.id),
                created_at: now,
                expires_at: request.expires_at,
                last_used_at: None,
            };
            change
                .insert_personal_access_token(&token, &secret.hash())
                .await?;
            let details = [("label", token.label.clone()), ("tokenId", token.id.to_string())];
            let event = AuditEvent::TokenCreated;
            change
                .audit(&context.audit_of(&by, event, Some(&target.user), &details))
                .await?;
            change.commit_of([user]).await?;
            Ok(CreatedToken { token, secret })
        })
        .await
    }

    /// The tokens of an account, newest first.
    ///
    /// # Errors
    /// Refused for an account with capabilities that the caller lacks; not found; database errors.
    pub async fn list(&self, by: &AuthContext, user: UserId) -> Result<Vec<PersonalAccessToken>> {
        let target = self.users.account(user).await?.ok_or(ServiceError::NotFound)?;
        require_not_stronger(by, &target)?;
        Ok(self.tokens.personal_access_tokens(user).await?)
    }

    /// Revokes a token with effect on the next request; `false` if the account has no such token.
    ///
    /// # Errors
    /// As [`PersonalAccessTokens::list`].
    pub async fn revoke(
        &self,
        by: AuthContext,
        user: UserId,
        token: Option<PersonalAccessTokenId>,
    ) -> Result<bool> {
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "token-revoke", async move {
            let mut change = context.change_by(&by).await?;
            let target = change.account(user).await?.ok_or(ServiceError::NotFound)?;
            require_not_stronger(&by, &target)?;
            // A malformed id cannot name a token.
            let Some(token) = token else {
                return Ok(false);
            };
            let revoked = change.delete_personal_access_token(user, token).await?;
            if revoked {
                let details = [("tokenId", token.to_string())];
                let event = AuditEvent::TokenRevoked;
                change
                    .audit(&context.audit_of(&by, event, Some(&target.user), &details))
                    .await?;
            }
            change.commit_of([user]).await?;
            Ok(revoked)
        })
        .await
    }
}
