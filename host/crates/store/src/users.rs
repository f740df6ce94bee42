//! Accounts: queries for sign-in, lists and last use, and the changes of an account within an identity transaction.

use std::collections::HashSet;

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::identity::IdentityChange;
use crate::query::where_clause::{WhereClause, direction};
use svc_database::args::{Arg, args};
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::UserId;
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, GrantedRole, User};

/// A new account.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// Chosen by the caller.
    pub id: UserId,
    /// As the user wrote it.
    pub username: String,
    /// Equal for names that count as the same: folded and normalised by the caller.
    pub username_key: String,
    /// Shown instead of the username.
    pub display_name: Option<String>,
    /// PHC string; `None` for an account that has no password.
    pub password_hash: Option<String>,
    /// Owner of the server; at most one account.
    pub is_owner: bool,
    /// Guest, who needs no credentials; at most one account.
    pub is_guest: bool,
    /// Time of creation.
    pub created_at: Timestamp,
}

macro_rules! user_columns {
    () => {
        "u.user_id, u.username, u.display_name, u.enabled, u.is_owner, u.is_guest, u.cloud_account_id, u.created_at, \
         u.last_active_at"
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
    cloud_account_id: Option<String>,
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
            cloud_account: row.cloud_account_id,
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

/// One row per account and role.
#[derive(sqlx::FromRow)]
pub(crate) struct AccountRow {
    #[sqlx(flatten)]
    user: UserRow,
    role: Option<String>,
    capabilities: Option<String>,
}

/// [`AccountRow`] with the number of all accounts, which saves a second query.
#[derive(sqlx::FromRow)]
struct ListedRow {
    #[sqlx(flatten)]
    account: AccountRow,
    total: i64,
}

macro_rules! select_accounts {
    ($rest:literal) => {
        select_accounts!("", $rest)
    };
    ($more:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            user_columns!(),
            ", a.role, r.capabilities",
            $more,
            " FROM users u LEFT JOIN role_assignments a ON a.user_id = u.user_id \
             LEFT JOIN roles r ON r.role = a.role ",
            $rest
        )
    };
}

const ACCOUNT_BY_ID: &str = select_accounts!("WHERE u.user_id = $1 ORDER BY a.role");
pub(crate) const ACCOUNT_BY_CLOUD: &str = select_accounts!("WHERE u.cloud_account_id = $1 ORDER BY a.role");
const OWNER: &str = select_accounts!("WHERE u.is_owner ORDER BY a.role");
pub(crate) const COUNT_PEOPLE: &str = "SELECT count(*) FROM users WHERE enabled AND NOT is_guest";

/// Groups rows by account; the rows of an account are adjacent.
pub(crate) fn accounts(rows: Vec<AccountRow>) -> Result<Vec<Account>> {
    let mut accounts: Vec<Account> = Vec::new();
    for row in rows {
        if accounts.last().map(|last| last.user.id.get()) != Some(row.user.user_id) {
            accounts.push(Account {
                user: row.user.into(),
                roles: Vec::new(),
            });
        }
        let capabilities = row.capabilities.as_deref().map(names_from_json).transpose()?;
        if let (Some(account), Some(name)) = (accounts.last_mut(), row.role) {
            account.roles.push(GrantedRole { name, capabilities });
        }
    }
    Ok(accounts)
}

pub(crate) fn names_from_json(text: &str) -> Result<Vec<String>> {
    serde_json::from_str(text).map_err(|_| StoreError::InvalidValue("list of capabilities"))
}

pub(crate) fn names_to_json(names: &[String]) -> String {
    serde_json::json!(names).to_string()
}

/// Accounts.
#[derive(Debug, Clone)]
pub struct UserRepository {
    pub(crate) db: Database,
}

impl UserRepository {
    /// Whether the server has an owner.
    pub async fn owner_exists(&self) -> Result<bool> {
        let sql = "SELECT count(*) FROM users WHERE is_owner";
        Ok(self.db.pools().count(sql, &[]).await? > 0)
    }

    /// An account with its roles, in one query.
    pub async fn account(&self, id: UserId) -> Result<Option<Account>> {
        let rows = self.db.pools().fetch_all(ACCOUNT_BY_ID, &args![id.get()]).await?;
        Ok(accounts(rows)?.pop())
    }

    /// The account linked to a cloud account.
    pub async fn account_by_cloud(&self, cloud_account: &str) -> Result<Option<Account>> {
        let rows = self
            .db
            .pools()
            .fetch_all(ACCOUNT_BY_CLOUD, &args![cloud_account])
            .await?;
        Ok(accounts(rows)?.pop())
    }

    /// The owner, once the server is set up.
    pub async fn owner(&self) -> Result<Option<Account>> {
        Ok(accounts(self.db.pools().fetch_all(OWNER, &[]).await?)?.pop())
    }

    /// The guest account.
    pub async fn guest(&self) -> Result<Option<User>> {
        let sql = concat!("SELECT ", user_columns!(), " FROM users u WHERE u.is_guest");
        let row: Option<UserRow> = self.db.pools().fetch_optional(sql, &[]).await?;
        Ok(row.map(User::from))
    }

    /// An account by its folded name, with its password hash if it has a password.
    pub async fn user_for_login(&self, username_key: &str) -> Result<Option<(User, Option<String>)>> {
        let sql = concat!(
            "SELECT ",
            user_columns!(),
            ", u.password_hash FROM users u WHERE u.username_key = $1"
        );
        let row: Option<LoginRow> = self.db.pools().fetch_optional(sql, &args![username_key]).await?;
        Ok(row.map(|row| (row.user.into(), row.password_hash)))
    }

    /// As [`UserRepository::user_for_login`], by id.
    pub async fn user_for_login_by_id(&self, id: UserId) -> Result<Option<(User, Option<String>)>> {
        let sql = concat!(
            "SELECT ",
            user_columns!(),
            ", u.password_hash FROM users u WHERE u.user_id = $1"
        );
        let row: Option<LoginRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        Ok(row.map(|row| (row.user.into(), row.password_hash)))
    }

    /// Accounts with their roles, ordered by creation time.
    pub async fn list_accounts(&self, page: Pagination, order: Order) -> Result<Listing<Account>> {
        let (inner, outer) = direction(
            order,
            ("created_at, user_id", "u.created_at, u.user_id, a.role"),
            (
                "created_at DESC, user_id DESC",
                "u.created_at DESC, u.user_id DESC, a.role",
            ),
        );
        let where_clause = WhereClause::default();
        let (ids, values) = where_clause.page("SELECT user_id FROM users", inner, page);
        let sql = AssertSqlSafe(format!(
            "{} ORDER BY {outer}",
            select_accounts!(", (SELECT count(*) FROM users) AS total", "WHERE u.user_id IN (").to_owned()
                + &ids
                + ")"
        ));
        let rows: Vec<ListedRow> = self.db.pools().fetch_all(sql, &values).await?;
        let total = match rows.first() {
            Some(row) => row.total.unsigned_abs(),
            // The page is past the end.
            None => self.db.pools().count("SELECT count(*) FROM users", &[]).await?,
        };
        let rows = rows.into_iter().map(|row| row.account).collect();
        Ok(Listing {
            items: accounts(rows)?,
            total,
            next: None,
        })
    }

    /// Enabled accounts by name: all, or those active since a moment.
    pub async fn enabled_users(&self, seen_since: Option<Timestamp>) -> Result<Vec<User>> {
        let sql = concat!(
            "SELECT ",
            user_columns!(),
            " FROM users u WHERE u.enabled AND (CAST($1 AS BIGINT) IS NULL OR u.last_active_at >= $1) \
             ORDER BY u.username_key, u.user_id"
        );
        let since = Arg::from(seen_since);
        let rows: Vec<UserRow> = self.db.pools().fetch_all(sql, &[since]).await?;
        Ok(rows.into_iter().map(User::from).collect())
    }

    /// Counts enabled accounts other than the guest.
    pub async fn count_people(&self) -> Result<u64> {
        self.db.pools().count(COUNT_PEOPLE, &[]).await
    }

    /// Stores when accounts, sessions and tokens were last used. A power cut may lose it.
    pub async fn record_activity(&self, activity: &Activity) -> Result<()> {
        let mut tx = self.db.write_record(WritePriority::Scan).await?;
        let statements = [
            (
                "UPDATE users SET last_active_at = $2 WHERE user_id = $1",
                &activity.users,
            ),
            (
                "UPDATE sessions SET last_active_at = $2 WHERE session_id = $1",
                &activity.sessions,
            ),
            (
                "UPDATE personal_access_tokens SET last_used_at = $2 WHERE token_id = $1",
                &activity.tokens,
            ),
        ];
        for (sql, seen) in statements {
            for (id, at) in seen {
                tx.execute(sql, &args![*id, *at]).await?;
            }
        }
        tx.commit().await
    }

    /// The subset of these accounts that exists.
    pub async fn known_users(&self, users: &[UserId]) -> Result<HashSet<UserId>> {
        let numbers: Vec<i64> = users.iter().map(|user| user.get()).collect();
        let head = "SELECT user_id FROM users WHERE user_id";
        let rows: Vec<(i64,)> = self.db.rows_of_listed(head, &numbers, "").await?;
        Ok(rows.into_iter().map(|(id,)| id.into()).collect())
    }

    /// Whether an account has signed in from an address since a moment.
    pub async fn is_known_address(&self, user: UserId, address: &str, since: Timestamp) -> Result<bool> {
        let sql = "SELECT count(*) FROM known_addresses WHERE user_id = $1 AND address = $2 AND last_success_at >= $3";
        let values = args![user.get(), address, since];
        Ok(self.db.pools().count(sql, &values).await? > 0)
    }
}

/// Times of last use, by numeric id.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// Accounts.
    pub users: Vec<(i64, Timestamp)>,
    /// Sessions.
    pub sessions: Vec<(i64, Timestamp)>,
    /// Personal access tokens.
    pub tokens: Vec<(i64, Timestamp)>,
}

