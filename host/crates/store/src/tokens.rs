//! Personal access tokens, by the hash of their secret.

use crate::db::Database;
use crate::identity::IdentityChange;
use crate::users::{names_from_json, names_to_json};
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::{PersonalAccessTokenId, UserId};
use svc_domain::session::PersonalAccessToken;
use svc_domain::time::Timestamp;

#[derive(sqlx::FromRow)]
struct TokenRow {
    token_id: i64,
    user_id: i64,
    label: String,
    hint: String,
    capabilities: Option<String>,
    created_by: Option<i64>,
    created_at: i64,
    expires_at: Option<i64>,
    last_used_at: Option<i64>,
}

macro_rules! select_tokens {
    ($rest:literal) => {
        concat!(
            "SELECT token_id, user_id, label, hint, capabilities, created_by, created_at, expires_at, last_used_at \
             FROM personal_access_tokens ",
            $rest
        )
    };
}

fn token(row: TokenRow) -> Result<PersonalAccessToken> {
    Ok(PersonalAccessToken {
        id: row.token_id.into(),
        user: row.user_id.into(),
        label: row.label,
        hint: row.hint,
        capabilities: row.capabilities.as_deref().map(names_from_json).transpose()?,
        created_by: row.created_by.map(UserId::from),
        created_at: Timestamp::from_millis(row.created_at),
        expires_at: row.expires_at.map(Timestamp::from_millis),
        last_used_at: row.last_used_at.map(Timestamp::from_millis),
    })
}

/// Personal access tokens.
#[derive(Debug, Clone)]
pub struct TokenRepository {
    pub(crate) db: Database,
}

impl TokenRepository {
    /// The token with this hash of its secret.
    pub async fn personal_access_token(&self, hash: &[u8]) -> Result<Option<PersonalAccessToken>> {
        let sql = select_tokens!("WHERE token_hash = $1");
        let row: Option<TokenRow> = self.db.pools().fetch_optional(sql, &args![hash]).await?;
        row.map(token).transpose()
    }

    /// The tokens of an account, newest first.
    pub async fn personal_access_tokens(&self, user: UserId) -> Result<Vec<PersonalAccessToken>> {
        let sql = select_tokens!("WHERE user_id = $1 ORDER BY token_id DESC");
        let rows: Vec<TokenRow> = self.db.pools().fetch_all(sql, &args![user.get()]).await?;
        rows.into_iter().map(token).collect()
    }
}

impl IdentityChange {
    /// Adds a token.
    pub async fn insert_personal_access_token(
        &mut self,
        token: &PersonalAccessToken,
        hash: &[u8],
    ) -> Result<()> {
        let sql = "INSERT INTO personal_access_tokens (token_id, token_hash, user_id, label, hint, capabilities, \
                   created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let capabilities = token.capabilities.as_deref().map(names_to_json);
        let values = args![
            token.id.get(),
            hash,
            token.user.get(),
            token.label.as_str(),
            token.hint.as_str(),
            capabilities.as_deref(),
            token.created_by.map(UserId::get),
            token.created_at,
            token.expires_at,
        ];
        self.execute(sql, &values).await.map(drop)
    }

    /// A token of this account.
    pub async fn personal_access_token(
        &mut self,
        user: UserId,
        id: PersonalAccessTokenId,
    ) -> Result<Option<PersonalAccessToken>> {
        let sql = select_tokens!("WHERE token_id = $1 AND user_id = $2");
        let row: Option<TokenRow> = self.fetch_optional(sql, &args![id.get(), user.get()]).await?;
        row.map(token).transpose()
    }

    /// Counts the unexpired tokens of an account.
    pub async fn count_live_tokens(&mut self, user: UserId, now: Timestamp) -> Result<u64> {
        let sql = "SELECT count(*) FROM personal_access_tokens \
                   WHERE user_id = $1 AND (expires_at IS NULL OR expires_at > $2)";
        let row: Option<(i64,)> = self.fetch_optional(sql, &args![user.get(), now]).await?;
        Ok(row.map_or(0, |(count,)| count.unsigned_abs()))
    }

    /// Revokes a token of an account; `false` if the account has no such token.
    pub async fn delete_personal_access_token(
        &mut self,
        user: UserId,
        id: PersonalAccessTokenId,
    ) -> Result<bool> {
        let sql = "DELETE FROM personal_access_tokens WHERE token_id = $1 AND user_id = $2";
        Ok(self.execute(sql, &args![id.get(), user.get()]).await? > 0)
    }
}
