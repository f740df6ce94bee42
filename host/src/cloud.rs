//! The configured cloud: its plugin, the settings of that, and the origins that it may reach.

use std::collections::BTreeMap;
use std::sync::Arc;

use svc_cloud_client::{EgressClient, EgressError, EgressOptions, PluginCloud, SealedState};
use svc_identity::Context;
use svc_identity::cloud::{Cloud, NoCloud};
use svc_identity::keys::KeyRing;
use svc_plugin_host::cloud::{
    CloudComponent, CloudFault, CloudHost, CloudPluginError, CloudSetting, CurrentSettings,
};
use svc_plugin_host::{BuiltIn, PluginSettings, Plugins};
use svc_store::PluginStateRepository;

use crate::config::{CloudConfig, CloudMode, CloudOptionError, CloudService};

/// The built-in plugins that vouch for accounts. They are loaded only if they are configured.
const OF_ACCOUNTS: [&str; 2] = ["cloud", "oidc"];

/// Why the configured cloud cannot be used at all. A cloud that cannot be reached is none of these.
#[derive(Debug, thiserror::Error)]
pub enum CloudStartError {
    /// An option cannot be used.
    #[error(transparent)]
    Option(#[from] CloudOptionError),
    /// The plugin cannot be used.
    #[error(transparent)]
    Plugin(#[from] CloudPluginError),
    /// The plugin fails at once.
    #[error("the cloud plugin does not start: {0}")]
    Fault(#[from] CloudFault),
    /// The rules for requests cannot be made.
    #[error("cloud: {0}")]
    Egress(#[from] EgressError),
    /// This build lacks the plugin.
    #[error("cloud: this build of the server has no plugin `{0}`; name the file of one with `cloud-plugin`")]
    NotBuiltIn(&'static str),
    /// Loading panicked.
    #[error("the cloud plugin could not be loaded: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// What [`connect`] needs of the server.
#[derive(Debug)]
pub struct CloudHostDependencies {
    /// For its machine code.
    pub settings: PluginSettings,
    /// All built-in plugins.
    pub built_in: &'static [BuiltIn],
    /// Keeps its state.
    pub state: PluginStateRepository,
    /// Seal its state, and have the id of the installation.
    pub keys: KeyRing,
    /// Clock, random numbers and tasks.
    pub context: Context,
}

/// The setting of a plugin in which it reads the id of the installation, which a factory reset replaces.
const INSTANCE_ID: &str = "instance-id";

/// What changes while the plugin is loaded.
#[derive(Debug)]
struct OfInstallation(KeyRing);

impl CurrentSettings for OfInstallation {
    fn current(&self, key: &str) -> Option<String> {
        (key == INSTANCE_ID).then(|| self.0.current().instance_id.clone())
    }
}

/// The built-in plugins that read files.
pub fn of_files(built_in: &[BuiltIn]) -> Vec<BuiltIn> {
    let of_files = built_in
        .iter()
        .filter(|plugin| !OF_ACCOUNTS.contains(&plugin.name));
    of_files.copied().collect()
}

/// Loads the plugin of the configured cloud and lists it among the others; nothing is loaded if none is configured.
/// Sends nothing.
///
/// # Errors
/// The plugin cannot be loaded.
pub async fn connect(
    config: &CloudConfig,
    parts: CloudHostDependencies,
    plugins: &Plugins,
) -> Result<Arc<dyn Cloud>, CloudStartError> {
    let mode = config.mode();
    let Some(component) = component(config, parts.built_in)? else {
        tracing::info!(mode = mode.as_str(), "no cloud is configured: nothing calls out");
        return Ok(Arc::new(NoCloud));
    };
    let context = parts.context;
    let host = CloudHost {
        http: Arc::new(EgressClient::new(&egress_options(config)?, context.tasks)?),
        state: Arc::new(SealedState::new(
            component.manifest().id.clone(),
            parts.state,
            parts.keys.clone(),
            context.random,
        )),
        settings: Arc::new(OfInstallation(parts.keys)),
        clock: context.clock,
    };
    let (settings, values) = (parts.settings, setting_values(config));
    let plugin = tokio::task::spawn_blocking(move || component.load(&settings, &values, host)).await??;
    let manifest = plugin.manifest();
    let (id, version) = (manifest.id.clone(), manifest.version.clone());
    plugins.attach(plugin.clone());
    let service = service_name(config).unwrap_or_default();
    let cloud = PluginCloud::start(plugin, &service).await?;
    tracing::info!(
        mode = mode.as_str(),
        service,
        plugin = id,
        version,
        "cloud configured; `svc doctor cloud` says whether it can be reached"
    );
    Ok(Arc::new(cloud))
}

/// The plugin of the mode; `None` without a cloud.
///
/// # Errors
/// It cannot be read, or is not one of its kind.
pub fn component(
    config: &CloudConfig,
    built_in: &[BuiltIn],
) -> Result<Option<CloudComponent>, CloudStartError> {
    let name = match (&config.plugin, config.mode()) {
        (Some(file), _) => return Ok(Some(CloudComponent::file(file)?)),
        (None, CloudMode::Oidc) => "oidc",
        (None, CloudMode::Cloud) => "cloud",
        (None, CloudMode::None | CloudMode::Plugin) => return Ok(None),
    };
    let found = built_in.iter().find(|plugin| plugin.name == name).copied();
    let found = found.ok_or(CloudStartError::NotBuiltIn(name))?;
    Ok(Some(CloudComponent::built_in(found)?))
}

/// What the plugin may reach.
///
/// # Errors
/// The certificates cannot be read.
pub fn egress_options(config: &CloudConfig) -> Result<EgressOptions, CloudOptionError> {
    let (mut urls, mut issuer) = (config.origins.clone(), None);
    match &config.service {
        CloudService::None => {}
        CloudService::Cloud(url) => urls.push(url.clone()),
        CloudService::Oidc(oidc) => issuer = Some(oidc.issuer_url.clone()),
    }
    Ok(EgressOptions {
        urls,
        issuer,
        private_hosts: config.private_hosts.clone(),
        ca_certificates: config.ca_certificates()?,
    })
}

/// What the plugin reads as its settings, besides the id of the installation.
pub fn setting_values(config: &CloudConfig) -> BTreeMap<String, CloudSetting> {
    let plain = |value: &str| CloudSetting {
        value: value.to_owned(),
        is_secret: false,
    };
    let mut values = BTreeMap::new();
    match &config.service {
        CloudService::None => {}
        CloudService::Cloud(url) => {
            values.insert("url".to_owned(), plain(&url.origin().ascii_serialization()));
        }
        CloudService::Oidc(oidc) => {
            values.insert("issuer".to_owned(), plain(&oidc.issuer));
            values.insert("client-id".to_owned(), plain(&oidc.client_id));
            values.extend(
                oidc.groups_claim
                    .as_deref()
                    .map(|claim| ("groups-claim".to_owned(), plain(claim))),
            );
            values.extend(oidc.client_secret.as_ref().map(|secret| {
                let setting = CloudSetting {
                    value: secret.secret().to_owned(),
                    is_secret: true,
                };
                ("client-secret".to_owned(), setting)
            }));
        }
    }
    values
}

/// The configured service, for people.
pub fn service_name(config: &CloudConfig) -> Option<String> {
    match &config.service {
        CloudService::None => None,
        CloudService::Cloud(url) => Some(url.origin().ascii_serialization()),
        CloudService::Oidc(oidc) => Some(oidc.issuer.clone()),
    }
}
