//! What the plugin host is started with: settings, reuse of instances, built-in plugins; and the errors of its start.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::compile::Compiler;
use crate::limits;
use crate::limits::LimitCaps;
use svc_domain::kind::MediaKind;

/// Settings of the plugin host.
#[derive(Debug, Clone)]
pub struct PluginSettings {
    /// Directory of compiled code; created if missing, accessible to the server's user only.
    pub cache_dir: PathBuf,
    /// The installation's key that authenticates compiled code; stored outside of `cache_dir`.
    pub cache_key: [u8; 32],
    /// Where components are compiled.
    pub compiler: Compiler,
    /// Directory with the operator's plugins, `*.wasm`.
    pub plugin_dir: Option<PathBuf>,
    /// Decisions of administrators, as of the start.
    pub choices: PluginChoices,
    /// Media kinds with a root; `None` for a command that reads single files of any kind. A built-in plugin for other
    /// kinds only is not compiled: it is `idle`.
    pub kinds_in_use: Option<BTreeSet<MediaKind>>,
    /// How long instances are reused.
    pub isolation: IsolationPolicy,
    /// Maximum limits per file.
    pub caps: LimitCaps,
}

/// Decisions of administrators, which may change while the server runs.
#[derive(Debug, Clone, Default)]
pub struct PluginChoices {
    /// Ids of disabled plugins.
    pub disabled: BTreeSet<String>,
    /// Values of settings that differ from their defaults, by plugin id and key.
    pub values: BTreeMap<String, BTreeMap<String, Json>>,
    /// Uploaded plugins, in the order of loading.
    pub uploaded: Vec<UploadedPlugin>,
    /// Id of the plugin that defined a kind last.
    pub kind_owners: BTreeMap<MediaKind, String>,
}

/// A plugin that an administrator uploaded.
#[derive(Debug, Clone)]
pub struct UploadedPlugin {
    /// Its id, for messages about a component that cannot be read.
    pub id: String,
    /// The component.
    pub component: Arc<[u8]>,
    /// The permissions that it has; nothing of a plugin that lacks one runs. `None` before anyone was asked.
    pub granted: Option<BTreeSet<String>>,
    /// The public key of its signature.
    pub signed_by: Option<String>,
}

/// How many files an instance reads before it is replaced. Independent of it, an instance that failed or has much
/// memory is not reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Unlimited: fastest.
    Worker,
    /// This many files.
    Recycle(u32),
    /// One file: no state can leak from a file to the next.
    PerFile,
}

/// Isolation by origin of the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsolationPolicy {
    /// Built-in plugins; tests verify that they keep no state.
    pub built_in: Isolation,
    /// Plugins of the plugin directory.
    pub third_party: Isolation,
}

impl Default for IsolationPolicy {
    fn default() -> Self {
        // 64 files share the cost of one instance: an eighth more time than without recycling.
        Self {
            built_in: Isolation::Worker,
            third_party: Isolation::Recycle(64),
        }
    }
}

/// A built-in plugin.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// Name in messages, such as `music`.
    pub name: &'static str,
    /// The component.
    pub component: Component,
}

/// A component in the program's own data.
#[derive(Debug, Clone, Copy)]
pub enum Component {
    /// Uncompressed.
    Plain(&'static [u8]),
    /// Raw deflate, as the build script embeds it.
    Deflated(&'static [u8]),
}

impl Component {
    /// The uncompressed component.
    ///
    /// # Errors
    /// It is damaged.
    pub fn bytes(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain(bytes) => Ok(bytes.to_vec()),
            Self::Deflated(bytes) => miniz_oxide::inflate::decompress_to_vec(bytes).map_err(io::Error::other),
        }
    }
}

/// Why the plugin host could not start. A plugin that cannot be loaded is not such a reason: it is listed as failed.
#[derive(Debug, thiserror::Error)]
pub enum PluginHostError {
    /// The engine does not support this machine.
    #[error("WebAssembly cannot be run on this machine: {0}")]
    Engine(String),
    /// The directory of compiled code cannot be used.
    #[error("the directory of compiled plugins, {path}, cannot be used: {source}", path = path.display())]
    CacheDir {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The plugin directory cannot be read.
    #[error("the plugin directory {path} cannot be read: {source}", path = path.display())]
    PluginDir {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The plugin directory has more files than the limit.
    #[error("the plugin directory {path} holds more than {max} `.wasm` files", path = path.display(), max = limits::PLUGIN_FILES)]
    TooManyPlugins {
        /// The directory.
        path: PathBuf,
    },
    /// The thread that interrupts guests cannot be started.
    #[error("the plugin clock could not be started: {0}")]
    Clock(io::Error),
}
