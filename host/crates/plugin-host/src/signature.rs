//! Detached signatures of plugins, with Ed25519.
//!
//! The signature of `a.wasm` is `a.wasm.sig`: TOML with the public key and the signature, in base64. What is signed is
//! the SHA-256 of the whole file, manifest included, behind a text that separates it from other uses of the key.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::limits::SIGNATURE_BYTES;

/// What precedes the digest in the signed bytes.
const PURPOSE: &[u8] = b"svc plugin signature, form 1\n";

/// The content of a signature file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginSignature {
    /// The public key in base64.
    pub key: String,
    /// The signature in base64.
    pub signature: String,
}

impl PluginSignature {
    /// Parses the content of a signature file.
    ///
    /// # Errors
    /// It is too long, not TOML, or has other keys.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > SIGNATURE_BYTES {
            return Err(format!("it has more than {SIGNATURE_BYTES} bytes"));
        }
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    /// Verifies that the key signed this component.
    ///
    /// # Errors
    /// Why it is not the signature of these bytes.
    pub fn verify(&self, component: &[u8]) -> Result<(), &'static str> {
        let decode = |text: &str| BASE64.decode(text.as_bytes()).ok();
        let (key, signature) = decode(&self.key)
            .zip(decode(&self.signature))
            .ok_or("key or signature is not base64")?;
        UnparsedPublicKey::new(&ED25519, key)
            .verify(&signed_message(component), &signature)
            .map_err(|_| "the file was changed after it was signed, or the signature is of another file")
    }
}

/// The bytes that are signed for a component.
pub fn signed_message(component: &[u8]) -> Vec<u8> {
    [PURPOSE, &Sha256::digest(component)].concat()
}

/// The path of the signature of a file.
pub fn signature_path(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".sig");
    path.into()
}

/// The key that signed a plugin file, if there is a signature beside it.
///
/// # Errors
/// The signature cannot be read or is not valid.
pub(super) fn verify_beside(file: &Path, component: &[u8]) -> Result<Option<String>, String> {
    let path = signature_path(file);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(format!(
                "its signature {} cannot be read: {error}",
                path.display()
            ));
        }
    };
    let invalid = |reason: &str| format!("its signature {} is not valid: {reason}", path.display());
    let signature = PluginSignature::parse(&text).map_err(|reason| invalid(&reason))?;
    signature.verify(component).map_err(invalid)?;
    Ok(Some(signature.key))
}
