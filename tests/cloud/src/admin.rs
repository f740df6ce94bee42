//! The commands that change the database; they may run beside the server.

use std::io::BufRead as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use svc_platform::random::{Random, SystemRandom};

use crate::clock::Clock;
use crate::database::Database;
use crate::error::{Error, Refusal};
use crate::options::{
    AccountCommand, ChannelCommand, ReleaseCommand, ReleaseKeyCommand, SubscriptionCommand,
};
use crate::releases::SigningKey;
use crate::{passwords, secrets, text};

/// The database and what commands need beside it.
#[derive(Debug)]
pub(crate) struct Admin {
    database: Database,
    clock: Clock,
    random: SystemRandom,
}

/// What a refusal of an input says on the command line.
fn valid(checked: std::result::Result<(), Refusal>) -> Result<()> {
    match checked {
        Ok(()) => Ok(()),
        Err(Refusal::InvalidRequest(message)) => bail!("{message}"),
        Err(refusal) => Err(Error::from(refusal).into()),
    }
}

/// The error of an insertion: that the row exists already, in words, or the one of the database.
fn or_exists(error: sqlx::Error, message: impl FnOnce() -> String) -> anyhow::Error {
    let exists = error
        .as_database_error()
        .is_some_and(|error| error.is_unique_violation());
    if exists {
        anyhow::Error::msg(message())
    } else {
        error.into()
    }
}

impl Admin {
    pub(crate) async fn open(path: &Path) -> Result<Self> {
        let opened = Database::open(path).await;
        let database = opened.with_context(|| format!("the database {}", path.display()))?;
        Ok(Self {
            database,
            clock: Clock::default(),
            random: SystemRandom,
        })
    }