impl IdentityChange {
    /// [`UserRepository::account`] within the transaction.
    pub async fn account(&mut self, id: UserId) -> Result<Option<Account>> {
        let rows = self.fetch_all(ACCOUNT_BY_ID, &args![id.get()]).await?;
        Ok(accounts(rows)?.pop())
    }

    /// [`UserRepository::owner`] within the transaction.
    pub async fn owner(&mut self) -> Result<Option<Account>> {
        Ok(accounts(self.fetch_all(OWNER, &[]).await?)?.pop())
    }

    /// Adds an account; `false` if the name is taken, or if there is already an owner or guest.
    pub async fn insert_user(&mut self, user: &NewUser) -> Result<bool> {
        let sql = "INSERT INTO users (user_id, username, username_key, display_name, password_hash, enabled, \
                   is_owner, is_guest, created_at) VALUES ($1, $2, $3, $4, $5, TRUE, $6, $7, $8) \
                   ON CONFLICT DO NOTHING";
        let values = args![
            user.id.get(),
            user.username.as_str(),
            user.username_key.as_str(),
            user.display_name.as_deref(),
            user.password_hash.as_deref(),
            user.is_owner,
            user.is_guest,
            user.created_at,
        ];
        Ok(self.execute(sql, &values).await? > 0)
    }

