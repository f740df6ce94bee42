//! Sessions and the hashes of their refresh tokens.

use crate::db::Database;
use crate::identity::IdentityChange;
use svc_database::args::args;
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::{SessionId, UserId};
use svc_domain::session::{Session, SessionKind};
use svc_domain::time::Timestamp;

macro_rules! session_columns {
    () => {
        "s.session_id, s.user_id, s.app, s.kind, s.user_agent, s.address, s.created_at, s.last_active_at, \
         s.idle_expires_at, s.expires_at, s.generation, s.ended_at, s.signed_in_at"
    };
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    session_id: i64,
    user_id: i64,
    app: String,
    kind: String,
    user_agent: Option<String>,
    address: Option<String>,
    created_at: i64,
    last_active_at: i64,
    idle_expires_at: i64,
    expires_at: i64,
    generation: i64,
    ended_at: Option<i64>,
    signed_in_at: Option<i64>,
}

impl TryFrom<SessionRow> for Session {
    type Error = StoreError;

    fn try_from(row: SessionRow) -> Result<Self> {
        Ok(Self {
            id: row.session_id.into(),
            user: row.user_id.into(),
            app: row.app,
            kind: SessionKind::from_name(&row.kind).ok_or(StoreError::InvalidValue("session kind"))?,
            user_agent: row.user_agent,
            address: row.address,
            created_at: Timestamp::from_millis(row.created_at),
            last_active_at: Timestamp::from_millis(row.last_active_at),
            idle_expires_at: Timestamp::from_millis(row.idle_expires_at),
            expires_at: Timestamp::from_millis(row.expires_at),
            generation: row.generation,
            ended_at: row.ended_at.map(Timestamp::from_millis),
            signed_in_at: row.signed_in_at.map(Timestamp::from_millis),
        })
    }
}

/// A presented refresh token and its session.
#[derive(Debug, Clone)]
pub struct PresentedRefresh {
    /// The session.
    pub session: Session,
    /// Generation of the token within its session.
    pub generation: i64,
    /// Time of its first use; `None` if it is the newest, or if it was used so long ago that its row was deleted.
    pub rotated_at: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
struct PresentedRow {
    #[sqlx(flatten)]
    session: SessionRow,
    token_generation: i64,
    rotated_at: Option<i64>,
}

const SESSION_END: &str =
    "SELECT expires_at FROM sessions WHERE session_id = $1 AND user_id = $2 AND NOT revoked";

const SIGNED_IN_AT: &str =
    "SELECT signed_in_at FROM sessions WHERE session_id = $1 AND user_id = $2 AND NOT revoked";

const BY_CLOUD_TOKEN: &str = concat!(
    "SELECT ",
    session_columns!(),
    " FROM sessions s WHERE s.cloud_token_hash = $1 AND s.user_id = $2 AND s.app = $3 AND s.ended_at IS NULL \
     AND s.expires_at > $4 ORDER BY s.session_id DESC LIMIT 1"
);

const PRESENTED: &str = concat!(
    "SELECT ",
    session_columns!(),
    ", CAST($3 AS BIGINT) AS token_generation, t.rotated_at FROM sessions s \
     LEFT JOIN refresh_tokens t ON t.token_hash = $1 AND t.session_id = s.session_id \
     WHERE s.session_id = $2 AND (t.token_hash IS NOT NULL OR s.generation > $3)"
);

/// Deletes the used tokens of a session before the first one that is unused or was used recently. Later ones stay,
/// whatever the clock did, because each token is derived from the one before.
const DELETE_USED: &str = "DELETE FROM refresh_tokens WHERE session_id = $1 AND generation < \
                           (SELECT min(kept.generation) FROM refresh_tokens kept WHERE kept.session_id = $1 \
                           AND (kept.rotated_at IS NULL OR kept.rotated_at >= $2))";

fn presented(row: PresentedRow) -> Result<PresentedRefresh> {
    Ok(PresentedRefresh {
        session: row.session.try_into()?,
        generation: row.token_generation,
        rotated_at: row.rotated_at.map(Timestamp::from_millis),
    })
}

/// Data stored when a token is used: its use and its successor.
#[derive(Debug)]
pub struct Rotation<'a> {
    /// The session.
    pub session: SessionId,
    /// Hash of the used token.
    pub used: &'a [u8],
    /// Salt of the successor, so that a retry derives the same token.
    pub salt: &'a [u8],
    /// Hash of the successor.
    pub successor: &'a [u8],
    /// Generation of the successor.
    pub generation: i64,
    /// Time of use.
    pub now: Timestamp,
    /// New idle expiry of the session.
    pub idle_expires_at: Timestamp,
    /// Tokens used before this moment are deleted.
    pub delete_before: Timestamp,
}

/// Sessions and their refresh tokens.
#[derive(Debug, Clone)]
pub struct SessionRepository {
    pub(crate) db: Database,
}

impl SessionRepository {
    /// The session of a refresh token that was verified to be of this session and generation; `None` if neither this
    /// nor a later generation was stored.
    pub async fn presented_refresh(
        &self,
        hash: &[u8],
        session: SessionId,
        generation: i64,
    ) -> Result<Option<PresentedRefresh>> {
        let values = args![hash, session.get(), generation];
        let row: Option<PresentedRow> = self.db.pools().fetch_optional(PRESENTED, &values).await?;
        row.map(presented).transpose()
    }