    /// Runs a command about accounts; returns what it prints.
    pub(crate) async fn account(&self, command: AccountCommand) -> Result<String> {
        match command {
            AccountCommand::Add {
                username,
                email,
                display_name,
                group,
            } => {
                valid(text::username(&username))?;
                valid(text::email(&email))?;
                display_name
                    .as_deref()
                    .map_or(Ok(()), |name| valid(text::name(name)))?;
                let mut password = String::new();
                std::io::stdin().lock().read_line(&mut password)?;
                let hash = passwords::hash(&self.random, password.trim_end_matches(['\r', '\n']))?;
                let id = secrets::id(&self.random, "u_")?;
                sqlx::query(
                    "INSERT INTO accounts (id, username, display_name, email, password_hash, groups, created_at)
                     VALUES (?, ?, ?, ?, ?, ?, ?)",
                )
                .bind(&id)
                .bind(&username)
                .bind(display_name)
                .bind(email)
                .bind(hash)
                .bind(serde_json::Value::from(group).to_string())
                .bind(self.clock.now())
                .execute(self.database.pool())
                .await
                .map_err(|error| or_exists(error, || format!("there is an account {username} already")))
                .with_context(|| format!("the account {username} cannot be added"))?;
                Ok(id)
            }
            AccountCommand::Change {
                username,
                enabled,
                may_invite,
                takes_invitations,
                display_name,
            } => {
                display_name
                    .as_deref()
                    .map_or(Ok(()), |name| valid(text::name(name)))?;
                let changed = sqlx::query(
                    "UPDATE accounts SET enabled = coalesce(?, enabled), may_invite = coalesce(?, may_invite),
                     takes_invitations = coalesce(?, takes_invitations), display_name = coalesce(?, display_name)
                     WHERE username = ?",
                )
                .bind(enabled)
                .bind(may_invite)
                .bind(takes_invitations)
                .bind(display_name)
                .bind(&username)
                .execute(self.database.pool())
                .await?;
                if changed.rows_affected() == 0 {
                    bail!("there is no account {username}");
                }
                Ok(format!("{username} is changed"))
            }
            AccountCommand::SignOut { username } => {
                let ended = sqlx::query(
                    "DELETE FROM sessions WHERE account_id IN (SELECT id FROM accounts WHERE username = ?)",
                );
                let ended = ended.bind(&username).execute(self.database.pool()).await?;
                Ok(format!(
                    "{} sessions of {username} are ended",
                    ended.rows_affected()
                ))
            }
            AccountCommand::List => {
                let found = sqlx::query_as("SELECT id, username, email FROM accounts ORDER BY username");
                let accounts: Vec<(String, String, String)> = found.fetch_all(self.database.pool()).await?;
                let lines = accounts
                    .iter()
                    .map(|(id, username, email)| format!("{id}  {username}  {email}"));
                Ok(lines.collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// Runs a command about subscriptions.
    pub(crate) async fn subscription(&self, command: SubscriptionCommand) -> Result<String> {
        let SubscriptionCommand::Set {
            owner,
            instance_id,
            tier,
            seats,
            ends_at,
        } = command;
        valid(text::label(&tier))?;
        let changed = sqlx::query(
            "UPDATE servers SET tier = ?, seats = ?, subscription_ends_at = ?
             WHERE owner_id IN (SELECT id FROM accounts WHERE username = ?) AND instance_id = coalesce(?, instance_id)",
        )
        .bind(&tier)
        .bind(seats)
        .bind(ends_at)
        .bind(&owner)
        .bind(instance_id)
        .execute(self.database.pool())
        .await?;
        if changed.rows_affected() == 0 {
            bail!("{owner} has registered no such server");
        }
        Ok(format!(
            "{} servers of {owner} have the tier {tier}",
            changed.rows_affected()
        ))
    }

    /// Runs a command about release channels.
    pub(crate) async fn channel(&self, command: ChannelCommand) -> Result<String> {
        let ChannelCommand::Set { id, description } = command;
        valid(text::label(&id))?;
        description
            .as_deref()
            .map_or(Ok(()), |description| valid(text::name(description)))?;
        sqlx::query(
            "INSERT INTO release_channels (id, description) VALUES (?, ?)
             ON CONFLICT (id) DO UPDATE SET description = excluded.description",
        )
        .bind(&id)
        .bind(description)
        .execute(self.database.pool())
        .await?;
        Ok(format!("channel {id} is set"))
    }

    /// Creates a key; prints it.
    pub(crate) async fn release_key(&self, command: ReleaseKeyCommand) -> Result<String> {
        let ReleaseKeyCommand::Create { key, signed_by } = command;
        let old = signed_by
            .as_deref()
            .map(SigningKey::read)
            .transpose()
            .context("the key that signs the new one")?;
        let random: &dyn Random = &self.random;
        let created =
            SigningKey::create(random, &key).with_context(|| format!("the key {}", key.display()))?;
        let public = created.public();
        sqlx::query("INSERT INTO release_keys (key, signed_by, signature) VALUES (?, ?, ?)")
            .bind(&public)
            .bind(old.as_ref().map(SigningKey::public))
            .bind(old.as_ref().map(|old| old.sign_key(&public)))
            .execute(self.database.pool())
            .await?;
        Ok(public)
    }

    /// Signs and publishes a release.
    pub(crate) async fn release(&self, command: ReleaseCommand) -> Result<String> {
        let ReleaseCommand::Publish {
            channel,
            version,
            key,
            released_at,
        } = command;
        let signer = SigningKey::read(&key).with_context(|| format!("the key {}", key.display()))?;
        let released_at = released_at.unwrap_or_else(|| self.clock.now());
        let version = version.to_string();
        let known: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM release_channels WHERE id = ?)")
            .bind(&channel)
            .fetch_one(self.database.pool())
            .await?;
        ensure!(
            known,
            "there is no channel {channel}: `svc-cloud channel set {channel}` creates it"
        );
        sqlx::query(
            "INSERT INTO releases (channel_id, version, released_at, key, signature) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(&channel)
        .bind(&version)
        .bind(released_at)
        .bind(signer.public())
        .bind(signer.sign_release(&channel, &version, released_at))
        .execute(self.database.pool())
        .await
        .map_err(|error| or_exists(error, || format!("there is a release {version} already")))
        .with_context(|| format!("{version} cannot be published on {channel}"))?;
        Ok(format!("{version} is published on {channel}"))
    }
}
