//! What the server says about itself.

use svc_identity::error::Result;
use svc_identity::keys::KeyRing;
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_plugin_host::Plugins;
use svc_store::{Database, DatabaseVersion};

/// Facts of the build, each found by the build and none written by hand.
#[derive(Debug, Clone)]
pub struct BuildInfo {
    /// Version of this program.
    pub version: &'static str,
    /// The compiler, such as `rustc 1.95.0`.
    pub runtime: &'static str,
    /// The crypto library that is linked, such as `aws-lc-rs 1.19.0`.
    pub crypto: &'static str,
    /// Version of the engine that runs plugins.
    pub wasmtime: &'static str,
    /// `<release_channel>-<commit>-<YYMMDDTHHMMSS>`.
    pub build_tag: String,
}

/// Versions of the parts.
#[derive(Debug, Clone)]
pub struct Versions {
    /// Of the build.
    pub build: BuildInfo,
    /// The database.
    pub database: DatabaseVersion,
    /// Plugin ids with their versions, those that could be read.
    pub plugins: Vec<(String, String)>,
}

/// The server as its clients know it.
#[derive(Debug, Clone)]
pub struct InstanceInfo {
    /// 32 hexadecimal digits.
    pub instance_id: String,
    /// What people call it.
    pub server_name: String,
    /// It runs an unattended screen.
    pub kiosk_mode: bool,
}

/// Tells about the server.
#[derive(Debug, Clone)]
pub struct Server {
    database: Database,
    plugins: Plugins,
    setup: Setup,
    settings: Settings,
    keys: KeyRing,
    build: BuildInfo,
    kiosk_mode: bool,
}

impl Server {
    /// About this server.
    pub fn new(
        database: Database,
        plugins: Plugins,
        setup: Setup,
        settings: Settings,
        keys: KeyRing,
        build: BuildInfo,
        kiosk_mode: bool,
    ) -> Self {
        Self {
            database,
            plugins,
            setup,
            settings,
            keys,
            build,
            kiosk_mode,
        }
    }

    /// Whether there is an owner. Never touches the database.
    pub fn is_set_up(&self) -> bool {
        self.setup.is_done()
    }

    /// Whether the server can answer questions about media.
    ///
    /// # Errors
    /// Unavailable while the database does not answer.
    pub async fn check_ready(&self) -> Result<()> {
        Ok(self.database.ping().await?)
    }

    /// Who the server is. Never touches the database.
    pub fn instance(&self) -> InstanceInfo {
        InstanceInfo {
            instance_id: self.keys.current().instance_id.clone(),
            server_name: self.settings.server_name(),
            kiosk_mode: self.kiosk_mode,
        }
    }

    /// What the server is made of.
    ///
    /// # Errors
    /// The store's.
    pub async fn versions(&self) -> Result<Versions> {
        let manifests = self
            .plugins
            .list()
            .into_iter()
            .filter_map(|status| status.manifest);
        Ok(Versions {
            build: self.build.clone(),
            database: self.database.database_version().await?,
            plugins: manifests
                .map(|manifest| (manifest.id, manifest.version))
                .collect(),
        })
    }
}
