//! The server's options: read once from flags, `SVC_*` variables and a TOML file, then checked.
//!
//! Flags win over variables, variables over the file, the file over the defaults. To add an option, add a field to
//! [`MediaOptions`], [`ServerOptions`] or [`CloudOptions`] (flag, variable, name in the file, help) and one to [`Config`] (checked value
//! and default).

mod cloud;
mod cloud_mode;
mod effective;
mod file;
mod network;
mod oidc_policy;
mod options;
mod roots;

pub use cloud::{ClientSecret, CloudConfig, CloudOptionError, CloudService, OidcOptions};
pub use cloud_mode::CloudMode;
pub use file::FileError;
pub use options::{CloudOptions, LogFormat, MediaOptions, ServerOptions};
pub use roots::Root;

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use file::FileOptions;
use svc_domain::kind::MediaKind;
use svc_domain::release_channel::ReleaseChannel;

/// Reachable from this machine only.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8420);
/// Below the working directory.
const DEFAULT_DATA_DIR: &str = "svc-data";
/// Holds the small thumbnails of 70,000 photos, or all sizes of 5,000.
const DEFAULT_THUMBNAIL_CACHE_MIB: u64 = 1024;

/// Why the options were refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The TOML file is unusable.
    #[error(transparent)]
    File(#[from] FileError),
    /// A media directory is missing or cannot be listed.
    #[error("{kind} directory {}: {reason}", path.display())]
    MediaDirectory {
        /// The kind that the directory was given for.
        kind: MediaKind,
        /// As given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Two directories of a kind are the same, or one lies inside the other.
    #[error("{kind} directories {} and {} overlap: each file would be indexed twice", first.display(), second.display())]
    Overlap {
        /// The kind that both were given for.
        kind: MediaKind,
        /// Absolute.
        first: PathBuf,
        /// Absolute.
        second: PathBuf,
    },
    /// The data directory cannot be created or written.
    #[error("data directory {}: {reason}", path.display())]
    DataDirectory {
        /// As given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The plugin directory is not a directory.
    #[error("plugin directory {}: {reason}", path.display())]
    PluginDirectory {
        /// As given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The database URL has an unknown scheme.
    #[error("database URL: {0}")]
    DatabaseUrl(String),
    /// A trusted proxy is neither an address nor a network.
    #[error("trusted proxy `{0}` is neither an address nor a network such as 10.0.0.0/8")]
    TrustedProxy(String),
    /// The base URL is not scheme, host and port alone.
    #[error("base URL {0}")]
    BaseUrl(String),
    /// An empty setup token would let anybody set the server up, against the operator's intention.
    #[error(
        "setup token: it is empty, which guards nothing; give SVC_SETUP_TOKEN a value, or do not set it at all"
    )]
    EmptySetupToken,
    /// The options about the cloud do not fit together.
    #[error(transparent)]
    Cloud(#[from] CloudOptionError),
    /// There is no release channel of this name.
    #[error("release channel `{0}` does not exist; there are {all}", all = ReleaseChannel::ALL.map(ReleaseChannel::as_str).join(", "))]
    ReleaseChannel(String),
}

/// The options in force, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// Absolute, exists and is writable.
    pub data_dir: PathBuf,
    /// Port 0 takes a free port.
    pub listen: SocketAddr,
    /// Root directories with their kinds: absolute, readable, and disjoint within a kind.
    pub media: Vec<(MediaKind, PathBuf)>,
    /// `sqlite:PATH` or `postgres://…`
    pub database_url: String,
    /// Directory of plugins in addition to the built-in ones.
    pub plugin_dir: Option<PathBuf>,
    /// Development mode: for tests of clients, never for a real library.
    pub dev: bool,
    /// An unattended screen: apps sign in as the guest.
    pub kiosk: bool,
    /// Required at setup, if set. Never empty.
    pub setup_token: Option<String>,
    /// Which releases the server follows.
    pub release_channel: ReleaseChannel,
    /// Proxies whose headers name the client.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// The address by which clients know the server: scheme, host and port.
    pub base_url: Option<url::Url>,
    /// MiB of disk for thumbnails.
    pub thumbnail_cache_mib: u64,
    /// Which service vouches for accounts.
    pub cloud: CloudConfig,
}

impl Config {
    /// Checks the options of the command line, which hold the variables already, over those of the file. Without options
    /// about the cloud, for commands that need none, those of the file do not count.
    ///
    /// # Errors
    /// The first unusable option, in a sentence.
    pub fn load(
        media: MediaOptions,
        server: ServerOptions,
        cloud: Option<CloudOptions>,
    ) -> Result<Self, ConfigError> {
        let file = match &media.config {
            Some(path) => FileOptions::read(path)?,
            None => FileOptions::default(),
        };
        let data_dir = media.data_dir.or(file.media.data_dir);
        let data_dir = usable_data_dir(&data_dir.unwrap_or_else(|| DEFAULT_DATA_DIR.into()))?;
        let directories = [
            (MediaKind::music(), media.music_dirs, file.media.music_dirs),
            (MediaKind::photos(), media.photos_dirs, file.media.photos_dirs),
            (MediaKind::movies(), media.movies_dirs, file.media.movies_dirs),
            (MediaKind::tv(), media.tv_dirs, file.media.tv_dirs),
        ];
        // The directories of a built-in kind may be given by both of its options.
        let mut by_kind = roots::by_kind(media.roots, file.media.roots);
        let mut roots = Vec::new();
        let built_in = directories.into_iter().map(|(kind, given, from_file)| {
            let also = by_kind.remove(&kind).unwrap_or_default();
            (
                kind,
                first_given(given, from_file).into_iter().chain(also).collect(),
            )
        });
        let built_in: Vec<(MediaKind, Vec<PathBuf>)> = built_in.collect();
        for (kind, paths) in built_in.into_iter().chain(by_kind) {
            let paths = media_directories(&kind, paths)?;
            roots.extend(paths.into_iter().map(|path| (kind.clone(), path)));
        }
        let database_url = media.database_url.or(file.media.database_url);
        let proxies = first_given(server.trusted_proxies, file.server.trusted_proxies);
        let base_url = server.base_url.or(file.server.base_url);
        let cache_mib = server.thumbnail_cache_mib.or(file.server.thumbnail_cache_mib);
        let cloud = cloud.map(|given| CloudConfig::load(given, file.cloud));
        Ok(Self {
            cloud: cloud.transpose()?.unwrap_or_default(),
            database_url: usable_database_url(database_url, &data_dir)?,
            data_dir,
            listen: server.listen.or(file.server.listen).unwrap_or(DEFAULT_LISTEN),
            media: roots,
            plugin_dir: usable_plugin_dir(media.plugin_dir.or(file.media.plugin_dir))?,
            dev: server.dev || file.server.dev,
            kiosk: server.kiosk || file.server.kiosk,
            setup_token: usable_setup_token(server.setup_token.or(file.server.setup_token))?,
            release_channel: release_channel(server.release_channel.or(file.server.release_channel))?,
            trusted_proxies: network::trusted_proxies(&proxies)?,
            base_url: base_url.as_deref().map(network::base_url).transpose()?,
            thumbnail_cache_mib: cache_mib.unwrap_or(DEFAULT_THUMBNAIL_CACHE_MIB),
        })
    }
}

/// A list on the command line replaces the one in the file.
fn first_given<T>(given: Vec<T>, from_file: Vec<T>) -> Vec<T> {
    if given.is_empty() { from_file } else { given }
}

fn usable_database_url(given: Option<String>, data_dir: &Path) -> Result<String, ConfigError> {
    let url = given.unwrap_or_else(|| format!("sqlite:{}", data_dir.join("svc.db").display()));
    if ["sqlite:", "postgres://", "postgresql://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
    {
        return Ok(url);
    }
    let reason = "starts with neither `sqlite:` nor `postgres://`";
    Err(ConfigError::DatabaseUrl(reason.to_owned()))
}

fn usable_plugin_dir(given: Option<PathBuf>) -> Result<Option<PathBuf>, ConfigError> {
    match given {
        Some(path) if !path.is_dir() => Err(ConfigError::PluginDirectory {
            path,
            reason: "is not a directory".to_owned(),
        }),
        usable => Ok(usable),
    }
}

fn usable_setup_token(given: Option<String>) -> Result<Option<String>, ConfigError> {
    match given {
        Some(token) if token.trim().is_empty() => Err(ConfigError::EmptySetupToken),
        usable => Ok(usable),
    }
}

fn release_channel(name: Option<String>) -> Result<ReleaseChannel, ConfigError> {
    name.map_or(Ok(ReleaseChannel::default()), |name| {
        ReleaseChannel::from_name(&name).ok_or(ConfigError::ReleaseChannel(name))
    })
}

/// The cache of commands that work without a data directory.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where the environment is read"
)]
pub fn user_cache_dir() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
        .or_else(home);
    base.unwrap_or_else(std::env::temp_dir).join("svc")
}

