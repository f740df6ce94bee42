//! `svc user`: accounts, for operators. Works while a server is running, which notices changes within a second.

use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use crate::config::{Config, MediaOptions, ServerOptions};
use svc_domain::time::SystemClock;
use svc_domain::user::Account;
use svc_identity::Context;
use svc_identity::error::ServiceError;
use svc_identity::password::Passwords;
use svc_identity::recovery::Recovery;
use svc_platform::data_dir::DataDir;
use svc_platform::random::{SystemRandom, random_hex};
use svc_platform::tasks::Tasks;
use svc_store::{Store, StoreOptions};

/// Options of `svc user`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the accounts
    List {
        #[command(flatten)]
        media: Box<MediaOptions>,
    },
    /// Set an account's password and end its sessions
    SetPassword {
        /// Name of the account
        username: String,
        /// Read the password from the first line of standard input, instead of making one and printing it
        #[arg(long)]
        stdin: bool,
        #[command(flatten)]
        media: Box<MediaOptions>,
    },
    /// Unlink an account from its cloud account, which ends the sessions that signed in there
    Unlink {
        /// Name of the account
        username: String,
        #[command(flatten)]
        media: Box<MediaOptions>,
    },
    /// Make an account the owner of a server that lost its own
    MakeOwner {
        /// Name of the account
        username: String,
        /// Also when there is an owner, who then is one no longer
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        media: Box<MediaOptions>,
    },
}

/// Runs the subcommand.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    super::runtime()?.block_on(act(arguments.action))?;
    Ok(ExitCode::SUCCESS)
}

async fn act(action: Action) -> anyhow::Result<()> {
    let (Action::List { media }
    | Action::SetPassword { media, .. }
    | Action::Unlink { media, .. }
    | Action::MakeOwner { media, .. }) = &action;
    let config = Config::load(MediaOptions::clone(media), ServerOptions::default(), None)?;
    // Creating a database would only hide a mistyped directory.
    if !DataDir::holds_installation(&config.data_dir) {
        anyhow::bail!(
            "{} is not the data directory of a server",
            config.data_dir.display()
        );
    }
    let random = Arc::new(SystemRandom);
    let store = Store::open(&config.database_url, StoreOptions::default()).await?;
    let clock = Arc::new(SystemClock);
    let ids = store
        .id_nodes
        .lease_id_node(clock.clone(), random_hex(random.as_ref())?)
        .await?;
    let recovery = Recovery::new(
        Context {
            identity: store.identity.clone(),
            ids,
            clock,
            random: random.clone(),
            tasks: Tasks::default(),
        },
        store.users.clone(),
    );
    let outcome = execute(action, &recovery, random).await;
    store.id_nodes.release_id_node().await?;
    store.database.close().await;
    std::io::stdout().lock().write_all(outcome?.as_bytes())?;
    Ok(())
}

/// Executes the action and returns the text to print.
async fn execute(action: Action, recovery: &Recovery, random: Arc<SystemRandom>) -> anyhow::Result<String> {
    Ok(match action {
        Action::List { .. } => table(&recovery.accounts().await?),
        Action::SetPassword { username, stdin, .. } => {
            let password = if stdin {
                first_line()?
            } else {
                random_hex(random.as_ref())?
            };
            let passwords = Passwords::start(random)?;
            let user = recovery
                .set_password(&passwords, &username, password.clone())
                .await
                .map_err(|error| explain(error, &username))?;
            if stdin {
                format!("The password of {} is set.\n", user.username)
            } else {
                format!("The password of {} is now {password}\n", user.username)
            }
        }
        Action::Unlink { username, .. } => {
            let unlinked = recovery.unlink(&username).await;
            let unlinked = unlinked.map_err(|error| explain(error, &username))?;
            let name = unlinked.user.username;
            if unlinked.has_password {
                format!("{name} is unlinked.\n")
            } else {
                format!("{name} is unlinked and has no password; `svc user set-password {name}` sets one.\n")
            }
        }
        Action::MakeOwner {
            username, replace, ..
        } => {
            let made = recovery.make_owner(&username, replace).await;
            let user = made.map_err(|error| explain(error, &username))?;
            format!("{} is the owner.\n", user.username)
        }
    })
}

fn explain(error: ServiceError, username: &str) -> anyhow::Error {
    match error {
        ServiceError::NotFound => anyhow::anyhow!("there is no account `{username}`"),
        ServiceError::Invalid(errors) => {
            let errors: Vec<_> = errors
                .into_iter()
                .map(|error| format!("{} {}", error.path, error.message))
                .collect();
            anyhow::anyhow!(errors.join("; "))
        }
        ServiceError::Conflict { message, .. } => anyhow::anyhow!("{message}; use --replace to change that"),
        other => other.into(),
    }
}

fn first_line() -> anyhow::Result<String> {
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .context("cannot read the password from standard input")?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

fn table(accounts: &[Account]) -> String {
    let width = accounts
        .iter()
        .map(|account| account.user.username.chars().count())
        .max()
        .unwrap_or(0);
    let lines = accounts.iter().map(|account| {
        let user = &account.user;
        let state = if user.enabled { "enabled " } else { "disabled" };
        let (id, name) = (user.id, &user.username);
        format!(
            "{id}  {name:width$}  {state}  {}\n",
            account.role_names().join(", ")
        )
    });
    lines.collect()
}
