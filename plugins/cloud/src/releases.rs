//! The signatures of releases, and which keys are trusted: those of the first document that had some, and those that a
//! trusted key signs.

use data_encoding::BASE64;
use ed25519_dalek::{Signature, VerifyingKey};
use svc_plugin_api::cloud::{CloudError, Release, state};
use svc_plugin_api::log;

use crate::endpoints::{Endpoints, ReleaseKey};
use crate::forms::Result;
use crate::messages;

/// Keys that are trusted at most.
const KEYS: usize = 16;

/// A release that a trusted key signed for this channel.
pub fn verified(release: messages::Release, channel: &str, endpoints: &Endpoints) -> Result<Release> {
    let text = format!(
        "svc-release-v1\n{channel}\n{}\n{}\n",
        release.version, release.released_at
    );
    let is_valid = release.channel == channel
        && is_trusted(&release.key, endpoints)
        && is_signed(&text, &release.key, &release.signature);
    if !is_valid {
        log::warn("the newest release is not signed by a key that is trusted");
        return Err(CloudError::Unavailable);
    }
    Ok(Release {
        version: release.version,
        released_at: release.released_at,
    })
}

/// Whether releases of this key are trusted.
pub fn is_trusted(key: &str, endpoints: &Endpoints) -> bool {
    let keys = trusted(&endpoints.origin).unwrap_or_default();
    keys.iter().any(|trusted| trusted == key)
}

/// Trusts the keys of a discovery document, as far as they can be.
pub fn trust(endpoints: &Endpoints) {
    let offered = || endpoints.release_keys.iter().take(KEYS);
    let before = trusted(&endpoints.origin);
    let mut keys = match &before {
        None => offered().map(|offer| offer.key.clone()).collect(),
        Some(keys) => keys.clone(),
    };
    for offer in offered() {
        if keys.len() < KEYS && !keys.contains(&offer.key) && is_vouched_for(offer, &keys) {
            keys.push(offer.key.clone());
        }
    }
    if keys.is_empty() || before.as_ref() == Some(&keys) {
        return;
    }
    let stored = serde_json::to_vec(&keys).map_err(|error| error.to_string());
    if let Err(error) = stored.and_then(|keys| state::set(&name(&endpoints.origin), Some(&keys))) {
        log::warn(&format!("the keys of releases are not kept: {error}"));
    }
}

fn is_vouched_for(offer: &ReleaseKey, keys: &[String]) -> bool {
    let (Some(signer), Some(signature)) = (&offer.signed_by, &offer.signature) else {
        return false;
    };
    keys.contains(signer) && is_signed(&format!("svc-release-key-v1\n{}\n", offer.key), signer, signature)
}

/// The trusted keys of a cloud; `None` before its first document with keys. An empty list is none: nothing could ever be
/// added to it.
fn trusted(origin: &str) -> Option<Vec<String>> {
    let keys: Vec<String> = serde_json::from_slice(&state::get(&name(origin))?).ok()?;
    (!keys.is_empty()).then_some(keys)
}

fn name(origin: &str) -> String {
    format!("release-keys {origin}")
}

fn is_signed(text: &str, key: &str, signature: &str) -> bool {
    let key = BASE64.decode(key.as_bytes()).ok();
    let key = key.and_then(|key| VerifyingKey::from_bytes(&key.try_into().ok()?).ok());
    let signature = BASE64.decode(signature.as_bytes()).ok();
    let signature = signature.and_then(|signature| Signature::from_slice(&signature).ok());
    match (key, signature) {
        (Some(key), Some(signature)) => key.verify_strict(text.as_bytes(), &signature).is_ok(),
        _ => false,
    }
}