    /// When access tokens of this session end at the latest; `None` if they are not valid, as those of an unknown or
    /// revoked session.
    pub async fn session_end(&self, id: SessionId, user: UserId) -> Result<Option<Timestamp>> {
        let values = args![id.get(), user.get()];
        let row: Option<(i64,)> = self.db.pools().fetch_optional(SESSION_END, &values).await?;
        Ok(row.map(|(end,)| Timestamp::from_millis(end)))
    }

    /// When the user of a session authenticated; `None` if that is unknown, or the session is not valid.
    pub async fn signed_in_at(&self, id: SessionId, user: UserId) -> Result<Option<Timestamp>> {
        let values = args![id.get(), user.get()];
        let row: Option<(Option<i64>,)> = self.db.pools().fetch_optional(SIGNED_IN_AT, &values).await?;
        Ok(row.and_then(|(at,)| at).map(Timestamp::from_millis))
    }

    /// Sessions of an account that can be refreshed, newest first.
    pub async fn live_sessions(&self, user: UserId, now: Timestamp) -> Result<Vec<Session>> {
        let sql = concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions s WHERE s.user_id = $1 AND s.ended_at IS NULL AND s.idle_expires_at > $2 \
             AND s.expires_at > $2 ORDER BY s.session_id DESC"
        );
        let rows: Vec<SessionRow> = self.db.pools().fetch_all(sql, &args![user.get(), now]).await?;
        rows.into_iter().map(Session::try_from).collect()
    }

    /// Deletes sessions whose last access token expired before `before`, devices that waited until then, addresses not seen since `addresses_since`,
    /// and the oldest audit entries beyond `audit_lines`.
    pub async fn prune_identity(
        &self,
        before: Timestamp,
        addresses_since: Timestamp,
        audit_lines: i64,
    ) -> Result<()> {
        let mut tx = self.db.write_record(WritePriority::Scan).await?;
        tx.execute(
            "DELETE FROM sessions WHERE ended_at < $1 OR idle_expires_at < $1 OR expires_at < $1",
            &args![before],
        )
        .await?;
        tx.execute(
            "DELETE FROM device_sign_ins WHERE expires_at < $1",
            &args![before],
        )
        .await?;
        tx.execute(
            "DELETE FROM known_addresses WHERE last_success_at < $1",
            &args![addresses_since],
        )
        .await?;
        tx.execute(
            "DELETE FROM audit WHERE audit_id <= \
             (SELECT audit_id FROM audit ORDER BY audit_id DESC LIMIT 1 OFFSET $1)",
            &args![audit_lines],
        )
        .await?;
        tx.commit().await
    }
}

impl IdentityChange {
    /// Adds a session, with the hash of its first refresh token if it has one.
    pub async fn insert_session(&mut self, session: &Session, token: Option<&[u8]>) -> Result<()> {
        let sql = "INSERT INTO sessions (session_id, user_id, app, kind, user_agent, address, created_at, \
                   last_active_at, idle_expires_at, expires_at, generation, ended_at, signed_in_at, revoked) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, FALSE)";
        let values = args![
            session.id.get(),
            session.user.get(),
            session.app.as_str(),
            session.kind.as_str(),
            session.user_agent.as_deref(),
            session.address.as_deref(),
            session.created_at,
            session.last_active_at,
            session.idle_expires_at,
            session.expires_at,
            session.generation,
            session.ended_at,
            session.signed_in_at,
        ];
        self.execute(sql, &values).await?;
        if let Some(hash) = token {
            self.insert_refresh_token(session.id, hash, session.generation)
                .await?;
        }
        Ok(())
    }

    async fn insert_refresh_token(&mut self, session: SessionId, hash: &[u8], generation: i64) -> Result<()> {
        let sql = "INSERT INTO refresh_tokens (token_hash, session_id, generation) VALUES ($1, $2, $3)";
        self.execute(sql, &args![hash, session.get(), generation])
            .await
            .map(drop)
    }

    /// Whether access tokens of this session are valid. `false` for an unknown session.
    pub async fn is_session_valid(&mut self, id: SessionId, user: UserId) -> Result<bool> {
        let row: Option<(i64,)> = self
            .fetch_optional(SESSION_END, &args![id.get(), user.get()])
            .await?;
        Ok(row.is_some())
    }

