//! Options about the cloud: which service vouches for accounts, and what the server may reach for it.
//!
//! At most one service is configured: a cloud by `cloud-url`, or a provider of OpenID Connect by `oidc-issuer`. A file of
//! `cloud-plugin` replaces the plugin that talks to it.

use std::fmt;
use std::path::{Path, PathBuf};

use url::{Host, Url};

use crate::config::ConfigError;
use crate::config::cloud_mode::CloudMode;
use crate::config::file::FileOptions;
use crate::config::oidc_policy::policy;
use crate::config::options::CloudOptions;
use svc_cloud_client::is_loopback;
use svc_identity::oidc::OidcPolicy;

/// Bytes of a file with a client secret; more is another file.
const SECRET_BYTES: u64 = 4 * 1024;
/// Bytes of a file of certificates: those of a whole system have 200 KiB.
const CERTIFICATE_BYTES: u64 = 1024 * 1024;

/// Why the options about the cloud were refused.
#[derive(Debug, thiserror::Error)]
pub enum CloudOptionError {
    /// Two services are configured.
    #[error(
        "cloud: `cloud-url` and `oidc-issuer` exclude each other, because one service vouches for accounts; remove one of \
         them"
    )]
    TwoServices,
    /// An option is useless without another.
    #[error("cloud: `{given}` needs `{missing}`; give both, or none of them")]
    Incomplete {
        /// The option that was given.
        given: &'static str,
        /// The one that was not.
        missing: &'static str,
    },
    /// The address of a service is unusable.
    #[error("cloud: `{option}` {url} {reason}")]
    Url {
        /// The option.
        option: &'static str,
        /// As given, without a user name.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file cannot be used.
    #[error("cloud: the file of `{option}`, {}, {reason}", path.display())]
    File {
        /// The option.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A value is unusable.
    #[error("cloud: `{option}` {reason}")]
    Value {
        /// The option.
        option: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

type Result<T> = std::result::Result<T, CloudOptionError>;

/// The service that vouches for accounts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CloudService {
    /// None, or one that only the plugin knows.
    #[default]
    None,
    /// A cloud that speaks the documented protocol: its origin.
    Cloud(Url),
    /// A provider of OpenID Connect.
    Oidc(OidcOptions),
}

/// A client of a provider of OpenID Connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcOptions {
    /// Exactly as given: providers compare it letter by letter.
    pub issuer: String,
    /// The issuer, parsed.
    pub issuer_url: Url,
    /// Id of the client.
    pub client_id: String,
    /// Secret of the client; a public client has none.
    pub client_secret: Option<ClientSecret>,
    /// The claim with the groups of a user.
    pub groups_claim: Option<String>,
    /// What accounts of the provider may do.
    pub policy: OidcPolicy,
}

/// The secret of a client, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSecret(String);

impl ClientSecret {
    /// For the plugin alone.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ClientSecret")
    }
}

/// The options about the cloud, checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CloudConfig {
    /// The configured service.
    pub service: CloudService,
    /// The plugin that talks to it; the built-in one if `None`.
    pub plugin: Option<PathBuf>,
    /// Further origins that the plugin may reach.
    pub origins: Vec<Url>,
    /// Names of hosts that may have private addresses.
    pub private_hosts: Vec<String>,
    /// File of certificates of authorities in PEM.
    pub ca_file: Option<PathBuf>,
}

