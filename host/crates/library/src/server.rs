//! Information about the server: identity, versions, readiness.

use svc_domain::time::Timestamp;
use svc_identity::error::Result;
use svc_identity::keys::KeyRing;
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_plugin_host::Plugins;
use svc_store::{Database, DatabaseVersion};

/// Facts of the build, all set by the build script.
#[derive(Debug, Clone)]
pub struct BuildInfo {
    /// Version of the server.
    pub version: &'static str,
    /// The compiler, such as `rustc 1.95.0`.
    pub runtime: &'static str,
    /// The linked crypto library, such as `aws-lc-rs 1.19.0`.
    pub crypto: &'static str,
    /// Version of wasmtime.
    pub wasmtime: &'static str,
    /// `<release_channel>-<commit>-<YYMMDDTHHMMSS>`.
    pub build_tag: String,
    /// When the sources were committed; `None` for a build outside of a checkout.
    pub committed_at: Option<Timestamp>,
}

/// Versions of all components.
#[derive(Debug, Clone)]
pub struct Versions {
    /// Facts of the build.
    pub build: BuildInfo,
    /// Version of the database.
    pub database: DatabaseVersion,
    /// Ids and versions of loaded plugins.
    pub plugins: Vec<(String, String)>,
}

/// Public facts about the instance.
#[derive(Debug, Clone)]
pub struct InstanceInfo {
    /// 32 hexadecimal digits.
    pub instance_id: String,
    /// Name of the server.
    pub server_name: String,
    /// Whether kiosk mode is enabled.
    pub kiosk_mode: bool,
}

/// The server information service.
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
    /// Creates the service.
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

    /// Whether an owner exists, without a database query.
    pub fn is_set_up(&self) -> bool {
        self.setup.is_done()
    }

    /// Checks that the database responds.
    ///
    /// # Errors
    /// Try later if it does not.
    pub async fn check_ready(&self) -> Result<()> {
        Ok(self.database.ping().await?)
    }

    /// Public facts about the instance, without a database query.
    pub fn instance(&self) -> InstanceInfo {
        InstanceInfo {
            instance_id: self.keys.current().instance_id.clone(),
            server_name: self.settings.server_name(),
            kiosk_mode: self.kiosk_mode,
        }
    }

    /// Versions of all components.
    ///
    /// # Errors
    /// Database errors.
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