    /// An open session, for what it gives to others.
    pub async fn open_session(&mut self, id: SessionId, user: UserId) -> Result<Option<Session>> {
        let sql = concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions s WHERE s.session_id = $1 AND s.user_id = $2 AND NOT s.revoked"
        );
        let row: Option<SessionRow> = self.fetch_optional(sql, &args![id.get(), user.get()]).await?;
        row.map(Session::try_from).transpose()
    }

    /// The open session of an account that this cloud token continues.
    pub async fn session_by_cloud_token(
        &mut self,
        hash: &[u8],
        user: UserId,
        app: &str,
        now: Timestamp,
    ) -> Result<Option<Session>> {
        let values = args![hash, user.get(), app, now];
        let row: Option<SessionRow> = self.fetch_optional(BY_CLOUD_TOKEN, &values).await?;
        row.map(Session::try_from).transpose()
    }

    /// Stores the cloud token that continues a session.
    pub async fn set_cloud_token(&mut self, id: SessionId, hash: &[u8]) -> Result<()> {
        let sql = "UPDATE sessions SET cloud_token_hash = $2 WHERE session_id = $1";
        self.execute(sql, &args![id.get(), hash]).await.map(drop)
    }

    /// Stores the use of a session that has no refresh token, and its new end.
    pub async fn continue_session(&mut self, session: &Session) -> Result<()> {
        let sql = "UPDATE sessions SET last_active_at = $2, idle_expires_at = $3, expires_at = $4 \
                   WHERE session_id = $1";
        let values = args![
            session.id.get(),
            session.last_active_at,
            session.idle_expires_at,
            session.expires_at,
        ];
        self.execute(sql, &values).await.map(drop)
    }

    /// [`SessionRepository::presented_refresh`] within the transaction.
    pub async fn presented_refresh(
        &mut self,
        hash: &[u8],
        session: SessionId,
        generation: i64,
    ) -> Result<Option<PresentedRefresh>> {
        let values = args![hash, session.get(), generation];
        let row: Option<PresentedRow> = self.fetch_optional(PRESENTED, &values).await?;
        row.map(presented).transpose()
    }

    /// Salts of the successors of a session's tokens, from a generation on, in order.
    pub async fn rotation_salts(&mut self, session: SessionId, from: i64) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT salt FROM refresh_tokens WHERE session_id = $1 AND generation >= $2 AND salt IS NOT NULL \
                   ORDER BY generation";
        let rows: Vec<(Vec<u8>,)> = self.fetch_all(sql, &args![session.get(), from]).await?;
        Ok(rows.into_iter().map(|(salt,)| salt).collect())
    }

    /// Stores the use of a token and its successor.
    pub async fn rotate_refresh_token(&mut self, rotation: &Rotation<'_>) -> Result<()> {
        self.execute(
            "UPDATE refresh_tokens SET rotated_at = $2, salt = $3 WHERE token_hash = $1",
            &args![rotation.used, rotation.now, rotation.salt],
        )
        .await?;
        self.execute(
            "UPDATE sessions SET generation = $2, last_active_at = $3, idle_expires_at = $4 WHERE session_id = $1",
            &args![
                rotation.session.get(),
                rotation.generation,
                rotation.now,
                rotation.idle_expires_at
            ],
        )
        .await?;
        self.insert_refresh_token(rotation.session, rotation.successor, rotation.generation)
            .await?;
        let values = args![rotation.session.get(), rotation.delete_before];
        self.execute(DELETE_USED, &values).await.map(drop)
    }

    /// Ends a session of an account with its access tokens; `false` if the account has no such open session.
    pub async fn revoke_session(&mut self, user: UserId, id: SessionId, now: Timestamp) -> Result<bool> {
        let sql = "UPDATE sessions SET revoked = TRUE, ended_at = coalesce(ended_at, $3) \
                   WHERE session_id = $1 AND user_id = $2 AND NOT revoked";
        let values = args![id.get(), user.get(), now];
        Ok(self.execute(sql, &values).await? > 0)
    }

    /// Ends all sessions of an account but `keep`; returns their number.
    pub async fn revoke_sessions(
        &mut self,
        user: UserId,
        keep: Option<SessionId>,
        now: Timestamp,
    ) -> Result<u64> {
        // No session has a negative id.
        let keep = keep.map_or(-1, SessionId::get);
        let sql = "UPDATE sessions SET revoked = TRUE, ended_at = coalesce(ended_at, $3) \
                   WHERE user_id = $1 AND session_id <> $2 AND NOT revoked";
        self.execute(sql, &args![user.get(), keep, now]).await
    }

    /// Ends refreshing for all but the newest `keep` sessions of an account. Sessions without refresh tokens do not
    /// count: a cloud-hosted app opens one every quarter of an hour.
    pub async fn retire_sessions(&mut self, user: UserId, keep: i64, now: Timestamp) -> Result<()> {
        let sql = "UPDATE sessions SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL AND session_id <= \
                   (SELECT s.session_id FROM sessions s WHERE s.user_id = $1 AND s.ended_at IS NULL \
                    AND s.idle_expires_at > $2 AND s.expires_at > $2 \
                    AND EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.session_id = s.session_id) \
                    ORDER BY s.session_id DESC LIMIT 1 OFFSET $3)";
        self.execute(sql, &args![user.get(), now, keep]).await.map(drop)
    }

    /// Stores that an account signed in from an address.
    pub async fn record_known_address(&mut self, user: UserId, address: &str, now: Timestamp) -> Result<()> {
        let sql = "INSERT INTO known_addresses (user_id, address, last_success_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (user_id, address) DO UPDATE SET last_success_at = excluded.last_success_at";
        self.execute(sql, &args![user.get(), address, now])
            .await
            .map(drop)
    }
}
