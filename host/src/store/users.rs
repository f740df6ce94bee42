//! Accounts and their roles.

use super::args::args;
use super::error::{Result, StoreError};
use super::{Lane, Store};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::User;

/// An account to be made.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// Identifier.
    pub id: UserId,
    /// As written.
    pub username: String,
    /// What makes two names the same: folded and normalised by the caller.
    pub username_key: String,
    /// The name that is shown, if another.
    pub display_name: Option<String>,
    /// PHC string; `None` for an account that has no password.
    pub password_hash: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

macro_rules! user_columns {
    () => {
        "u.user_id, u.username, u.display_name, u.enabled, u.is_owner, u.is_guest, u.created_at, u.last_active_at"
    };
}

#[derive(sqlx::FromRow)]
struct UserRow {
    user_id: i64,
    username: String,
    display_name: Option<String>,
    enabled: bool,
    is_owner: bool,
    is_guest: bool,
    created_at: i64,
    last_active_at: Option<i64>,
}

impl From<UserRow> for User {
    fn from(row: UserRow) -> Self {
        Self {
            id: row.user_id.into(),
            username: row.username,
            display_name: row.display_name,
            enabled: row.enabled,
            is_owner: row.is_owner,
            is_guest: row.is_guest,
            created_at: Timestamp::from_millis(row.created_at),
            last_active_at: row.last_active_at.map(Timestamp::from_millis),
        }
    }
}

#[derive(sqlx::FromRow)]
struct LoginRow {
    #[sqlx(flatten)]
    user: UserRow,
    password_hash: Option<String>,
}

#[derive(sqlx::FromRow)]
struct AccountRow {
    #[sqlx(flatten)]
    user: UserRow,
    role: Option<String>,
}

impl Store {
    /// Whether the server was set up.
    pub async fn owner_exists(&self) -> Result<bool> {
        Ok(self
            .pools()
            .count("SELECT count(*) FROM users WHERE is_owner", &[])
            .await?
            > 0)
    }

    /// Makes the owner with the role `owner`, and names the server. `false` if there is an owner: of any number of
    /// calls at once, one is `true`.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if another account has the name.
    pub async fn create_owner(&self, user: NewUser, server_name: Option<&str>) -> Result<bool> {
        let mut tx = self.write(Lane::Interactive).await?;
        let made = tx
            .execute(
                "INSERT INTO users (user_id, username, username_key, display_name, password_hash, enabled, \
                 is_owner, is_guest, created_at) VALUES ($1, $2, $3, $4, $5, TRUE, TRUE, FALSE, $6) \
                 ON CONFLICT DO NOTHING",
                &args![
                    user.id.get(),
                    user.username.as_str(),
                    user.username_key.as_str(),
                    user.display_name.as_deref(),
                    user.password_hash.as_deref(),
                    user.created_at,
                ],
            )
            .await?;
        if made == 0 {
            let owners: Vec<(i64,)> = tx
                .fetch_all("SELECT user_id FROM users WHERE is_owner", &[])
                .await?;
            return if owners.is_empty() {
                Err(StoreError::Conflict("a user of this name"))
            } else {
                Ok(false)
            };
        }
        tx.execute(
            "INSERT INTO role_assignments (user_id, role, created_at) VALUES ($1, 'owner', $2)",
            &args![user.id.get(), user.created_at],
        )
        .await?;
        if let Some(name) = server_name {
            tx.execute("UPDATE server SET server_name = $1", &args![name])
                .await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// An account.
    pub async fn user_by_id(&self, id: UserId) -> Result<Option<User>> {
        let sql = concat!("SELECT ", user_columns!(), " FROM users u WHERE u.user_id = $1");
        let row: Option<UserRow> = self.pools().fetch_optional(sql, &args![id.get()]).await?;
        Ok(row.map(User::from))
    }

    /// An account by its folded name, with its password hash if it has one.
    pub async fn user_for_login(&self, username_key: &str) -> Result<Option<(User, Option<String>)>> {
        let sql = concat!(
            "SELECT ",
            user_columns!(),
            ", u.password_hash FROM users u WHERE u.username_key = $1"
        );
        let row: Option<LoginRow> = self.pools().fetch_optional(sql, &args![username_key]).await?;
        Ok(row.map(|row| (row.user.into(), row.password_hash)))
    }

    /// The roles of an account, by name.
    pub async fn roles_of(&self, id: UserId) -> Result<Vec<String>> {
        let sql = "SELECT role FROM role_assignments WHERE user_id = $1 ORDER BY role";
        let rows: Vec<(String,)> = self.pools().fetch_all(sql, &args![id.get()]).await?;
        Ok(rows.into_iter().map(|(role,)| role).collect())
    }

    /// An account with its roles, in one query: asked with every request.
    pub async fn account(&self, id: UserId) -> Result<Option<(User, Vec<String>)>> {
        let sql = concat!(
            "SELECT ",
            user_columns!(),
            ", a.role FROM users u LEFT JOIN role_assignments a ON a.user_id = u.user_id \
             WHERE u.user_id = $1 ORDER BY a.role"
        );
        let rows: Vec<AccountRow> = self.pools().fetch_all(sql, &args![id.get()]).await?;
        let mut user = None;
        let mut roles = Vec::new();
        for row in rows {
            user.get_or_insert_with(|| User::from(row.user));
            roles.extend(row.role);
        }
        Ok(user.map(|user| (user, roles)))
    }

    /// Sets the password of an account; `false` if there is no such account.
    pub async fn set_password_hash(&self, id: UserId, hash: &str) -> Result<bool> {
        let mut tx = self.write(Lane::Interactive).await?;
        let sql = "UPDATE users SET password_hash = $2 WHERE user_id = $1";
        let changed = tx.execute(sql, &args![id.get(), hash]).await?;
        tx.commit().await?;
        Ok(changed > 0)
    }

    /// Notes that an account was used.
    pub async fn touch_user(&self, id: UserId, now: Timestamp) -> Result<()> {
        let mut tx = self.write(Lane::Interactive).await?;
        tx.execute(
            "UPDATE users SET last_active_at = $2 WHERE user_id = $1",
            &args![id.get(), now],
        )
        .await?;
        tx.commit().await
    }
}