/// A variable that is not empty, for an option that another one excludes: both variables may be set.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where the environment is read"
)]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Creates the directory if needed. It holds keys and password hashes, so nobody else may read it.
fn usable_data_dir(path: &Path) -> Result<PathBuf, ConfigError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let wrong = |reason: String| ConfigError::DataDirectory {
        path: path.to_owned(),
        reason,
    };
    let created = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    created.map_err(|error| wrong(format!("cannot be created: {error}")))?;
    let absolute = path.canonicalize().map_err(|error| wrong(error.to_string()))?;
    if rustix::fs::access(
        &absolute,
        rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
    )
    .is_err()
    {
        return Err(wrong("cannot be written".to_owned()));
    }
    Ok(absolute)
}

fn media_directories(kind: &MediaKind, paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, ConfigError> {
    let mut absolute: Vec<PathBuf> = Vec::with_capacity(paths.len());
    for path in paths {
        let wrong = |reason: String| ConfigError::MediaDirectory {
            kind: kind.clone(),
            path: path.clone(),
            reason,
        };
        let found = path.canonicalize().map_err(|error| wrong(error.to_string()))?;
        if !found.is_dir() {
            return Err(wrong("is not a directory".to_owned()));
        }
        std::fs::read_dir(&found).map_err(|error| wrong(format!("cannot be listed: {error}")))?;
        if let Some(other) = absolute
            .iter()
            .find(|other| other.starts_with(&found) || found.starts_with(other))
        {
            return Err(ConfigError::Overlap {
                kind: kind.clone(),
                first: other.clone(),
                second: found,
            });
        }
        absolute.push(found);
    }
    Ok(absolute)
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
