//! The manifest of a plugin: `plugin.toml`, verbatim in the component's custom section `svc:manifest`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::limits;
use svc_domain::kind::MediaKind;

/// The manifest of a plugin.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// 2 to 40 lower-case letters, digits and hyphens, starting with a letter; part of the plugin's own keys.
    pub id: String,
    /// Name for users.
    pub name: String,
    /// Version of the plugin such as `1.2.0`.
    pub version: String,
    /// One sentence for users.
    #[serde(default)]
    pub description: String,
    /// Version of `svc:plugin` that it is built for: major and minor such as `0.1`.
    pub interface: String,
    /// SPDX expression.
    #[serde(default)]
    pub license: Option<String>,
    /// URL of its documentation.
    #[serde(default)]
    pub homepage: Option<String>,
    /// The media kinds that it extracts metadata from, if it exports `extractor`.
    #[serde(default)]
    pub kinds: Vec<ManifestKind>,
    /// The image files that it renders thumbnails of, if it exports `thumbnailer`.
    #[serde(default)]
    pub thumbnailer: Option<ManifestFiles>,
    /// The audio files that it analyzes, if it exports `waveform`.
    #[serde(default)]
    pub waveform: Option<ManifestFiles>,
    /// The host interfaces that it imports, each with a reason for users.
    #[serde(default)]
    pub permissions: BTreeMap<String, String>,
    /// Requested limits per file of its kinds; the host may grant less.
    #[serde(default)]
    pub limits: RequestedLimits,
}

/// A media kind, and its files that the plugin reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ManifestKind {
    /// Name of the kind such as `music`.
    pub kind: MediaKind,
    /// File extensions without the dot, in lower case.
    pub extensions: Vec<String>,
    /// Extensions of the sidecars that the plugin may read.
    #[serde(default)]
    pub related: Vec<String>,
}

/// The files, of any media kind, that a plugin renders thumbnails of or analyzes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ManifestFiles {
    /// File extensions without the dot, in lower case.
    pub extensions: Vec<String>,
    /// MIME types in lower case, for data without a file name such as embedded artwork.
    #[serde(default)]
    pub media_types: Vec<String>,
    /// Requested limits per file; the host may grant less.
    #[serde(default)]
    pub limits: RequestedLimits,
}

/// The limits that a manifest requests.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RequestedLimits {
    /// Memory in MiB.
    pub memory_mib: Option<u32>,
    /// Seconds per file.
    pub seconds_per_file: Option<f64>,
    /// MiB read per file.
    pub read_mib: Option<u32>,
}

/// Why a manifest is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// There is no section `svc:manifest`.
    #[error("it has no manifest: the custom section `svc:manifest` is missing")]
    Missing,
    /// There are several.
    #[error("it has more than one manifest")]
    Ambiguous,
    /// It exceeds the size limit; with its size in bytes.
    #[error("its manifest has {0} bytes, at most {max} are allowed", max = limits::MANIFEST_BYTES)]
    TooLarge(usize),
    /// Not UTF-8.
    #[error("its manifest is not UTF-8")]
    NotUtf8,
    /// It is not TOML, or has unknown or missing fields.
    #[error("its manifest cannot be read: {0}")]
    Syntax(String),
    /// A field has an invalid value.
    #[error("its manifest has an invalid `{field}`: {problem}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What is expected.
        problem: String,
    },
}

impl Manifest {
    /// Parses and validates the text of a manifest.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        if bytes.len() > limits::MANIFEST_BYTES {
            return Err(ManifestError::TooLarge(bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ManifestError::NotUtf8)?;
        let manifest: Self =
            toml::from_str(text).map_err(|error| ManifestError::Syntax(error.message().to_owned()))?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), ManifestError> {
        check(
            "id",
            is_id(&self.id),
            "2 to 40 lower-case letters, digits and hyphens, a letter first",
        )?;
        check(
            "name",
            is_line(&self.name, 1, 100),
            "1 to 100 characters in one line",
        )?;
        check(
            "version",
            is_version(&self.version),
            "three numbers such as 1.2.0, a suffix such as -beta.1 may follow",
        )?;
        check(
            "description",
            is_line(&self.description, 0, 500),
            "up to 500 characters in one line",
        )?;
        check(
            "interface",
            is_interface(&self.interface),
            "major and minor such as 0.1",
        )?;
        check(
            "kinds",
            self.kinds.len() <= 32 && (!self.kinds.is_empty() || self.other_files().next().is_some()),
            "1 to 32 kinds, or `thumbnailer` or `waveform`",
        )?;
        for kind in &self.kinds {
            let count = kind.extensions.len();
            check("extensions", (1..=256).contains(&count), "1 to 256 for each kind")?;
            check("related", kind.related.len() <= 256, "up to 256 for each kind")?;
            check_extensions(kind.extensions.iter().chain(&kind.related))?;
        }
        for files in self.other_files() {
            let count = files.extensions.len();
            check("extensions", (1..=256).contains(&count), "1 to 256")?;
            check_extensions(files.extensions.iter())?;
            let types = &files.media_types;
            check(
                "media-types",
                types.len() <= 256 && types.iter().all(|text| is_media_type(text)),
                "up to 256 such as `image/jpeg`, in lower case",
            )?;
            files.limits.check()?;
        }
        for reason in self.permissions.values() {
            check(
                "permissions",
                is_line(reason, 1, 300),
                "each needs a reason of 1 to 300 characters in one line",
            )?;
        }
        for text in [&self.license, &self.homepage].into_iter().flatten() {
            check(
                "license or homepage",
                is_line(text, 1, 300),
                "1 to 300 characters in one line",
            )?;
        }
        self.limits.check()
    }

    fn other_files(&self) -> impl Iterator<Item = &ManifestFiles> {
        self.thumbnailer.iter().chain(&self.waveform)
    }
}

impl RequestedLimits {
    fn check(&self) -> Result<(), ManifestError> {
        let seconds = self.seconds_per_file;
        check(
            "limits",
            seconds.is_none_or(|s| s.is_finite() && s > 0.0),
            "`seconds-per-file` is a number above 0",
        )?;
        check("limits", self.memory_mib != Some(0), "`memory-mib` is above 0")?;
        check("limits", self.read_mib != Some(0), "`read-mib` is above 0")
    }
}

fn check_extensions<'a>(mut extensions: impl Iterator<Item = &'a String>) -> Result<(), ManifestError> {
    check(
        "extensions",
        extensions.all(|extension| is_extension(extension)),
        "1 to 16 lower-case letters, digits, `+`, `-` or `_` each, without the dot",
    )
}

fn check(field: &'static str, right: bool, expected: &str) -> Result<(), ManifestError> {
    if right {
        Ok(())
    } else {
        Err(ManifestError::Field {
            field,
            problem: format!("expected {expected}"),
        })
    }
}

fn is_id(text: &str) -> bool {
    (2..=40).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn is_line(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_version(text: &str) -> bool {
    let (numbers, suffix) = text.split_once('-').unwrap_or((text, "0"));
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && (1..=40).contains(&suffix.len())
        && suffix
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-')
}

fn is_interface(text: &str) -> bool {
    text.split_once('.')
        .is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

fn is_extension(text: &str) -> bool {
    (1..=16).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'_'))
}

fn is_media_type(text: &str) -> bool {
    let is_part = |part: &str| {
        (1..=64).contains(&part.len())
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-'))
    };
    text.split_once('/')
        .is_some_and(|(kind, subtype)| is_part(kind) && is_part(subtype))
}
