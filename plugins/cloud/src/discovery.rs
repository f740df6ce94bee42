//! Discovery: reads the document in which the cloud says what it has. It is kept in the state for as long as the cloud
//! allows, and at most a day.

use serde::Deserialize;
use svc_plugin_api::cloud::CloudError;
use svc_plugin_api::cloud::http::Response;
use svc_plugin_api::{log, settings};

use crate::endpoints::{self, Endpoints};
use crate::forms::Result;
use crate::{exchange, releases, unique};

const PATH: &str = "/.well-known/svc-cloud";
/// Characters of an address of the document that are logged.
const ADDRESS_CHARS: usize = 200;

#[derive(Deserialize)]
struct Document {
    /// What it says of version 1; others may have any form.
    #[serde(rename = "versions", deserialize_with = "unique::version_1")]
    version: Option<Endpoints>,
}

/// The endpoints of tokens and accounts.
pub fn accounts() -> Result<Endpoints> {
    with_feature("accounts")
}

/// The endpoints of invitations.
pub fn invitations() -> Result<Endpoints> {
    with_feature("invitations")
}

/// The endpoint of the subscription.
pub fn licensing() -> Result<Endpoints> {
    with_feature("licensing")
}

/// The endpoints of releases.
pub fn releases() -> Result<Endpoints> {
    with_feature("releases")
}

fn with_feature(feature: &str) -> Result<Endpoints> {
    let endpoints = current()?;
    let has_it = endpoints.features.iter().any(|found| found == feature);
    has_it.then_some(endpoints).ok_or(CloudError::Unsupported)
}

/// The kept document of the configured cloud, or the one that it has now.
fn current() -> Result<Endpoints> {
    let origin = settings::text("url").unwrap_or_default();
    let origin = origin.trim_end_matches('/');
    if origin.is_empty() {
        log::error("the setting `url` is empty");
        return Err(CloudError::Unavailable);
    }
    match endpoints::kept(origin) {
        Some(endpoints) => Ok(endpoints),
        None => fetch(origin),
    }
}

/// Requests the document again, unless this call has: the kept one lacks what the cloud has published since.
pub fn renew(endpoints: &Endpoints) -> Result<()> {
    if endpoints.is_current {
        return Ok(());
    }
    fetch(&endpoints.origin).map(drop)
}

fn fetch(origin: &str) -> Result<Endpoints> {
    let response = exchange::document(&format!("{origin}{PATH}"))?;
    let document: Document = exchange::read(&response)?;
    let mut endpoints = document.version.ok_or_else(|| {
        log::warn("the cloud does not speak version 1 of the protocol");
        CloudError::Unavailable
    })?;
    origin.clone_into(&mut endpoints.origin);
    let prefix = format!("{origin}/");
    if let Some(other) = endpoints.endpoints.values().find(|url| !url.starts_with(&prefix)) {
        let other: String = other.chars().take(ADDRESS_CHARS).collect();
        log::warn(&format!(
            "the discovery document of the cloud names the address {other:?}, which is not of the origin {origin:?}"
        ));
        return Err(CloudError::Unavailable);
    }
    endpoints.is_current = true;
    releases::trust(&endpoints);
    endpoints::keep(&endpoints, max_age(&response));
    Ok(endpoints)
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
