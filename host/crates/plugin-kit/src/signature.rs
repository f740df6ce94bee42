//! `svc plugin keygen`, `sign`, `verify`: keys and signatures as files. The host defines their content.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use data_encoding::{BASE64, HEXLOWER};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use svc_plugin_host::{PluginSignature, signature_path, signed_message};

use crate::error::KitError;

/// Bytes of a private key.
pub const SEED_BYTES: usize = 32;
/// The first word of a key file.
const KEY_PREFIX: &str = "svc-plugin-key:";

/// A new key.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewKey {
    /// The file with the private key.
    pub file: PathBuf,
    /// The public key in base64.
    pub public_key: String,
}

/// A signature that was made or verified.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signed {
    /// The plugin.
    pub file: PathBuf,
    /// The file of the signature.
    pub signature: PathBuf,
    /// The public key in base64.
    pub public_key: String,
    /// SHA-256 of the plugin in hexadecimal.
    pub digest: String,
    /// Whether the signature is that of this key and this file.
    pub valid: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Writes a private key made of random bytes; only the user may read the file.
///
/// # Errors
/// The file exists or cannot be written.
pub fn create_key(file: &Path, seed: &[u8; SEED_BYTES]) -> Result<NewKey, KitError> {
    let pair = pair(file, seed)?;
    let mut options = OpenOptions::new();
    let mut output = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => KitError::Argument {
                what: format!("{} exists, and a key is never overwritten", file.display()),
                next: "choose another name; without the old key no server takes your next version unasked"
                    .to_owned(),
            },
            _ => KitError::file(file)(error),
        })?;
    writeln!(output, "{KEY_PREFIX}{}", BASE64.encode(seed)).map_err(KitError::file(file))?;
    Ok(NewKey {
        file: file.to_owned(),
        public_key: BASE64.encode(pair.public_key().as_ref()),
    })
}

/// Signs a plugin.
///
/// # Errors
/// The plugin or the key cannot be read, or the signature not be written.
pub fn sign(plugin: &Path, key: &Path) -> Result<Signed, KitError> {
    let text = fs::read_to_string(key).map_err(KitError::file(key))?;
    let encoded = text.trim().strip_prefix(KEY_PREFIX);
    let seed = encoded.and_then(|encoded| BASE64.decode(encoded.as_bytes()).ok());
    let seed = seed.ok_or_else(|| KitError::Key {
        path: key.to_owned(),
        reason: "it is not a private key of `svc plugin keygen`".to_owned(),
    })?;
    let pair = pair(key, &seed)?;
    let component = fs::read(plugin).map_err(KitError::file(plugin))?;
    let public_key = BASE64.encode(pair.public_key().as_ref());
    let signature = BASE64.encode(pair.sign(&signed_message(&component)).as_ref());
    let path = signature_path(plugin);
    let text = format!("key = \"{public_key}\"\nsignature = \"{signature}\"\n");
    fs::write(&path, text).map_err(KitError::file(&path))?;
    Ok(Signed {
        file: plugin.to_owned(),
        signature: path,
        public_key,
        digest: digest(&component),
        valid: true,
        reason: None,
    })
}

/// Verifies the signature beside a plugin. Without `key` it tells who signed, not whether to trust them.
///
/// # Errors
/// The plugin or the signature cannot be read.
pub fn verify(plugin: &Path, key: Option<&str>) -> Result<Signed, KitError> {
    let component = fs::read(plugin).map_err(KitError::file(plugin))?;
    let path = signature_path(plugin);
    let text = fs::read_to_string(&path).map_err(KitError::file(&path))?;
    let signature = PluginSignature::parse(&text).map_err(|reason| KitError::Key {
        path: path.clone(),
        reason: format!("it is not a signature: {reason}"),
    })?;
    let reason = match key.filter(|expected| *expected != signature.key) {
        Some(expected) => Some(format!(
            "it was signed with the key {}, not {expected}",
            signature.key
        )),
        None => signature.verify(&component).err().map(str::to_owned),
    };
    Ok(Signed {
        file: plugin.to_owned(),
        signature: path,
        public_key: signature.key,
        digest: digest(&component),
        valid: reason.is_none(),
        reason,
    })
}

fn pair(file: &Path, seed: &[u8]) -> Result<Ed25519KeyPair, KitError> {
    Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| KitError::Key {
        path: file.to_owned(),
        reason: format!("a private key has {SEED_BYTES} bytes"),
    })
}

fn digest(component: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(component))
}

impl fmt::Display for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "private key: {} (keep it secret, and keep a copy)",
            self.file.display()
        )?;
        write!(f, "public key:  {}", self.public_key)
    }
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.file.display())?;
        writeln!(f, "  sha256     {}", self.digest)?;
        writeln!(f, "  signed by  {}", self.public_key)?;
        match &self.reason {
            None => write!(f, "  signature  {} is valid", self.signature.display()),
            Some(reason) => write!(
                f,
                "  signature  {} is NOT valid: {reason}",
                self.signature.display()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_bound_to_file_and_key() {
        let dir = tempfile::tempdir().unwrap();
        let (plugin, key) = (dir.path().join("a.wasm"), dir.path().join("key"));
        fs::write(&plugin, b"a plugin").unwrap();
        let created = create_key(&key, &[7; SEED_BYTES]).unwrap();
        assert_eq!(
            create_key(&key, &[8; SEED_BYTES]).unwrap_err().code(),
            "argument",
            "no key is overwritten"
        );
        sign(&plugin, &key).unwrap();
        assert!(verify(&plugin, None).unwrap().valid);
        assert!(verify(&plugin, Some(&created.public_key)).unwrap().valid);
        let other = create_key(&dir.path().join("other"), &[9; SEED_BYTES]).unwrap();
        assert!(!verify(&plugin, Some(&other.public_key)).unwrap().valid);
        fs::write(&plugin, b"a Plugin").unwrap();
        let changed = verify(&plugin, Some(&created.public_key)).unwrap();
        assert!(changed.reason.unwrap().contains("changed after"));
    }

    #[test]
    fn key_file_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let key = dir.path().join("key");
        create_key(&key, &[7; SEED_BYTES]).unwrap();
        assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
