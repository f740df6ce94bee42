//! The parts of a manifest that matter to whoever installs the plugin.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value as Json;
use svc_domain::item_kind::{FieldSchema, Grouping, KindApp, KindSchema, Labels};
use svc_plugin_host::{Manifest, ManifestSetting};

/// The parts of a manifest.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestOutline {
    /// Id.
    pub id: String,
    /// Name for users.
    pub name: String,
    /// Version of the plugin.
    pub version: String,
    /// Version of the interface.
    pub interface: String,
    /// File extensions by what the plugin does with the files: a kind, `thumbnailer` or `waveform`.
    pub files: BTreeMap<String, Vec<String>>,
    /// The kinds that it defines, by name.
    pub defines: Vec<String>,
    /// The same with their labels and fields.
    pub kinds: Vec<KindOutline>,
    /// Permissions with their reasons.
    pub permissions: BTreeMap<String, String>,
    /// What an administrator can set.
    pub settings: Vec<SettingOutline>,
}

/// A kind that a plugin defines.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindOutline {
    /// Name of the kind.
    pub kind: String,
    /// Names for users by language.
    pub label: Labels,
    /// Name of one item.
    pub item_label: String,
    /// The bundled app that shows it.
    pub app: KindApp,
    /// Keys of the values in which the files of an item agree; empty if each file is an item.
    pub group_by: Vec<String>,
    /// Keys of the values that order the files of an item.
    pub part_order: Vec<String>,
    /// What lists, filters, facets and search may use.
    pub fields: Vec<FieldSchema>,
}

/// A setting of a plugin.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingOutline {
    /// Name of the setting.
    pub key: String,
    /// `text`, `integer`, `real` or `boolean`.
    #[serde(rename = "type")]
    pub setting_type: &'static str,
    /// Names for users by language.
    pub label: Labels,
    /// The value unless an administrator sets another.
    pub default: Json,
    /// Least value; of a text: characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Greatest value; of a text: characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The only values, if there is a choice.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Json>,
}

impl ManifestOutline {
    pub(crate) fn of(manifest: &Manifest) -> Self {
        let kinds = manifest
            .kinds
            .iter()
            .map(|kind| (kind.kind.to_string(), kind.extensions.clone()));
        let others = [
            ("thumbnailer", &manifest.thumbnailer),
            ("waveform", &manifest.waveform),
        ];
        let others = others
            .into_iter()
            .filter_map(|(name, files)| Some((name.to_owned(), files.as_ref()?.extensions.clone())));
        let schemas = manifest.kinds.iter().filter_map(|kind| kind.schema.as_deref());
        let defined: Vec<KindOutline> = schemas.map(kind_outline).collect();
        Self {
            id: manifest.id.clone(),
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            interface: manifest.interface.clone(),
            files: kinds.chain(others).collect(),
            defines: defined.iter().map(|kind| kind.kind.clone()).collect(),
            kinds: defined,
            permissions: manifest.permissions.clone(),
            settings: manifest.settings.iter().map(setting_outline).collect(),
        }
    }
}

fn kind_outline(schema: &KindSchema) -> KindOutline {
    let (group_by, part_order) = match &schema.grouping {
        Grouping::File => (Vec::new(), Vec::new()),
        Grouping::Group { by, part_order } => (by.clone(), part_order.clone()),
    };
    KindOutline {
        kind: schema.kind.to_string(),
        label: schema.label.clone(),
        item_label: schema.item_label.clone(),
        app: schema.app,
        group_by,
        part_order,
        fields: schema.fields.clone(),
    }
}

fn setting_outline(setting: &ManifestSetting) -> SettingOutline {
    SettingOutline {
        key: setting.key.clone(),
        setting_type: setting.setting_type.as_str(),
        label: setting.label.clone(),
        default: setting.default.clone().into(),
        min: setting.min,
        max: setting.max,
        choices: setting.choices.iter().cloned().map(Json::from).collect(),
    }
}

/// The English name, or else the first one.
fn shown(label: &Labels) -> &str {
    let label = label.get("en").or_else(|| label.values().next());
    label.map_or("", String::as_str)
}

impl fmt::Display for ManifestOutline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  {} ({}) {}, for interface {}",
            self.id, self.name, self.version, self.interface
        )?;
        for (what, extensions) in &self.files {
            let defines = if self.defines.contains(what) {
                " (defined by it)"
            } else {
                ""
            };
            writeln!(f, "  {what}{defines}: {}", extensions.join(", "))?;
        }
        for kind in &self.kinds {
            write!(f, "{kind}")?;
        }
        for (permission, reason) in &self.permissions {
            writeln!(f, "  permission {permission}: {reason}")?;
        }
        for setting in &self.settings {
            writeln!(
                f,
                "  setting {} ({}): {}, by default {}",
                setting.key,
                shown(&setting.label),
                setting.setting_type,
                setting.default
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for KindOutline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for field in &self.fields {
            let uses = [
                ("search", field.search),
                ("sort", field.sort),
                ("facet", field.facet),
            ];
            let uses = uses.iter().filter(|(_, is_used)| *is_used);
            let uses: String = uses.map(|(name, _)| format!(", {name}")).collect();
            writeln!(
                f,
                "  field {} ({}): {}{uses}",
                field.key,
                shown(&field.label),
                field.field_type.as_str()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use svc_test_support::guests;

    use super::*;

    #[test]
    fn outline_has_the_fields_of_kinds_and_the_settings() {
        let setting = "[settings.pages]\ntype = \"integer\"\nlabel = { en = \"Pages\" }\ndefault = 7\n";
        let text = guests::kind_manifest("things", "things")
            .replace("log =", "settings = \"Knows the pages\"\nlog =")
            + setting;
        let outline = ManifestOutline::of(&Manifest::parse(text.as_bytes()).unwrap());
        let json = serde_json::to_value(&outline).unwrap();
        assert_eq!(
            json["kinds"][0]["fields"][0],
            json!({
                "key": "x.things.series", "label": { "en": "Series" }, "type": "text",
                "search": true, "sort": true, "facet": true,
            })
        );
        assert_eq!(json["kinds"][0]["itemLabel"], "Thing");
        assert_eq!(
            json["settings"],
            json!([{ "key": "pages", "type": "integer", "label": { "en": "Pages" }, "default": 7 }])
        );
        let text = outline.to_string();
        assert!(
            text.contains("  field x.things.number (Number): integer, sort\n"),
            "{text}"
        );
        assert!(
            text.contains("  setting pages (Pages): integer, by default 7\n"),
            "{text}"
        );
    }
}
