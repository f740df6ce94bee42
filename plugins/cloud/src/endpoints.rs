//! The discovery document as it is kept: which features the cloud has, and where.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use svc_plugin_api::cloud::{CloudError, clock, state};
use svc_plugin_api::log;

use crate::forms::Result;
use crate::unique;

const STATE: &str = "discovery";
/// Seconds that a document is kept at most.
const LONGEST: u64 = 24 * 60 * 60;

/// What the cloud says of one version.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoints {
    /// The origin that it is of; set when it is kept.
    #[serde(default)]
    pub origin: String,
    /// Whether this call requested it, so that the cloud has no newer one.
    #[serde(skip)]
    pub is_current: bool,
    #[serde(default)]
    pub features: Vec<String>,
    #[serde(default, deserialize_with = "unique::map")]
    pub endpoints: BTreeMap<String, String>,
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

/// The kept document of this origin, if it may still be used.
pub fn kept(origin: &str) -> Option<Endpoints> {
    let kept = serde_json::from_slice::<Kept>(&state::get(STATE)?).ok()?;
    // The operator may have configured another cloud since.
    (kept.endpoints.origin == origin && clock::now() < kept.until).then_some(kept.endpoints)
}

/// Keeps a document for so many seconds.
pub fn keep(endpoints: &Endpoints, seconds: u64) {
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
