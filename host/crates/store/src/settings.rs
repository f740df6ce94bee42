//! Settings as JSON texts, and CORS origins.

use crate::db::Database;
use crate::identity::IdentityChange;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::{CorsOriginId, UserId};
use svc_domain::origin::CorsOrigin;
use svc_domain::time::Timestamp;

/// A setting of the server.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ServerSetting {
    /// The app that it applies to; empty for all apps.
    pub app: String,
    /// Key of the setting.
    pub key: String,
    /// Value as JSON.
    pub value: String,
}

type OriginRow = (i64, String, i64);

fn origin((id, origin, created_at): OriginRow) -> CorsOrigin {
    CorsOrigin {
        id: id.into(),
        origin,
        created_at: Timestamp::from_millis(created_at),
    }
}

/// Settings of the server and of accounts, and CORS origins.
#[derive(Debug, Clone)]
pub struct SettingsRepository {
    pub(crate) db: Database,
}

impl SettingsRepository {
    /// All settings of the server.
    pub async fn server_settings(&self) -> Result<Vec<ServerSetting>> {
        let sql = "SELECT app, key, value FROM server_settings ORDER BY app, key";
        self.db.pools().fetch_all(sql, &[]).await
    }

    /// All settings of an account, as key and value.
    pub async fn account_settings(&self, user: UserId) -> Result<Vec<(String, String)>> {
        let sql = "SELECT key, value FROM account_settings WHERE user_id = $1 ORDER BY key";
        self.db.pools().fetch_all(sql, &args![user.get()]).await
    }

    /// CORS origins that administrators added, oldest first.
    pub async fn cors_origins(&self) -> Result<Vec<CorsOrigin>> {
        let sql = "SELECT cors_origin_id, origin, created_at FROM cors_origins ORDER BY cors_origin_id";
        let rows: Vec<OriginRow> = self.db.pools().fetch_all(sql, &[]).await?;
        Ok(rows.into_iter().map(origin).collect())
    }
}

impl IdentityChange {
    /// Sets a server setting for one app or, with an empty name, for all apps, which removes the values of single
    /// apps. Without a value the stored one is deleted. Returns whether anything changed.
    pub async fn set_server_setting(&mut self, app: &str, key: &str, value: Option<&str>) -> Result<bool> {
        let Some(value) = value else {
            let sql = "DELETE FROM server_settings WHERE key = $1 AND ($2 = '' OR app = $2)";
            return Ok(self.execute(sql, &args![key, app]).await? > 0);
        };
        let mut changed = 0;
        if app.is_empty() {
            let sql = "DELETE FROM server_settings WHERE key = $1 AND app <> ''";
            changed += self.execute(sql, &args![key]).await?;
        }
        let sql = "INSERT INTO server_settings (app, key, value) VALUES ($1, $2, $3) \
                   ON CONFLICT (app, key) DO UPDATE SET value = excluded.value \
                   WHERE server_settings.value <> excluded.value";
        changed += self.execute(sql, &args![app, key, value]).await?;
        Ok(changed > 0)
    }

    /// Sets a setting of an account; without a value the stored one is deleted. Returns whether anything changed.
    pub async fn set_account_setting(
        &mut self,
        user: UserId,
        key: &str,
        value: Option<&str>,
    ) -> Result<bool> {
        let Some(value) = value else {
            let sql = "DELETE FROM account_settings WHERE user_id = $1 AND key = $2";
            return Ok(self.execute(sql, &args![user.get(), key]).await? > 0);
        };
        let sql = "INSERT INTO account_settings (user_id, key, value) VALUES ($1, $2, $3) \
                   ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value \
                   WHERE account_settings.value <> excluded.value";
        Ok(self.execute(sql, &args![user.get(), key, value]).await? > 0)
    }

    /// Adds an origin; returns the stored record, which is the older one if it exists, and whether it is new.
    pub async fn insert_cors_origin(&mut self, new: &CorsOrigin) -> Result<(CorsOrigin, bool)> {
        let sql = "INSERT INTO cors_origins (cors_origin_id, origin, created_at) VALUES ($1, $2, $3) \
                   ON CONFLICT DO NOTHING";
        let values = args![new.id.get(), new.origin.as_str(), new.created_at];
        let is_new = self.execute(sql, &values).await? > 0;
        let sql = "SELECT cors_origin_id, origin, created_at FROM cors_origins WHERE origin = $1";
        let row: Option<OriginRow> = self.fetch_optional(sql, &args![new.origin.as_str()]).await?;
        Ok((row.map_or_else(|| new.clone(), origin), is_new))
    }

    /// Removes an origin; returns it.
    pub async fn delete_cors_origin(&mut self, id: CorsOriginId) -> Result<Option<String>> {
        let sql = "SELECT origin FROM cors_origins WHERE cors_origin_id = $1";
        let row: Option<(String,)> = self.fetch_optional(sql, &args![id.get()]).await?;
        self.execute(
            "DELETE FROM cors_origins WHERE cors_origin_id = $1",
            &args![id.get()],
        )
        .await?;
        Ok(row.map(|(origin,)| origin))
    }
}
