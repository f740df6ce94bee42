//! Errors of the kit: each says what to do next.

use std::io;
use std::path::{Path, PathBuf};

use svc_plugin_host::{InspectError, ManifestError, PluginHostError};

use crate::refusal::Refusal;

/// Why a verb could not do its work. That a plugin does not pass a check or a test is a result, not an error.
#[derive(Debug, thiserror::Error)]
pub enum KitError {
    /// A file or directory cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A program that the build needs is not installed.
    #[error("{tool} is not installed")]
    ToolMissing {
        /// Its name for users.
        tool: &'static str,
        /// How to install it.
        next: String,
    },
    /// A program failed; it has written the reason to standard error.
    #[error("{tool} failed: {status}")]
    ToolFailed {
        /// The program with its first argument.
        tool: String,
        /// Its exit status.
        status: String,
        /// What it wrote to standard output, which is otherwise not shown.
        output: String,
    },
    /// Cargo finds no crate of the SDK.
    #[error("cargo does not find the SDK, the crate `svc-plugin-api`")]
    SdkMissing,
    /// No language is recognized in the folder.
    #[error("{path}: no plugin is recognized here", path = path.display())]
    NoProject {
        /// The folder.
        path: PathBuf,
    },
    /// The output of a compiler is not what a component can be made of.
    #[error("no component can be made of the module: {reason}")]
    Module {
        /// From the encoder.
        reason: String,
        /// What to do.
        next: String,
    },
    /// The manifest is rejected.
    #[error("{path}: {source}", path = path.display())]
    Manifest {
        /// The file with the manifest.
        path: PathBuf,
        /// Why.
        source: ManifestError,
    },
    /// The file is not a plugin.
    #[error("{path}: {source}", path = path.display())]
    NotAPlugin {
        /// The file.
        path: PathBuf,
        /// Why.
        source: InspectError,
    },
    /// The plugin cannot be loaded.
    #[error("{path} cannot be loaded: {reason}", path = path.display())]
    NotLoaded {
        /// The file.
        path: PathBuf,
        /// The state and its reason.
        reason: String,
    },
    /// The plugin host cannot start.
    #[error(transparent)]
    Host(#[from] PluginHostError),
    /// An argument has a value that cannot be used.
    #[error("{what}")]
    Argument {
        /// What is wrong with it.
        what: String,
        /// What to do.
        next: String,
    },
    /// The server cannot be reached, or its answer not be read.
    #[error("{server} does not answer: {reason}")]
    Unreachable {
        /// Its URL.
        server: String,
        /// Why.
        reason: String,
    },
    /// The server refused.
    #[error("{0}")]
    Refused(Refusal),
    /// A key or a signature cannot be used.
    #[error("{path}: {reason}", path = path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl KitError {
    /// An error of a file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// The name of the error for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "file",
            Self::ToolMissing { .. } => "tool_missing",
            Self::ToolFailed { .. } => "tool_failed",
            Self::SdkMissing => "sdk_missing",
            Self::NoProject { .. } => "no_project",
            Self::Module { .. } => "module",
            Self::Manifest { .. } => "manifest",
            Self::NotAPlugin { .. } => "not_a_plugin",
            Self::NotLoaded { .. } => "not_loaded",
            Self::Host(_) => "host",
            Self::Argument { .. } => "argument",
            Self::Unreachable { .. } => "unreachable",
            Self::Refused(_) => "refused",
            Self::Key { .. } => "key",
        }
    }

    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Self::File { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "check the path; `svc plugin build` writes the component to `dist/`".to_owned()
            }
            Self::File { .. } => "check the path and its permissions".to_owned(),
            Self::ToolMissing { next, .. } | Self::Module { next, .. } | Self::Argument { next, .. } => {
                next.clone()
            }
            Self::ToolFailed { output, .. } if output.trim().is_empty() => {
                "its messages are above; run `svc plugin build` again when they are solved".to_owned()
            }
            Self::ToolFailed { output, .. } => format!("it wrote:\n{}", output.trim_end()),
            Self::SdkMissing => {
                "if the crate is not on crates.io in this version, use the folder `plugin-api` of a whole checkout of svc: \
                 `svc-plugin-api = { path = \"CHECKOUT/plugin-api\" }` in Cargo.toml, which `svc plugin new … --sdk \
                 CHECKOUT/plugin-api` writes"
                    .to_owned()
            }
            Self::NoProject { .. } => {
                "name a folder with `plugin.toml` and a Cargo.toml, *.py, package.json or *.c; \
                 `svc plugin new NAME --lang rust --kind KIND` makes one; a module of another compiler needs \
                 `svc plugin build --module FILE --manifest plugin.toml -o OUT`"
                    .to_owned()
            }
            Self::Manifest { .. } => {
                "correct each place that the message names; it says what is expected there".to_owned()
            }
            Self::NotAPlugin { source, .. } => match source {
                InspectError::CoreModule => {
                    "`svc plugin build --module FILE --manifest plugin.toml -o OUT` makes a plugin of it"
                        .to_owned()
                }
                InspectError::Manifest(_) => {
                    "`svc plugin build --module FILE --manifest plugin.toml -o OUT` embeds a manifest"
                        .to_owned()
                }
                InspectError::NotWasm(_) | InspectError::Damaged(_) => {
                    "build it again with `svc plugin build`".to_owned()
                }
            },
            Self::NotLoaded { path, .. } => {
                format!("`svc plugin check {}` says what to change", path.display())
            }
            Self::Host(_) => "check the directories that the message names".to_owned(),
            Self::Unreachable { .. } => {
                "check that the server runs, and its URL: `--server URL` or SVC_SERVER".to_owned()
            }
            Self::Refused(refusal) => refusal.next(),
            Self::Key { .. } => {
                "`svc plugin keygen FILE` makes a key, `svc plugin sign FILE --key KEY` a signature"
                    .to_owned()
            }
        }
    }
}
