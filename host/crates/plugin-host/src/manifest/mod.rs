//! The manifest of a plugin: `plugin.toml`, verbatim in the component's custom section `svc:manifest`.

mod fields;
mod files;
mod kinds;
mod names;
mod problem;
mod settings;
mod table;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use toml::de::DeTable;

use crate::interface::{OFFERED, OFFERED_TO_CLOUD};
use crate::limits;
use crate::manifest::names::{ID, INTERFACE, VERSION, is_id, is_interface, is_line, is_version};
use crate::manifest::problem::Problems;
use crate::manifest::table::{Table, Value};
use crate::validate::OwnTypes;
use svc_domain::kind::MediaKind;

pub use files::{ManifestFiles, RequestedLimits};
pub use kinds::ManifestKind;
pub use problem::{ManifestError, ManifestProblem};
pub use settings::{ManifestSetting, SettingType, SettingValue};

/// The manifest of a plugin.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// 2 to 40 lower-case letters, digits and hyphens, starting with a letter; part of the plugin's own keys.
    pub id: String,
    /// Name for users.
    pub name: String,
    /// Version of the plugin such as `1.2.0`.
    pub version: String,
    /// One sentence for users.
    pub description: String,
    /// Version of `svc:plugin` that it is built for: major and minor such as `0.1`.
    pub interface: String,
    /// SPDX expression.
    pub license: Option<String>,
    /// URL of its documentation.
    pub homepage: Option<String>,
    /// The media kinds that it extracts metadata from, if it exports `extractor`.
    pub kinds: Vec<ManifestKind>,
    /// The image files that it renders thumbnails of, if it exports `thumbnailer`.
    pub thumbnailer: Option<ManifestFiles>,
    /// The audio files that it analyzes, if it exports `waveform`.
    pub waveform: Option<ManifestFiles>,
    /// Whether it vouches for accounts: it exports `cloud`, and reads no files.
    pub cloud: bool,
    /// The host interfaces that it imports, each with a reason for users.
    pub permissions: BTreeMap<String, String>,
    /// Requested limits per file of its kinds; the host may grant less.
    pub limits: RequestedLimits,
    /// What an administrator can set, in the order of the manifest.
    pub settings: Vec<ManifestSetting>,
}

impl Manifest {
    /// Parses and validates the text of a manifest.
    ///
    /// # Errors
    /// All errors of the text at once.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        if bytes.len() > limits::MANIFEST_BYTES {
            return Err(ManifestError::TooLarge(bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ManifestError::NotUtf8)?;
        let mut problems = Problems::new(text);
        let (root, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            problems.add(error.span().map_or(0, |span| span.start), "", error.message());
        }
        // What could not be parsed would appear again as missing keys.
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let manifest = read(Table::new(root.get_ref(), 0, ""), &mut problems);
        manifest
            .filter(|_| problems.is_empty())
            .ok_or_else(|| problems.into_error())
    }

    /// The values of all settings: those that an administrator chose, and the defaults of the others. A choice that the
    /// setting does not allow, such as one made for another version of the plugin, has no effect.
    pub fn setting_values(&self, chosen: &BTreeMap<String, Json>) -> BTreeMap<String, SettingValue> {
        let value_of = |setting: &ManifestSetting| {
            let chosen = chosen.get(&setting.key).map(|chosen| setting.read(chosen));
            match chosen {
                Some(Ok(value)) => value,
                Some(Err(reason)) => {
                    let (plugin, key) = (&self.id, &setting.key);
                    tracing::warn!(plugin, setting = key, "the default is used: the value {reason}");
                    setting.default.clone()
                }
                None => setting.default.clone(),
            }
        };
        let settings = self.settings.iter();
        settings
            .map(|setting| (setting.key.clone(), value_of(setting)))
            .collect()
    }

    /// The kinds that it defines; it may read files of others.
    pub fn defined_kinds(&self) -> impl Iterator<Item = &MediaKind> {
        let defined = self.kinds.iter().filter(|kind| kind.schema.is_some());
        defined.map(|kind| &kind.kind)
    }

    /// Whether it defines this kind.
    pub fn defines(&self, kind: &MediaKind) -> bool {
        self.defined_kinds().any(|defined| defined == kind)
    }

    /// The types of the plugin's own keys that its kinds declare.
    pub(crate) fn own_types(&self) -> OwnTypes {
        let schemas = self.kinds.iter().filter_map(|kind| kind.schema.as_ref());
        schemas
            .flat_map(|schema| &schema.fields)
            .filter(|field| crate::keys::is_own(&field.key, &self.id))
            .map(|field| (field.key.clone(), fields::value_type(field.field_type)))
            .collect()
    }
}

