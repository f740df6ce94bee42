//! Why the server cannot start.

use crate::cloud::CloudStartError;
use svc_identity::error::ServiceError;
use svc_platform::data_dir::DataDirError;
use svc_platform::secret_key::SecretKeyError;
use svc_plugin_host::PluginHostError;
use svc_store::StoreError;

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A service could not be built.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A secret key cannot be used.
    #[error(transparent)]
    Key(#[from] SecretKeyError),
    /// The plugin host cannot start.
    #[error(transparent)]
    Plugins(#[from] PluginHostError),
    /// The configured cloud cannot be used.
    #[error(transparent)]
    Cloud(#[from] CloudStartError),
    /// The database is empty or belongs to another installation.
    #[error(
        "the data directory belongs to the installation {expected}, but the database {found}; restore the database, \
         or use another data directory for a new installation"
    )]
    OtherDatabase {
        /// Ids in the data directory.
        expected: String,
        /// Description of the database's id.
        found: String,
    },
    /// An error of the operating system.
    #[error("{0}")]
    System(#[from] std::io::Error),
    /// Loading the plugins panicked.
    #[error("the plugins could not be loaded: {0}")]
    Thread(#[from] tokio::task::JoinError),
}
