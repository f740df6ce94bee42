//! The server's options: read once from flags, `SVC_*` variables and a TOML file, checked once.
//!
//! Flags win over variables, variables over the file, the file over the defaults.

mod file;
mod network;
mod options;
mod told;

pub use file::FileError;
pub use options::{LogFormat, MediaOptions, ServerOptions};

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use file::FileOptions;
use svc_domain::kind::MediaKind;
use svc_domain::release_channel::ReleaseChannel;

/// Where the server listens unless told otherwise: this machine only.
const DEFAULT_LISTEN: &str = "127.0.0.1:8420";
/// Where the server keeps its data unless told otherwise, below the working directory.
const DEFAULT_DATA_DIR: &str = "svc-data";
/// Small pictures of 70,000 photos, or all sizes of 5,000.
const DEFAULT_THUMBNAIL_CACHE_MIB: u64 = 1024;

/// Options that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The TOML file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A directory of media.
    #[error("{kind} directory {}: {reason}", path.display())]
    MediaDirectory {
        /// Of this kind.
        kind: MediaKind,
        /// At this place.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The same directory twice, or one inside another, for one kind.
    #[error("{kind} directories {} and {} overlap: each file would be indexed twice", first.display(), second.display())]
    Overlap {
        /// Of this kind.
        kind: MediaKind,
        /// One.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// The data directory.
    #[error("data directory {}: {reason}", path.display())]
    DataDirectory {
        /// At this place.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The directory of plugins.
    #[error("plugin directory {}: {reason}", path.display())]
    PluginDirectory {
        /// At this place.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The database's address.
    #[error("database URL: {0}")]
    DatabaseUrl(String),
    /// A trusted proxy.
    #[error("trusted proxy `{0}` is neither an address nor a network such as 10.0.0.0/8")]
    TrustedProxy(String),
    /// The server's public address.
    #[error("base URL {0}")]
    BaseUrl(String),
    /// Somebody meant the first run to be guarded, and it would not be.
    #[error(
        "setup token: it is empty, which guards nothing; give SVC_SETUP_TOKEN a value, or do not set it at all"
    )]
    EmptySetupToken,
    /// The channel of releases.
    #[error("release channel `{0}` does not exist; there are {all}", all = ReleaseChannel::ALL.map(ReleaseChannel::name).join(", "))]
    ReleaseChannel(String),
}

/// The options as they are used.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the server keeps its own data.
    pub data_dir: PathBuf,
    /// Where the server listens.
    pub listen: SocketAddr,
    /// Roots of media with their kinds, absolute.
    pub media: Vec<(MediaKind, PathBuf)>,
    /// `sqlite:` or `postgres://`.
    pub database_url: String,
    /// Directory of further plugins.
    pub plugin_dir: Option<PathBuf>,
    /// Development mode: for tests of clients, never for a real library.
    pub dev: bool,
    /// An unattended screen.
    pub kiosk: bool,
    /// Must be given at setup, if set.
    pub setup_token: Option<String>,
    /// Which releases the server follows.
    pub release_channel: ReleaseChannel,
    /// Proxies whose word about the client counts.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// The address by which clients know the server.
    pub base_url: Option<url::Url>,
    /// MiB of disk for pictures in smaller sizes.
    pub thumbnail_cache_mib: u64,
}

impl Config {
    /// The configuration from the command line's options, which hold the variables already, and the file.
    ///
    /// # Errors
    /// The first option that cannot be used, in a sentence.
    pub fn load(media: MediaOptions, server: ServerOptions) -> Result<Self, ConfigError> {
        let file = media
            .config
            .as_deref()
            .map(FileOptions::read)
            .transpose()?
            .unwrap_or_default();
        let data_dir = media
            .data_dir
            .or(file.data_dir)
            .unwrap_or_else(|| DEFAULT_DATA_DIR.into());
        let data_dir = usable_data_dir(&data_dir)?;
        let kinds = [
            (MediaKind::music(), media.music_dir, file.music_dirs),
            (MediaKind::photos(), media.photos_dir, file.photos_dirs),
            (MediaKind::movies(), media.movies_dir, file.movies_dirs),
            (MediaKind::tv(), media.tv_dir, file.tv_dirs),
        ];
        let mut roots = Vec::new();
        for (kind, given, from_file) in kinds {
            let paths = if given.is_empty() { from_file } else { given };
            roots.extend(
                media_directories(&kind, paths)?
                    .into_iter()
                    .map(|path| (kind.clone(), path)),
            );
        }
        let database_url = media
            .database_url
            .or(file.database_url)
            .unwrap_or_else(|| format!("sqlite:{}", data_dir.join("svc.db").display()));
        if !["sqlite:", "postgres://", "postgresql://"]
            .iter()
            .any(|scheme| database_url.starts_with(scheme))
        {
            return Err(ConfigError::DatabaseUrl(
                "starts with neither `sqlite:` nor `postgres://`".to_owned(),
            ));
        }
        let plugin_dir = media.plugin_dir.or(file.plugin_dir);
        if let Some(path) = plugin_dir.as_deref().filter(|path| !path.is_dir()) {
            let reason = "is not a directory".to_owned();
            return Err(ConfigError::PluginDirectory {
                path: path.to_owned(),
                reason,
            });
        }
        let listen = server.listen.or(file.listen);
        let proxies = match server.trusted_proxy.as_slice() {
            [] => file.trusted_proxies,
            given => given.to_owned(),
        };
        let base_url = server.base_url.or(file.base_url);
        let setup_token = server.setup_token.or(file.setup_token);
        if setup_token
            .as_deref()
            .is_some_and(|token| token.trim().is_empty())
        {
            return Err(ConfigError::EmptySetupToken);
        }
        Ok(Self {
            data_dir,
            listen: match listen {
                Some(address) => address,
                None => DEFAULT_LISTEN
                    .parse()
                    .unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8420))),
            },
            media: roots,
            database_url,
            plugin_dir,
            dev: server.dev || file.dev,
            kiosk: server.kiosk || file.kiosk,
            setup_token,
            release_channel: release_channel(server.release_channel.or(file.release_channel))?,
            trusted_proxies: network::trusted_proxies(&proxies)?,
            base_url: base_url.as_deref().map(network::base_url).transpose()?,
            thumbnail_cache_mib: server
                .thumbnail_cache_mib
                .or(file.thumbnail_cache_mib)
                .unwrap_or(DEFAULT_THUMBNAIL_CACHE_MIB),
        })
    }
}

