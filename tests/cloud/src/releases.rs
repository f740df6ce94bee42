//! Release channels, releases and the keys that sign them.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use data_encoding::BASE64;
use semver::Version;
use sqlx::FromRow;
use svc_platform::random::Random;

use crate::cloud::Cloud;
use crate::error::{Error, Refusal, Result};

/// A channel on which versions are released.
#[derive(Debug, FromRow)]
pub(crate) struct Channel {
    pub(crate) id: String,
    pub(crate) description: Option<String>,
}

/// A signed release.
#[derive(Debug, FromRow)]
pub(crate) struct Release {
    pub(crate) version: String,
    pub(crate) released_at: i64,
    pub(crate) key: String,
    pub(crate) signature: String,
}

/// A public key that signs releases, with the signature of the key before it.
#[derive(Debug, FromRow)]
pub(crate) struct ReleaseKey {
    pub(crate) key: String,
    pub(crate) signed_by: Option<String>,
    pub(crate) signature: Option<String>,
}

impl Cloud {
    pub(crate) async fn release_channels(&self) -> Result<Vec<Channel>> {
        let found = sqlx::query_as("SELECT id, description FROM release_channels ORDER BY id");
        Ok(found.fetch_all(self.database.pool()).await?)
    }

    pub(crate) async fn release_keys(&self) -> Result<Vec<ReleaseKey>> {
        let found = sqlx::query_as("SELECT key, signed_by, signature FROM release_keys ORDER BY number");
        Ok(found.fetch_all(self.database.pool()).await?)
    }

    /// The release with the highest version of a channel.
    pub(crate) async fn latest_release(&self, channel: &str) -> Result<Release> {
        let known: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM release_channels WHERE id = ?)")
            .bind(channel)
            .fetch_one(self.database.pool())
            .await?;
        if !known {
            return Err(Refusal::ChannelUnknown.into());
        }
        let found =
            sqlx::query_as("SELECT version, released_at, key, signature FROM releases WHERE channel_id = ?");
        let releases: Vec<Release> = found.bind(channel).fetch_all(self.database.pool()).await?;
        let newest = releases
            .into_iter()
            .max_by_key(|release| Version::parse(&release.version).ok());
        newest.ok_or_else(|| Refusal::NoRelease.into())
    }
}

/// A key pair, whose seed is in a file in base64.
pub(crate) struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// Creates a key and writes it to a new file, which only its owner can read.
    pub(crate) fn create(random: &dyn Random, path: &Path) -> Result<Self> {
        let mut seed = [0; 32];
        random.fill(&mut seed)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        writeln!(file, "{}", BASE64.encode(&seed))?;
        file.sync_all()?;
        Self::of_seed(&seed)
    }

    /// Reads a key.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut text = String::new();
        std::fs::File::open(path)?.take(1_024).read_to_string(&mut text)?;
        let seed = BASE64.decode(text.trim().as_bytes());
        Self::of_seed(&seed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?)
    }

    fn of_seed(seed: &[u8]) -> Result<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed);
        pair.map(Self)
            .map_err(|_| Error::Stored("the key is not one of Ed25519".to_owned()))
    }

    /// The public key in base64.
    pub(crate) fn public(&self) -> String {
        BASE64.encode(self.0.public_key().as_ref())
    }

    fn sign(&self, lines: &[&str]) -> String {
        let mut text = lines.join("\n");
        text.push('\n');
        BASE64.encode(self.0.sign(text.as_bytes()).as_ref())
    }

    /// The signature of a release.
    pub(crate) fn sign_release(&self, channel: &str, version: &str, released_at: i64) -> String {
        self.sign(&["svc-release-v1", channel, version, &released_at.to_string()])
    }

    /// The signature of the key that replaces this one.
    pub(crate) fn sign_key(&self, public: &str) -> String {
        self.sign(&["svc-release-key-v1", public])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_protocol_page() {
        let page = include_str!("../../../docs/cloud-protocol.md");
        let old = SigningKey::of_seed(&[7; 32]).unwrap();
        let new = SigningKey::of_seed(&[8; 32]).unwrap();
        for text in [
            old.public(),
            new.public(),
            old.sign_release("stable", "0.2.0", 1_795_305_600_000),
            old.sign_key(&new.public()),
        ] {
            assert!(page.contains(&text), "{text}");
        }
    }

    #[test]
    fn key_file_is_not_overwritten_and_reads_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let random = svc_platform::random::SystemRandom;
        let created = SigningKey::create(&random, &path).unwrap();
        assert_eq!(SigningKey::read(&path).unwrap().public(), created.public());
        assert!(SigningKey::create(&random, &path).is_err());
    }
}
