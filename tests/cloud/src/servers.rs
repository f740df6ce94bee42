//! Servers that owners registered: their credentials and subscriptions.

use sqlx::FromRow;

use crate::cloud::Cloud;
use crate::error::{Refusal, Result};
use crate::{secrets, text};

/// Tier of a server until `svc-cloud subscription set` changes it.
const FIRST_TIER: &str = "free";
/// Valid credentials of a server; a new one replaces the oldest.
const CREDENTIALS: i64 = 5;

/// A registered server.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Server {
    pub(crate) id: i64,
    pub(crate) instance_id: String,
    pub(crate) name: String,
}

/// What a server may use.
#[derive(Debug, FromRow)]
pub(crate) struct Subscription {
    pub(crate) tier: String,
    pub(crate) seats: Option<i64>,
    #[sqlx(rename = "subscription_ends_at")]
    pub(crate) ends_at: Option<i64>,
}

impl Cloud {
    /// Registers a server, or the same again, and returns a new credential.
    pub(crate) async fn register(&self, owner_id: &str, instance_id: &str, name: &str) -> Result<String> {
        text::instance_id(instance_id)?;
        text::name(name)?;
        let credential = secrets::token(&*self.random, "svc_server_")?;
        let mut tx = self.database.write().await?;
        let server: i64 = sqlx::query_scalar(
            "INSERT INTO servers (owner_id, instance_id, name, tier) VALUES (?, ?, ?, ?)
             ON CONFLICT (owner_id, instance_id) DO UPDATE SET name = excluded.name RETURNING id",
        )
        .bind(owner_id)
        .bind(instance_id)
        .bind(name)
        .bind(FIRST_TIER)
        .fetch_one(&mut *tx)
        .await?;
        sqlx::query("INSERT INTO credentials (credential_hash, server_id) VALUES (?, ?)")
            .bind(secrets::hash(&credential))
            .bind(server)
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "DELETE FROM credentials WHERE server_id = ?1 AND id NOT IN
             (SELECT id FROM credentials WHERE server_id = ?1 ORDER BY id DESC LIMIT ?2)",
        )
        .bind(server)
        .bind(CREDENTIALS)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        tracing::info!(owner = owner_id, instance_id, "server registered");
        Ok(credential)
    }

    /// The server of a credential. A disabled owner disables it.
    pub(crate) async fn server(&self, credential: &str) -> Result<Server> {
        let found = sqlx::query_as(
            "SELECT servers.id, instance_id, name FROM credentials
             JOIN servers ON servers.id = server_id JOIN accounts ON accounts.id = owner_id
             WHERE credential_hash = ? AND enabled",
        );
        let server = found
            .bind(secrets::hash(credential))
            .fetch_optional(self.database.pool())
            .await?;
        server.ok_or_else(|| Refusal::CredentialInvalid.into())
    }

    /// The subscription of a server.
    pub(crate) async fn subscription(&self, server: i64) -> Result<Subscription> {
        let found = sqlx::query_as("SELECT tier, seats, subscription_ends_at FROM servers WHERE id = ?");
        Ok(found.bind(server).fetch_one(self.database.pool()).await?)
    }
}
