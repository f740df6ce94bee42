//! Sessions of accounts: tokens of the API, and cookies of the pages.

use sqlx::FromRow;

use crate::accounts::Account;
use crate::cloud::Cloud;
use crate::error::{Refusal, Result};
use crate::secrets;

const DAY: i64 = 86_400_000;

/// What a session is for. A token of one purpose is invalid for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A token that apps pass on.
    Token,
    /// The cookie of a browser on the cloud's own pages.
    Page,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Page => "page",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Token => "svc_cloud_",
            Self::Page => "svc_page_",
        }
    }

    fn lifetime(self) -> i64 {
        match self {
            Self::Token => 30 * DAY,
            Self::Page => DAY / 2,
        }
    }
}

/// A new session, with the only copy of its token.
pub(crate) struct NewSession {
    pub(crate) token: String,
    pub(crate) account_id: String,
    pub(crate) expires_at: i64,
}

/// A valid session.
#[derive(Debug, FromRow)]
pub(crate) struct Session {
    #[sqlx(flatten)]
    pub(crate) account: Account,
    pub(crate) audience: Option<String>,
    pub(crate) expires_at: i64,
}

impl Session {
    /// The session, unless its token was issued for another installation.
    pub(crate) fn intended_for(self, instance_id: Option<&str>) -> Result<Self> {
        match self.audience.as_deref() {
            Some(audience) if Some(audience) != instance_id => Err(Refusal::TokenInvalid.into()),
            _ => Ok(self),
        }
    }
}

/// A name and a password, and where they come from.
pub(crate) struct SignIn<'a> {
    pub(crate) username: &'a str,
    pub(crate) password: &'a str,
    pub(crate) network: &'a str,
}

impl Cloud {
    /// Verifies a password. An unknown name, a disabled account and a wrong password are refused alike.
    pub(crate) async fn verify(&self, attempt: &SignIn<'_>) -> Result<String> {
        let SignIn {
            username,
            password,
            network,
        } = *attempt;
        let key = format!("{network} {}", username.to_lowercase());
        let now = self.now();
        let limits = &self.limits;
        let counted = limits.sign_in_network.attempt(network, now);
        let counted = counted.and_then(|()| limits.sign_in.attempt(&key, now));
        counted.inspect_err(|_| tracing::info!(network, "sign-in refused: too many attempts"))?;
        let found = sqlx::query_as("SELECT id, password_hash, enabled FROM accounts WHERE username = ?");
        let found: Option<(String, String, bool)> =
            found.bind(username).fetch_optional(self.database.pool()).await?;
        let (id, hash, enabled) = match found {
            Some((id, hash, enabled)) => (id, Some(hash), enabled),
            None => (String::new(), None, false),
        };
        if !self.passwords.verify(password.to_owned(), hash).await? || !enabled {
            // The typed name may be a password in the wrong field: only the id of an account that exists is logged.
            tracing::info!(account = id.as_str(), network, "sign-in refused");
            return Err(Refusal::SignInRefused.into());
        }
        limits.sign_in_network.succeeded(network);
        limits.sign_in.succeeded(&key);
        tracing::info!(account = id.as_str(), network, "signed in");
        Ok(id)
    }

    /// Starts a session of an account.
    pub(crate) async fn start_session(
        &self,
        account_id: &str,
        purpose: Purpose,
        audience: Option<&str>,
    ) -> Result<NewSession> {
        let now = self.now();
        let token = secrets::token(&*self.random, purpose.prefix())?;
        let expires_at = now + purpose.lifetime();
        let mut tx = self.database.write().await?;
        sqlx::query("DELETE FROM sessions WHERE account_id = ? AND expires_at <= ?")
            .bind(account_id)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        sqlx::query("INSERT INTO sessions (token_hash, account_id, purpose, audience, expires_at) VALUES (?, ?, ?, ?, ?)")
            .bind(secrets::hash(&token))
            .bind(account_id)
            .bind(purpose.name())
            .bind(audience)
            .bind(expires_at)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(NewSession {
            token,
            account_id: account_id.to_owned(),
            expires_at,
        })
    }

    /// The session of a token.
    pub(crate) async fn session(&self, token: &str, purpose: Purpose) -> Result<Session> {
        let found = sqlx::query_as(
            "SELECT accounts.id, username, display_name, may_invite, groups, audience, expires_at
             FROM sessions JOIN accounts ON accounts.id = sessions.account_id
             WHERE token_hash = ? AND purpose = ? AND expires_at > ? AND enabled",
        );
        let found = found
            .bind(secrets::hash(token))
            .bind(purpose.name())
            .bind(self.now());
        let session = found.fetch_optional(self.database.pool()).await?;
        session.ok_or_else(|| Refusal::TokenInvalid.into())
    }

    /// Ends the session of a token, if it is one.
    pub(crate) async fn end_session(&self, token: &str) -> Result<()> {
        sqlx::query("DELETE FROM sessions WHERE token_hash = ?")
            .bind(secrets::hash(token))
            .execute(self.database.pool())
            .await?;
        Ok(())
    }
}