/// Reads all keys; `None` if one of those that every manifest needs is invalid.
fn read(mut root: Table<'_>, problems: &mut Problems<'_>) -> Option<Manifest> {
    let id = root.require("id", problems);
    // Also an invalid id, so that keys of the plugin are not reported on top of it.
    let own_id = id.as_ref().and_then(Value::as_text).unwrap_or_default();
    let id = id.and_then(|value| value.text(problems, is_id, ID));
    let name = root.require("name", problems);
    let name = name.and_then(|value| line(&value, problems, 100));
    let version = root.require("version", problems);
    let version = version.and_then(|value| value.text(problems, is_version, VERSION));
    let description = root.get("description").and_then(|value| {
        value.text(
            problems,
            |text| is_line(text, 0, 500),
            "up to 500 characters in one line",
        )
    });
    let interface = root.require("interface", problems);
    let interface = interface.and_then(|value| value.text(problems, is_interface, INTERFACE));
    let license = root.get("license").and_then(|value| line(&value, problems, 300));
    let homepage = root.get("homepage").and_then(|value| line(&value, problems, 300));
    let kinds = root
        .get("kinds")
        .map(|value| kinds::read(&value, own_id, problems));
    let thumbnailer = root.get("thumbnailer");
    let waveform = root.get("waveform");
    let cloud = root.get("cloud");
    let offered: &[&str] = if cloud.is_some() {
        &OFFERED_TO_CLOUD
    } else {
        &OFFERED
    };
    let permissions = root.get("permissions");
    let permissions = permissions.map(|value| permissions_of(&value, offered, problems));
    let reads_files = kinds.is_some() || thumbnailer.is_some() || waveform.is_some();
    match &cloud {
        Some(value) if reads_files => value.fail(
            problems,
            "stands alone: a plugin for accounts has neither `[[kinds]]` nor `[thumbnailer]` nor `[waveform]`",
        ),
        Some(value) if value.table(problems).is_some_and(|table| !table.entries().is_empty()) => {
            value.fail(problems, "has no keys: it stands for what the plugin exports");
        }
        Some(_) => {}
        None if !reads_files => root.fail(
            problems,
            "has neither `[[kinds]]` nor `[thumbnailer]` nor `[waveform]` nor `[cloud]`: one is needed",
        ),
        None => {}
    }
    let thumbnailer = thumbnailer.and_then(|value| ManifestFiles::read(&value, problems));
    let waveform = waveform.and_then(|value| ManifestFiles::read(&value, problems));
    let limits = root.get("limits");
    if let (Some(limits), Some(_)) = (&limits, &cloud) {
        limits.fail(
            problems,
            "is not for plugins for accounts, whose limits are the same for all",
        );
    }
    let limits = limits.and_then(|value| RequestedLimits::read(&value, problems));
    let settings = root.get("settings").map(|value| settings::read(&value, problems));
    root.finish(problems);
    Some(Manifest {
        id: id?,
        name: name?,
        version: version?,
        description: description.unwrap_or_default(),
        interface: interface?,
        license,
        homepage,
        kinds: kinds.unwrap_or_default(),
        thumbnailer,
        waveform,
        cloud: cloud.is_some(),
        permissions: permissions.unwrap_or_default(),
        limits: limits.unwrap_or_default(),
        settings: settings.unwrap_or_default(),
    })
}

fn line(value: &Value<'_>, problems: &mut Problems<'_>, most: usize) -> Option<String> {
    let expected = format!("1 to {most} characters in one line");
    value.text(problems, |text| is_line(text, 1, most), &expected)
}

/// The permissions: host interfaces, each with a reason.
fn permissions_of(
    value: &Value<'_>,
    offered: &[&str],
    problems: &mut Problems<'_>,
) -> BTreeMap<String, String> {
    let mut permissions = BTreeMap::new();
    let Some(table) = value.table(problems) else {
        return permissions;
    };
    for (name, reason) in table.entries() {
        if !offered.contains(&name) {
            let known = offered.join("`, `");
            reason.fail(problems, format!("is not a permission: there are `{known}`"));
            continue;
        }
        let expected = "the reason for users: 1 to 300 characters in one line";
        let reason = reason.text(problems, |text| is_line(text, 1, 300), expected);
        permissions.extend(reason.map(|reason| (name.to_owned(), reason)));
    }
    permissions
}