impl CloudConfig {
    /// Checks the options of the command line over those of the file.
    pub(super) fn load(given: CloudOptions, file: CloudOptions) -> Result<Self> {
        let options = CloudOptions {
            cloud_url: given.cloud_url.or(file.cloud_url),
            oidc_issuer: given.oidc_issuer.or(file.oidc_issuer),
            oidc_client_id: given.oidc_client_id.or(file.oidc_client_id),
            oidc_client_secret_file: given.oidc_client_secret_file.or(file.oidc_client_secret_file),
            oidc_groups_claim: given.oidc_groups_claim.or(file.oidc_groups_claim),
            oidc_default_role: given.oidc_default_role.or(file.oidc_default_role),
            oidc_role_map: given.oidc_role_map.or(file.oidc_role_map),
            oidc_button_label: given.oidc_button_label.or(file.oidc_button_label),
            cloud_plugin: given.cloud_plugin.or(file.cloud_plugin),
            cloud_origins: super::first_given(given.cloud_origins, file.cloud_origins),
            cloud_private_hosts: super::first_given(given.cloud_private_hosts, file.cloud_private_hosts),
            cloud_ca_file: given.cloud_ca_file.or(file.cloud_ca_file),
        };
        let config = Self {
            service: service(&options)?,
            plugin: options.cloud_plugin,
            origins: options
                .cloud_origins
                .iter()
                .map(|text| origin("cloud-origins", text))
                .collect::<Result<_>>()?,
            private_hosts: options
                .cloud_private_hosts
                .iter()
                .map(|text| host_name(text))
                .collect::<Result<_>>()?,
            ca_file: options.cloud_ca_file,
        };
        if config.mode() == CloudMode::None {
            let exceptions = [
                ("cloud-origins", !config.origins.is_empty()),
                ("cloud-private-hosts", !config.private_hosts.is_empty()),
                ("cloud-ca-file", config.ca_file.is_some()),
            ];
            if let Some((given, _)) = exceptions.into_iter().find(|(_, is_given)| *is_given) {
                let missing = "cloud-url`, `oidc-issuer` or `cloud-plugin";
                return Err(CloudOptionError::Incomplete { given, missing });
            }
        }
        if let Some(path) = &config.plugin {
            // Read again, and checked, when the server starts.
            usable_file("cloud-plugin", path, u64::MAX)?;
        }
        config.ca_certificates()?;
        Ok(config)
    }

    /// Reads the options about the cloud alone, for a command that needs no data directory.
    ///
    /// # Errors
    /// As for all options.
    pub fn read(file: Option<&Path>, given: CloudOptions) -> std::result::Result<Self, ConfigError> {
        let file = file.map(FileOptions::read).transpose()?.unwrap_or_default();
        Ok(Self::load(given, file.cloud)?)
    }

    /// What accounts of the provider may do; the defaults without one.
    pub fn oidc_policy(&self) -> OidcPolicy {
        match &self.service {
            CloudService::Oidc(oidc) => oidc.policy.clone(),
            CloudService::None | CloudService::Cloud(_) => OidcPolicy::default(),
        }
    }

    /// How the server runs.
    pub fn mode(&self) -> CloudMode {
        match (&self.plugin, &self.service) {
            (Some(_), _) => CloudMode::Plugin,
            (None, CloudService::None) => CloudMode::None,
            (None, CloudService::Cloud(_)) => CloudMode::Cloud,
            (None, CloudService::Oidc(_)) => CloudMode::Oidc,
        }
    }

    /// The certificates of further authorities, in PEM.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn ca_certificates(&self) -> Result<Option<Vec<u8>>> {
        let read = |path: &PathBuf| {
            usable_file("cloud-ca-file", path, CERTIFICATE_BYTES)?;
            std::fs::read(path).map_err(|error| unusable("cloud-ca-file", path, error.to_string()))
        };
        self.ca_file.as_ref().map(read).transpose()
    }
}

fn service(options: &CloudOptions) -> Result<CloudService> {
    let oidc = [
        ("oidc-client-id", options.oidc_client_id.is_some()),
        (
            "oidc-client-secret-file",
            options.oidc_client_secret_file.is_some(),
        ),
        ("oidc-groups-claim", options.oidc_groups_claim.is_some()),
        ("oidc-default-role", options.oidc_default_role.is_some()),
        ("oidc-role-map", options.oidc_role_map.is_some()),
        ("oidc-button-label", options.oidc_button_label.is_some()),
    ];
    match (&options.cloud_url, &options.oidc_issuer) {
        (Some(_), Some(_)) => Err(CloudOptionError::TwoServices),
        (None, Some(issuer)) => Ok(CloudService::Oidc(provider(options, issuer)?)),
        (cloud, None) => {
            if let Some((given, _)) = oidc.into_iter().find(|(_, is_given)| *is_given) {
                let missing = "oidc-issuer";
                return Err(CloudOptionError::Incomplete { given, missing });
            }
            let cloud = cloud
                .as_deref()
                .map(|text| origin("cloud-url", text))
                .transpose()?;
            Ok(cloud.map_or(CloudService::None, CloudService::Cloud))
        }
    }
}

