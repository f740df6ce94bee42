//! The manifest of a plugin: the `plugin.toml` that lies, as it is, in the component's custom section
//! `svc:manifest`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::limits;
use svc_domain::kind::MediaKind;

/// What a plugin says about itself and asks for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// Lower-case letters, digits and hyphens, a letter first, 2 to 40: part of the plugin's own keys.
    pub id: String,
    /// For people.
    pub name: String,
    /// The plugin's own version, such as `1.2.0`.
    pub version: String,
    /// One sentence for people.
    #[serde(default)]
    pub description: String,
    /// The version of `svc:plugin` that it is built for: major and minor, such as `0.1`.
    pub interface: String,
    /// SPDX expression.
    #[serde(default)]
    pub license: Option<String>,
    /// Where to read more.
    #[serde(default)]
    pub homepage: Option<String>,
    /// The media kinds it reads: what it exports as `extractor`.
    #[serde(default)]
    pub kinds: Vec<ManifestKind>,
    /// The pictures it draws in smaller sizes: what it exports as `thumbnailer`.
    #[serde(default)]
    pub renders: Option<ManifestFiles>,
    /// The sounds it sums up: what it exports as `waveform`.
    #[serde(default)]
    pub measures: Option<ManifestFiles>,
    /// The host interfaces it imports, each with a reason that a person can read.
    #[serde(default)]
    pub permissions: BTreeMap<String, String>,
    /// What it would like to have for one file of its kinds; the host may give less.
    #[serde(default)]
    pub limits: AskedLimits,
}

/// A media kind and the files of it that a plugin reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ManifestKind {
    /// Such as `music`.
    pub kind: MediaKind,
    /// File name endings without the dot, lower case.
    pub extensions: Vec<String>,
    /// Endings of the small files beside a media file that the plugin may read: sidecars, subtitles, artwork.
    #[serde(default)]
    pub related: Vec<String>,
}

/// The files that a plugin renders or measures, of whatever kind they are.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ManifestFiles {
    /// File name endings without the dot, lower case.
    pub extensions: Vec<String>,
    /// MIME types, lower case: for what has no name of its own, such as a picture inside of a file.
    #[serde(default)]
    pub media_types: Vec<String>,
    /// What it would like to have for one file; the host may give less.
    #[serde(default)]
    pub limits: AskedLimits,
}

/// The limits that a manifest asks for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AskedLimits {
    /// MiB of memory.
    pub memory_mib: Option<u32>,
    /// Seconds for one file.
    pub seconds_per_file: Option<f64>,
    /// MiB read from one file.
    pub read_mib: Option<u32>,
}

/// Why a manifest is not taken.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// There is no section `svc:manifest`.
    #[error("it has no manifest: the custom section `svc:manifest` is missing")]
    Missing,
    /// There are several.
    #[error("it has more than one manifest")]
    Ambiguous,
    /// Larger than a manifest can be.
    #[error("its manifest has {0} bytes, at most {max} are allowed", max = limits::MANIFEST_BYTES)]
    TooLarge(usize),
    /// Not UTF-8.
    #[error("its manifest is not UTF-8")]
    NotUtf8,
    /// Not TOML, or not this TOML.
    #[error("its manifest cannot be read: {0}")]
    Syntax(String),
    /// A field with a value that cannot be.
    #[error("its manifest has a wrong `{field}`: {problem}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Manifest {
    /// Reads and checks the text of a manifest.
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
            "1 to 32 kinds, or `renders` or `measures`",
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
        self.renders.iter().chain(&self.measures)
    }
}

impl AskedLimits {
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
