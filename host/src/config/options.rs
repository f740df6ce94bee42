//! The list of options: flag, variable and TOML name of each, defined once.
//!
//! A field's name is the option's name in the file; where the flag is in the singular, it is given apart.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::config::roots::{self, Root};

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Options of every subcommand that works on a library.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[command(next_help_heading = "Library")]
#[serde(default, rename_all = "kebab-case")]
pub struct MediaOptions {
    /// TOML file with the same options, such as `music-dirs = ["/music"]`
    #[arg(long, env = "SVC_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Where the server keeps its own data [default: svc-data]
    #[arg(long, env = "SVC_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Directory of music; repeat it, or separate several with `:`
    #[arg(
        long = "music-dir",
        env = "SVC_MUSIC_DIR",
        value_name = "DIR",
        value_delimiter = ':'
    )]
    pub music_dirs: Vec<PathBuf>,
    /// Directory of photos
    #[arg(
        long = "photos-dir",
        env = "SVC_PHOTOS_DIR",
        value_name = "DIR",
        value_delimiter = ':'
    )]
    pub photos_dirs: Vec<PathBuf>,
    /// Directory of movies
    #[arg(
        long = "movies-dir",
        env = "SVC_MOVIES_DIR",
        value_name = "DIR",
        value_delimiter = ':'
    )]
    pub movies_dirs: Vec<PathBuf>,
    /// Directory of TV shows
    #[arg(
        long = "tv-dir",
        env = "SVC_TV_DIR",
        value_name = "DIR",
        value_delimiter = ':'
    )]
    pub tv_dirs: Vec<PathBuf>,
    /// Directory of files of any kind, such as a kind of a plugin; repeat it, or separate several with `:`
    #[arg(
        long = "root",
        env = "SVC_ROOTS",
        value_name = "KIND=DIR",
        value_delimiter = ':'
    )]
    #[serde(deserialize_with = "roots::from_table")]
    pub roots: Vec<Root>,
    /// Database [default: svc.db in the data directory]
    #[arg(long, env = "SVC_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Directory of further plugins (`*.wasm`)
    #[arg(long, env = "SVC_PLUGIN_DIR", value_name = "DIR")]
    pub plugin_dir: Option<PathBuf>,
}

/// Options of the server alone.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[command(next_help_heading = "Server")]
#[serde(default, rename_all = "kebab-case")]
pub struct ServerOptions {
    /// Address to listen on [default: 127.0.0.1:8420]
    #[arg(long, env = "SVC_LISTEN", value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// Development mode: for tests of clients, never for a real library
    #[arg(long, env = "SVC_DEV")]
    pub dev: bool,
    /// An unattended screen: apps sign in as the guest
    #[arg(long, env = "SVC_KIOSK")]
    pub kiosk: bool,
    /// Must be given when the server is set up
    #[arg(long, env = "SVC_SETUP_TOKEN", value_name = "TEXT", hide_env_values = true)]
    pub setup_token: Option<String>,
    /// Which releases the server follows [default: stable]
    #[arg(long, env = "SVC_RELEASE_CHANNEL", value_name = "NAME")]
    pub release_channel: Option<String>,
    /// Address or network of a proxy before the server, whose `X-Forwarded-For` or `Forwarded` counts; repeat it, or
    /// separate several with `,`
    #[arg(
        long = "trusted-proxy",
        env = "SVC_TRUSTED_PROXIES",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub trusted_proxies: Vec<String>,
    /// MiB of disk for thumbnails; the least recently used are deleted first [default: 1024]
    #[arg(long, env = "SVC_THUMBNAIL_CACHE_MIB", value_name = "MIB")]
    pub thumbnail_cache_mib: Option<u64>,
    /// Address by which clients know the server, such as https://media.example
    #[arg(long, env = "SVC_BASE_URL", value_name = "URL")]
    pub base_url: Option<String>,
}

/// Options about the service that vouches for accounts. Without any, nothing calls out.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[command(next_help_heading = "Cloud")]
#[serde(default, rename_all = "kebab-case")]
pub struct CloudOptions {
    /// Address of a cloud that vouches for accounts, such as https://cloud.example
    #[arg(long, env = "SVC_CLOUD_URL", value_name = "URL")]
    pub cloud_url: Option<String>,
    /// Address of a provider of OpenID Connect, exactly as it names itself
    #[arg(long, env = "SVC_OIDC_ISSUER", value_name = "URL")]
    pub oidc_issuer: Option<String>,
    /// Id of this server at the provider
    #[arg(long, env = "SVC_OIDC_CLIENT_ID", value_name = "ID")]
    pub oidc_client_id: Option<String>,
    /// File with the secret of this server at the provider; a public client has none
    #[arg(long, env = "SVC_OIDC_CLIENT_SECRET_FILE", value_name = "FILE")]
    pub oidc_client_secret_file: Option<PathBuf>,
    /// Claim with the groups of a user, such as `groups` or `realm_access.roles`
    #[arg(long, env = "SVC_OIDC_GROUPS_CLAIM", value_name = "PATH")]
    pub oidc_groups_claim: Option<String>,
    /// Role of accounts that users of the provider get at their first sign-in; without one, unknown users are refused
    #[arg(long, env = "SVC_OIDC_DEFAULT_ROLE", value_name = "ROLE")]
    pub oidc_default_role: Option<String>,
    /// Roles that follow the groups of the provider at each sign-in, such as `media=member,admins=administrator`
    #[arg(long, env = "SVC_OIDC_ROLE_MAP", value_name = "GROUP=ROLE,…")]
    pub oidc_role_map: Option<String>,
    /// Text of the button that starts a sign-in with the provider
    #[arg(long, env = "SVC_OIDC_BUTTON_LABEL", value_name = "TEXT")]
    pub oidc_button_label: Option<String>,
    /// Plugin of world `cloud-client` that talks to the service instead of the built-in one
    #[arg(long, env = "SVC_CLOUD_PLUGIN", value_name = "FILE")]
    pub cloud_plugin: Option<PathBuf>,
    /// Further origin that the plugin may reach; repeat it, or separate several with `,`
    #[arg(
        long = "cloud-origin",
        env = "SVC_CLOUD_ORIGINS",
        value_name = "URL",
        value_delimiter = ','
    )]
    pub cloud_origins: Vec<String>,
    /// Host of the service that may have a private address; repeat it, or separate several with `,`
    #[arg(
        long = "cloud-private-host",
        env = "SVC_CLOUD_PRIVATE_HOSTS",
        value_name = "NAME",
        value_delimiter = ','
    )]
    pub cloud_private_hosts: Vec<String>,
    /// File of further authorities for the service's certificate (PEM)
    #[arg(long, env = "SVC_CLOUD_CA_FILE", value_name = "FILE")]
    pub cloud_ca_file: Option<PathBuf>,
}