fn provider(options: &CloudOptions, issuer: &str) -> Result<OidcOptions> {
    let client_id = options
        .oidc_client_id
        .clone()
        .ok_or(CloudOptionError::Incomplete {
            given: "oidc-issuer",
            missing: "oidc-client-id",
        })?;
    for (option, value) in [
        ("oidc-client-id", Some(&client_id)),
        ("oidc-groups-claim", options.oidc_groups_claim.as_ref()),
        ("oidc-button-label", options.oidc_button_label.as_ref()),
    ] {
        if value.is_some_and(|value| value.trim().is_empty()) {
            let reason = "is empty".to_owned();
            return Err(CloudOptionError::Value { option, reason });
        }
    }
    let secret = options.oidc_client_secret_file.as_deref().map(client_secret);
    Ok(OidcOptions {
        issuer: issuer.trim().to_owned(),
        issuer_url: address("oidc-issuer", issuer)?,
        client_id,
        client_secret: secret.transpose()?,
        groups_claim: options.oidc_groups_claim.clone(),
        policy: policy(options).map_err(|(option, reason)| CloudOptionError::Value { option, reason })?,
    })
}

/// The secret in a file: one line, whose end does not count.
fn client_secret(path: &Path) -> Result<ClientSecret> {
    const OPTION: &str = "oidc-client-secret-file";
    usable_file(OPTION, path, SECRET_BYTES)?;
    let text = std::fs::read_to_string(path).map_err(|error| unusable(OPTION, path, error.to_string()))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.trim().is_empty() || secret.chars().any(char::is_control) {
        let reason = "holds no secret: expected one line with the client secret".to_owned();
        return Err(unusable(OPTION, path, reason));
    }
    Ok(ClientSecret(secret.to_owned()))
}

fn unusable(option: &'static str, path: &Path, reason: String) -> CloudOptionError {
    CloudOptionError::File {
        option,
        path: path.to_owned(),
        reason,
    }
}

fn usable_file(option: &'static str, path: &Path, most: u64) -> Result<()> {
    let wrong = |reason: String| unusable(option, path, reason);
    let metadata = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !metadata.is_file() {
        return Err(wrong("is not a file".to_owned()));
    }
    if metadata.len() > most {
        return Err(wrong(format!(
            "has {} bytes, at most {most} are expected",
            metadata.len()
        )));
    }
    Ok(())
}

/// An address with https, or with http of this machine.
fn address(option: &'static str, text: &str) -> Result<Url> {
    let text = text.trim();
    // Never repeated: it may hold a password.
    let shown = if text.contains('@') { "" } else { text };
    let wrong = |reason| CloudOptionError::Url {
        option,
        url: shown.to_owned(),
        reason,
    };
    let url = Url::parse(text).map_err(|_| wrong("is no URL such as https://cloud.example"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("must not hold credentials"));
    }
    match url.scheme() {
        "https" if url.has_host() => {}
        "http" if is_loopback(&url) => {}
        _ => {
            return Err(wrong(
                "is not encrypted: use https; http is for addresses of this machine, such as http://127.0.0.1:8080",
            ));
        }
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must not have a query or a fragment"));
    }
    Ok(url)
}

/// As [`address`], without a path.
fn origin(option: &'static str, text: &str) -> Result<Url> {
    let url = address(option, text)?;
    if url.path() == "/" {
        return Ok(url);
    }
    Err(CloudOptionError::Url {
        option,
        url: url.into(),
        reason: "must end after host and port",
    })
}

/// The name of a host, without scheme and port.
fn host_name(text: &str) -> Result<String> {
    let name = text.trim().trim_end_matches('.');
    match Host::parse(name) {
        Ok(Host::Domain(name)) => Ok(name),
        _ => Err(CloudOptionError::Value {
            option: "cloud-private-hosts",
            reason: format!(
                "`{name}` is not the name of a host such as keycloak.lan; an address in `cloud-url` or `oidc-issuer` needs \
                 no exception"
            ),
        }),
    }
}

#[cfg(test)]
#[path = "cloud_tests.rs"]
mod tests;
