//! The command line.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use url::Url;

/// A cloud for media servers: accounts, invitations, subscriptions, releases.
#[derive(Debug, Parser)]
#[command(name = "svc-cloud", version)]
pub(crate) struct Options {
    /// The database file; created if it is absent
    #[arg(
        long,
        env = "SVC_CLOUD_DATABASE",
        default_value = "svc-cloud.db",
        global = true
    )]
    pub(crate) database: PathBuf,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the protocol and the pages
    Serve(ServeOptions),
    /// Add and change accounts
    #[command(subcommand)]
    Account(AccountCommand),
    /// Change subscriptions of servers
    #[command(subcommand)]
    Subscription(SubscriptionCommand),
    /// Add and change release channels
    #[command(subcommand)]
    Channel(ChannelCommand),
    /// Create keys that sign releases
    #[command(subcommand)]
    ReleaseKey(ReleaseKeyCommand),
    /// Publish releases
    #[command(subcommand)]
    Release(ReleaseCommand),
}

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    /// Address and port; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8430")]
    pub(crate) listen: SocketAddr,
    /// Scheme, host and port by which clients reach it; by default the address that it listens on
    #[arg(long)]
    pub(crate) public_url: Option<Url>,
    /// Directory for e-mails, from which a mail program takes them; by default beside the database
    #[arg(long)]
    pub(crate) mail_dir: Option<PathBuf>,
    /// Address of a proxy whose X-Forwarded-For counts; may be repeated
    #[arg(long)]
    pub(crate) trusted_proxy: Vec<IpAddr>,
    /// Control endpoints that let the cloud fail, for tests
    #[arg(long)]
    pub(crate) allow_failures: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AccountCommand {
    /// Add an account, with the password from standard input; prints its public id
    Add {
        username: String,
        /// For approval links
        #[arg(long)]
        email: String,
        #[arg(long)]
        display_name: Option<String>,
        /// Value that servers may map to roles; may be repeated
        #[arg(long)]
        group: Vec<String>,
    },
    /// Change an account
    Change {
        username: String,
        /// Whether it can sign in and be invited
        #[arg(long)]
        enabled: Option<bool>,
        /// Whether it can create invitations
        #[arg(long)]
        may_invite: Option<bool>,
        /// Whether invitations can be addressed to it
        #[arg(long)]
        takes_invitations: Option<bool>,
        #[arg(long)]
        display_name: Option<String>,
    },
    /// End all sessions of an account
    SignOut { username: String },
    /// List accounts: public id, name, e-mail address
    List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SubscriptionCommand {
    /// Set the subscription of the servers of an account
    Set {
        /// The owner's name
        owner: String,
        /// Only of the server with this instance id
        #[arg(long)]
        instance_id: Option<String>,
        #[arg(long)]
        tier: String,
        /// Largest number of accounts; unlimited by default
        #[arg(long)]
        seats: Option<u32>,
        /// Its end in milliseconds since 1970; none by default
        #[arg(long)]
        ends_at: Option<i64>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelCommand {
    /// Add a channel, or change its description
    Set {
        id: String,
        #[arg(long)]
        description: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReleaseKeyCommand {
    /// Create a key and announce it; prints the public key
    Create {
        /// New file for the key
        #[arg(long)]
        key: PathBuf,
        /// File of the key that it replaces, which clients trust
        #[arg(long)]
        signed_by: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReleaseCommand {
    /// Sign a release and publish it
    Publish {
        channel: String,
        version: semver::Version,
        /// File of the key
        #[arg(long)]
        key: PathBuf,
        /// Milliseconds since 1970; now by default
        #[arg(long)]
        released_at: Option<i64>,
    },
}