    /// Stores name, display name and whether the account is enabled; `false` if another account has the name.
    pub async fn update_user(&mut self, user: &User, username_key: &str) -> Result<bool> {
        let taken = "SELECT user_id FROM users WHERE username_key = $1 AND user_id <> $2";
        let taken: Option<(i64,)> = self
            .fetch_optional(taken, &args![username_key, user.id.get()])
            .await?;
        if taken.is_some() {
            return Ok(false);
        }
        let sql = "UPDATE users SET username = $2, username_key = $3, display_name = $4, enabled = $5 \
                   WHERE user_id = $1 AND (username <> $2 OR username_key <> $3 OR enabled <> $5 \
                   OR display_name IS DISTINCT FROM $4)";
        let values = args![
            user.id.get(),
            user.username.as_str(),
            username_key,
            user.display_name.as_deref(),
            user.enabled,
        ];
        self.execute(sql, &values).await?;
        Ok(true)
    }

    /// Replaces the password hash of an account.
    pub async fn set_password_hash(&mut self, id: UserId, hash: &str) -> Result<()> {
        let sql = "UPDATE users SET password_hash = $2 WHERE user_id = $1";
        self.execute(sql, &args![id.get(), hash]).await.map(drop)
    }

    /// Whether this is the current password hash of the account.
    pub async fn has_password_hash(&mut self, id: UserId, hash: &str) -> Result<bool> {
        let sql = "SELECT user_id FROM users WHERE user_id = $1 AND password_hash = $2";
        let row: Option<(i64,)> = self.fetch_optional(sql, &args![id.get(), hash]).await?;
        Ok(row.is_some())
    }

    /// Replaces the password hash if it is still `old`: rehashes the same password with other parameters.
    pub async fn replace_password_hash(&mut self, id: UserId, old: &str, hash: &str) -> Result<()> {
        let sql = "UPDATE users SET password_hash = $3 WHERE user_id = $1 AND password_hash = $2";
        self.execute(sql, &args![id.get(), old, hash]).await.map(drop)
    }

    /// Makes this account the owner; the previous owner loses that role.
    pub async fn set_owner(&mut self, id: UserId, now: Timestamp) -> Result<()> {
        self.execute("UPDATE users SET is_owner = FALSE WHERE is_owner", &[])
            .await?;
        self.execute("DELETE FROM role_assignments WHERE role = 'owner'", &[])
            .await?;
        let sql = "UPDATE users SET is_owner = TRUE, enabled = TRUE WHERE user_id = $1";
        self.execute(sql, &args![id.get()]).await?;
        self.assign_role(id, "owner", now).await.map(drop)
    }

    /// Deletes an account with its sessions, tokens, roles and settings; `false` if it does not exist.
    pub async fn delete_user(&mut self, id: UserId) -> Result<bool> {
        self.touches("DELETE FROM users WHERE user_id = $1", id.get())
            .await
    }
}
