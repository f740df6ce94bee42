//! The options of the TOML file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A file of options that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("configuration file {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is not TOML, or holds something else than options.
    #[error("configuration file {}: {error}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: Box<toml::de::Error>,
    },
}

/// The file's content. The names are those of the flags; directories are lists.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FileOptions {
    pub(super) data_dir: Option<PathBuf>,
    pub(super) listen: Option<SocketAddr>,
    pub(super) music_dirs: Vec<PathBuf>,
    pub(super) photos_dirs: Vec<PathBuf>,
    pub(super) movies_dirs: Vec<PathBuf>,
    pub(super) tv_dirs: Vec<PathBuf>,
    pub(super) database_url: Option<String>,
    pub(super) plugin_dir: Option<PathBuf>,
    pub(super) dev: bool,
    pub(super) kiosk: bool,
    pub(super) setup_token: Option<String>,
    pub(super) release_channel: Option<String>,
    pub(super) trusted_proxies: Vec<String>,
    pub(super) base_url: Option<String>,
    pub(super) thumbnail_cache_mib: Option<u64>,
}

impl FileOptions {
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let unreadable = |error| FileError::Unreadable {
            path: path.to_owned(),
            error,
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        toml::from_str(&text).map_err(|error| FileError::Malformed {
            path: path.to_owned(),
            error: Box::new(error),
        })
    }
}
