//! The discovery document: which features the cloud has, and where. It is kept in the state for as long as the cloud
//! allows, and at most a day.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use svc_plugin_api::cloud::http::Response;
use svc_plugin_api::cloud::{CloudError, clock, state};
use svc_plugin_api::{log, settings};

use crate::exchange::{self, Result};
use crate::releases;

const PATH: &str = "/.well-known/svc-cloud";
/// The version of the protocol that this plugin knows.
const VERSION: &str = "1";
const STATE: &str = "discovery";
/// Seconds that a document is kept at most.
const LONGEST: u64 = 24 * 60 * 60;

#[derive(Deserialize)]
struct Document {
    versions: BTreeMap<String, serde_json::Value>,
}

/// What the cloud says of one version.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoints {
    /// The origin that it is of; set when it is kept.
    #[serde(default)]
    pub origin: String,
    #[serde(default)]
    features: Vec<String>,
    #[serde(default)]
    endpoints: BTreeMap<String, String>,
    #[serde(default)]
    pub release_keys: Vec<ReleaseKey>,
}

/// A key that signs releases.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseKey {
    pub key: String,
    pub signed_by: Option<String>,
    pub signature: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    until: u64,
    endpoints: Endpoints,
}

impl Endpoints {
    pub fn accounts() -> Result<Self> {
        Self::with_feature("accounts")
    }

    pub fn invitations() -> Result<Self> {
        Self::with_feature("invitations")
    }

    pub fn licensing() -> Result<Self> {
        Self::with_feature("licensing")
    }

    pub fn releases() -> Result<Self> {
        Self::with_feature("releases")
    }

    fn with_feature(feature: &str) -> Result<Self> {
        let endpoints = current()?;
        let has_it = endpoints.features.iter().any(|found| found == feature);
        has_it.then_some(endpoints).ok_or(CloudError::Unsupported)
    }

    fn url(&self, name: &str) -> Result<&str> {
        let url = self.endpoints.get(name).map(String::as_str);
        url.ok_or(CloudError::Unavailable)
    }

    pub fn account(&self) -> Result<&str> {
        self.url("account")
    }

    pub fn servers(&self) -> Result<&str> {
        self.url("servers")
    }

    pub fn invitations_url(&self) -> Result<&str> {
        self.url("invitations")
    }

    pub fn invitation_statuses(&self) -> Result<&str> {
        self.url("invitationStatuses")
    }

    pub fn bound_invitations(&self) -> Result<&str> {
        self.url("boundInvitations")
    }

    pub fn subscription(&self) -> Result<&str> {
        self.url("subscription")
    }

    pub fn release_channels(&self) -> Result<&str> {
        self.url("releaseChannels")
    }
}

/// The kept document of the configured cloud, or the one that it has now.
fn current() -> Result<Endpoints> {
    let origin = settings::text("url").unwrap_or_default();
    let origin = origin.trim_end_matches('/');
    if origin.is_empty() {
        log::error("the setting `url` is empty");
        return Err(CloudError::Unavailable);
    }
    let kept = state::get(STATE).and_then(|kept| serde_json::from_slice::<Kept>(&kept).ok());
    // The operator may have configured another cloud since.
    let kept = kept.filter(|kept| kept.endpoints.origin == origin && clock::now() < kept.until);
    match kept {
        Some(kept) => Ok(kept.endpoints),
        None => fetch(origin),
    }
}

fn fetch(origin: &str) -> Result<Endpoints> {
    let response = exchange::document(&format!("{origin}{PATH}"))?;
    let mut document: Document = exchange::read(&response)?;
    let version = document.versions.remove(VERSION).ok_or_else(|| {
        log::warn("the cloud does not speak version 1 of the protocol");
        CloudError::Unavailable
    })?;
    let mut endpoints: Endpoints = serde_json::from_value(version).map_err(|_| CloudError::Unavailable)?;
    origin.clone_into(&mut endpoints.origin);
    let prefix = format!("{origin}/");
    if !endpoints.endpoints.values().all(|url| url.starts_with(&prefix)) {
        log::warn("the discovery document of the cloud names an address of another origin");
        return Err(CloudError::Unavailable);
    }
    releases::trust(&endpoints);
    keep(&endpoints, max_age(&response));
    Ok(endpoints)
}

fn keep(endpoints: &Endpoints, seconds: u64) {
    if seconds == 0 {
        return;
    }
    let kept = Kept {
        until: clock::now().saturating_add(seconds.min(LONGEST) * 1000),
        endpoints: endpoints.clone(),
    };
    let stored = serde_json::to_vec(&kept).map_err(|error| error.to_string());
    if let Err(error) = stored.and_then(|kept| state::set(STATE, Some(&kept))) {
        log::warn(&format!("the discovery document is not kept: {error}"));
    }
}

/// Reads the document again at the next call.
pub fn forget() {
    if let Err(error) = state::set(STATE, None) {
        log::warn(&format!("the discovery document is not removed: {error}"));
    }
}

/// Seconds for which a response may be kept; 0 if it does not say.
fn max_age(response: &Response) -> u64 {
    let control = response.header("Cache-Control").unwrap_or_default();
    let directives = control
        .split(',')
        .map(|directive| directive.trim().to_ascii_lowercase());
    let directives: Vec<String> = directives.collect();
    if directives
        .iter()
        .any(|directive| directive == "no-store" || directive == "no-cache")
    {
        return 0;
    }
    let ages = directives
        .iter()
        .filter_map(|directive| directive.strip_prefix("max-age="));
    ages.filter_map(|age| age.parse().ok()).next().unwrap_or_default()
}
