//! Reads the options from a TOML file, by the structs that also read flags and variables.

use std::path::{Path, PathBuf};

use clap::{Args as _, Command};
use toml::de::DeTable;

use super::options::{CloudOptions, MediaOptions, ServerOptions};

/// Why a TOML file was refused.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error("configuration file {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file is not TOML, or a value has the wrong type.
    #[error("configuration file {}: {error}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Names line and column.
        error: Box<toml::de::Error>,
    },
    /// The file sets an option that does not exist.
    #[error("configuration file {}, line {line}: unknown option `{name}`, expected one of {}", path.display(), names().join(", "))]
    UnknownOption {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// The key.
        name: String,
    },
}

/// The options that the file sets. Every command reads the same file, so it may hold options of other commands.
#[derive(Debug, Default)]
pub(super) struct FileOptions {
    pub(super) media: MediaOptions,
    pub(super) server: ServerOptions,
    pub(super) cloud: CloudOptions,
}

impl FileOptions {
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let text = std::fs::read_to_string(path).map_err(|error| FileError::Unreadable {
            path: path.to_owned(),
            error,
        })?;
        let malformed = |error| FileError::Malformed {
            path: path.to_owned(),
            error: Box::new(error),
        };
        // `#[serde(flatten)]` in one struct would lose the line of each error, and `deny_unknown_fields` in each of three
        // would refuse the options of the others.
        let options = Self {
            media: toml::from_str(&text).map_err(malformed)?,
            server: toml::from_str(&text).map_err(malformed)?,
            cloud: toml::from_str(&text).map_err(malformed)?,
        };
        let table = DeTable::parse(&text).map_err(malformed)?;
        let names = names();
        let keys = table.get_ref().keys();
        match keys
            .into_iter()
            .find(|key| !names.iter().any(|name| name == key.get_ref()))
        {
            None => Ok(options),
            Some(key) => Err(FileError::UnknownOption {
                path: path.to_owned(),
                line: text.get(..=key.span().start).unwrap_or_default().lines().count(),
                name: key.get_ref().to_string(),
            }),
        }
    }
}

/// The names of all options in the file.
pub(super) fn names() -> Vec<String> {
    let command = ServerOptions::augment_args(MediaOptions::augment_args(Command::new("svc")));
    let command = CloudOptions::augment_args(command);
    let names = command
        .get_arguments()
        .map(|option| option.get_id().as_str().replace('_', "-"));
    names.filter(|name| name != "config").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("svc.toml");
        std::fs::write(&path, text).unwrap();
        let message = FileOptions::read(&path).unwrap_err().to_string();
        assert!(message.contains("svc.toml"), "{message}");
        message
    }

    #[test]
    fn error_names_line_and_option() {
        let unknown = message("dev = true\n\nmusicdir = 1\n");
        assert!(unknown.contains("line 3: unknown option `musicdir`"), "{unknown}");
        assert!(unknown.contains("data-dir, music-dirs,"), "{unknown}");
        assert!(
            unknown.ends_with("cloud-private-hosts, cloud-ca-file"),
            "{unknown}"
        );
        assert!(message("config = \"other.toml\"").contains("unknown option `config`"));
        for wrong in [
            "thumbnail-cache-mib = \"x\"",
            "music-dirs = \"/music\"",
            "listen = \"nowhere\"",
        ] {
            let wrong = message(&format!("dev = true\n{wrong}\n"));
            assert!(wrong.contains("line 2"), "{wrong}");
        }
        assert!(message("dev = true\nx y").contains("line 2"));
    }
}