fn release_channel(name: Option<String>) -> Result<ReleaseChannel, ConfigError> {
    name.map_or(Ok(ReleaseChannel::default()), |name| {
        ReleaseChannel::from_name(&name).ok_or(ConfigError::ReleaseChannel(name))
    })
}

/// Where commands without a data directory keep what they can make again.
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

/// Makes the directory if it is not there. It holds keys and password hashes: nobody else may read it.
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
    created.map_err(|error| wrong(format!("cannot be made: {error}")))?;
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
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        media: MediaOptions,
        #[command(flatten)]
        server: ServerOptions,
    }

    fn load(arguments: &[&str]) -> Result<Config, ConfigError> {
        let arguments = Arguments::parse_from(std::iter::once("svc").chain(arguments.iter().copied()));
        Config::load(arguments.media, arguments.server)
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("svc.toml");
        let data = dir.path().join("data");
        std::fs::write(
            &config,
            "listen = \"127.0.0.1:1\"\nkiosk = true\nrelease-channel = \"beta\"\ntrusted-proxies = [\"::1\"]\n\
             base-url = \"https://file.example\"\nthumbnail-cache-mib = 5\n",
        )
        .unwrap();
        let flags = [
            "--data-dir",
            data.to_str().unwrap(),
            "--config",
            config.to_str().unwrap(),
        ];
        let loaded = load(&flags).unwrap();
        assert_eq!(loaded.listen.port(), 1);
        assert!(loaded.kiosk && !loaded.dev);
        assert_eq!(loaded.thumbnail_cache_mib, 5);
        assert_eq!(loaded.trusted_proxies, ["::1/128".parse().unwrap()]);
        assert_eq!(loaded.base_url.unwrap().as_str(), "https://file.example/");
        let network = [
            "--trusted-proxy",
            "10.0.0.0/8,127.0.0.1",
            "--base-url",
            "https://flag.example",
        ];
        let loaded = load(&[&flags[..], &network].concat()).unwrap();
        assert_eq!(loaded.trusted_proxies.len(), 2);
        assert_eq!(loaded.base_url.unwrap().as_str(), "https://flag.example/");
        let loaded = load(&[&flags[..], &["--listen", "127.0.0.1:2"]].concat()).unwrap();
        assert_eq!(
            (loaded.listen.port(), loaded.release_channel),
            (2, ReleaseChannel::Beta)
        );
        assert!(loaded.database_url.starts_with("sqlite:/"));
    }

    #[test]
    fn unusable_options_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_str().unwrap();
        std::fs::create_dir_all(dir.path().join("music/inner")).unwrap();
        std::fs::write(dir.path().join("bad.toml"), "musicdir = 1").unwrap();
        let message = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|text| text.replace("BASE", base)).collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            load(&[&["--data-dir", &format!("{base}/data")], &arguments[..]].concat())
                .unwrap_err()
                .to_string()
        };
        assert!(message(&["--music-dir", "BASE/none"]).contains("music directory"));
        assert!(
            message(&["--music-dir", "BASE/music", "--music-dir", "BASE/music/inner"]).contains("overlap")
        );
        assert!(message(&["--config", "BASE/bad.toml"]).contains("musicdir"));
        assert!(message(&["--config", "BASE/none.toml"]).contains("none.toml"));
        assert!(message(&["--database-url", "mysql://x"]).contains("sqlite:"));
        assert!(message(&["--plugin-dir", "BASE/none"]).contains("plugin directory"));
        assert!(message(&["--trusted-proxy", "10.0.0.0/40"]).contains("10.0.0.0/40"));
        assert!(message(&["--base-url", "ftp://x"]).contains("ftp://x"));
        std::fs::write(dir.path().join("empty.toml"), "setup-token = \"\"").unwrap();
        for empty in [
            &["--setup-token", ""][..],
            &["--setup-token", "  "],
            &["--config", "BASE/empty.toml"],
        ] {
            assert!(message(empty).contains("setup token"), "{empty:?}");
        }
        assert_eq!(
            message(&["--release-channel", "nightly"]),
            "release channel `nightly` does not exist; there are stable, beta, dev"
        );
    }
}
