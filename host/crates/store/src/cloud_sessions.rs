//! Sessions with a provider behind sessions of this server.

use crate::identity::IdentityChange;
use crate::sessions::SessionRepository;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::{SessionId, UserId};
use svc_domain::time::Timestamp;

/// A session with a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudSessionRow {
    /// The account's id in the cloud.
    pub account_id: String,
    /// The id by which the provider reports its end.
    pub provider_session_id: Option<String>,
    /// What the provider validates it with, encrypted.
    pub token: Option<Vec<u8>>,
    /// Number of successful validations.
    pub validations: i64,
    /// When a running validation counts as given up.
    pub validating_until: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
struct Row {
    account_id: String,
    provider_session_id: Option<String>,
    token: Option<Vec<u8>>,
    validations: i64,
    validating_until: Option<i64>,
}

impl From<Row> for CloudSessionRow {
    fn from(row: Row) -> Self {
        Self {
            account_id: row.account_id,
            provider_session_id: row.provider_session_id,
            token: row.token,
            validations: row.validations,
            validating_until: row.validating_until.map(Timestamp::from_millis),
        }
    }
}

#[derive(sqlx::FromRow)]
struct OpenRow {
    session_id: i64,
    #[sqlx(flatten)]
    row: Row,
}

const BY_SESSION: &str = "SELECT account_id, provider_session_id, token, validations, validating_until \
                          FROM cloud_sessions WHERE session_id = $1";

macro_rules! select_open {
    ($condition:literal) => {
        concat!(
            "SELECT s.session_id, s.user_id FROM cloud_sessions c JOIN sessions s ON s.session_id = c.session_id WHERE ",
            $condition,
            " AND NOT s.revoked ORDER BY s.session_id"
        )
    };
}

// Two statements, because no index serves a condition that may be absent.
const OF_PROVIDER_SESSION: &str =
    select_open!("c.provider_session_id = $1 AND (CAST($2 AS TEXT) IS NULL OR c.account_id = $2)");
const OF_ACCOUNT: &str = select_open!("c.account_id = $1");

impl SessionRepository {
    /// The session with a provider behind a session; `None` if it was opened in another way.
    pub async fn cloud_session(&self, id: SessionId) -> Result<Option<CloudSessionRow>> {
        let row: Option<Row> = self
            .db
            .pools()
            .fetch_optional(BY_SESSION, &args![id.get()])
            .await?;
        Ok(row.map(CloudSessionRow::from))
    }

    /// The newest sessions of an account that can be refreshed and validated with the provider as this account there.
    pub async fn open_cloud_sessions(
        &self,
        user: UserId,
        account_id: &str,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<(SessionId, CloudSessionRow)>> {
        let sql = "SELECT c.session_id, c.account_id, c.provider_session_id, c.token, c.validations, \
                   c.validating_until FROM cloud_sessions c JOIN sessions s ON s.session_id = c.session_id \
                   WHERE c.account_id = $2 AND c.token IS NOT NULL AND s.user_id = $1 AND s.ended_at IS NULL \
                   AND s.idle_expires_at > $3 AND s.expires_at > $3 ORDER BY c.session_id DESC LIMIT $4";
        let values = args![user.get(), account_id, now, limit];
        let rows: Vec<OpenRow> = self.db.pools().fetch_all(sql, &values).await?;
        let rows = rows.into_iter();
        Ok(rows
            .map(|found| (found.session_id.into(), found.row.into()))
            .collect())
    }
}

impl IdentityChange {
    /// [`SessionRepository::cloud_session`] within the transaction.
    pub async fn cloud_session(&mut self, id: SessionId) -> Result<Option<CloudSessionRow>> {
        let row: Option<Row> = self.fetch_optional(BY_SESSION, &args![id.get()]).await?;
        Ok(row.map(CloudSessionRow::from))
    }

    /// Stores the session with a provider behind a session, in place of one that it has.
    pub async fn put_cloud_session(&mut self, id: SessionId, session: &CloudSessionRow) -> Result<()> {
        let sql = "INSERT INTO cloud_sessions (session_id, account_id, provider_session_id, token, validations, \
                   validating_until) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (session_id) DO UPDATE SET \
                   account_id = excluded.account_id, provider_session_id = excluded.provider_session_id, \
                   token = excluded.token, validations = excluded.validations, \
                   validating_until = excluded.validating_until";
        let values = args![
            id.get(),
            session.account_id.as_str(),
            session.provider_session_id.as_deref(),
            session.token.as_deref(),
            session.validations,
            session.validating_until,
        ];
        self.execute(sql, &values).await.map(drop)
    }

    /// Reserves the token of a session for one validation, or releases it.
    pub async fn set_validating(&mut self, id: SessionId, until: Option<Timestamp>) -> Result<()> {
        let sql = "UPDATE cloud_sessions SET validating_until = $2 WHERE session_id = $1";
        self.execute(sql, &args![id.get(), until]).await.map(drop)
    }

    /// Stores the outcome of a validation: the session's next token.
    pub async fn set_validated(&mut self, id: SessionId, token: Option<&[u8]>) -> Result<()> {
        let sql = "UPDATE cloud_sessions SET token = $2, validations = validations + 1, validating_until = NULL \
                   WHERE session_id = $1";
        self.execute(sql, &args![id.get(), token]).await.map(drop)
    }

    /// Ends a session at this moment at the latest.
    pub async fn limit_session(&mut self, id: SessionId, end: Timestamp) -> Result<()> {
        let sql = "UPDATE sessions SET expires_at = $2, \
                   idle_expires_at = CASE WHEN idle_expires_at > $2 THEN $2 ELSE idle_expires_at END \
                   WHERE session_id = $1 AND expires_at > $2";
        self.execute(sql, &args![id.get(), end]).await.map(drop)
    }

    /// The open sessions behind a session of the provider, or behind all sessions of an account there; where both are
    /// given, those that are of both, and none where neither is.
    pub async fn sessions_of_cloud(
        &mut self,
        account_id: Option<&str>,
        provider_session_id: Option<&str>,
    ) -> Result<Vec<(SessionId, UserId)>> {
        let rows: Vec<(i64, i64)> = match (account_id, provider_session_id) {
            (_, Some(session)) => {
                self.fetch_all(OF_PROVIDER_SESSION, &args![session, account_id])
                    .await?
            }
            (Some(account), None) => self.fetch_all(OF_ACCOUNT, &args![account]).await?,
            (None, None) => Vec::new(),
        };
        Ok(rows
            .into_iter()
            .map(|(session, user)| (session.into(), user.into()))
            .collect())
    }
}
