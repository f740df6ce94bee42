//! The table `[settings]` of a manifest: what an administrator can set, as a flat schema.

use serde_json::Value as Json;

use crate::limits;
use crate::manifest::names::{is_line, is_name};
use crate::manifest::problem::Problems;
use crate::manifest::table::{Table, Value};
use svc_domain::extraction::Value as ExtractedValue;
use svc_domain::item_kind::Labels;

/// A setting of a plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifestSetting {
    /// Name of the setting: lower-case letters, digits and hyphens.
    pub key: String,
    /// Type of its values.
    pub setting_type: SettingType,
    /// Names for users.
    pub label: Labels,
    /// The value unless an administrator sets another.
    pub default: SettingValue,
    /// Least value of a number; fewest characters of a text.
    pub min: Option<f64>,
    /// Greatest value of a number; most characters of a text.
    pub max: Option<f64>,
    /// The only values, if there is a choice.
    pub choices: Vec<SettingValue>,
}

impl From<SettingValue> for Json {
    fn from(value: SettingValue) -> Self {
        ExtractedValue::from(value).to_json()
    }
}

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingType {
    /// A text in one line.
    Text,
    /// A whole number.
    Integer,
    /// A finite number.
    Real,
    /// True or false.
    Boolean,
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// A text in one line.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Real(f64),
    /// True or false.
    Boolean(bool),
}

impl From<SettingValue> for ExtractedValue {
    fn from(value: SettingValue) -> Self {
        match value {
            SettingValue::Text(text) => Self::Text(text),
            SettingValue::Integer(number) => Self::Integer(number),
            SettingValue::Real(number) => Self::Real(number),
            SettingValue::Boolean(yes) => Self::Boolean(yes),
        }
    }
}

impl SettingType {
    const ALL: [(&'static str, Self); 4] = [
        ("text", Self::Text),
        ("integer", Self::Integer),
        ("real", Self::Real),
        ("boolean", Self::Boolean),
    ];

    /// The name in the manifest and the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Boolean => "boolean",
        }
    }

    /// What a value of the type is, for messages.
    fn expected(self) -> String {
        match self {
            Self::Text => format!(
                "text of up to {} characters in one line",
                limits::SETTING_CHARACTERS
            ),
            other => other.as_str().to_owned(),
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        let known = Self::ALL.into_iter().find(|(known, _)| *known == name);
        known.map(|(_, setting_type)| setting_type)
    }

    fn value_of(self, value: &Value<'_>) -> Option<SettingValue> {
        match self {
            Self::Text => value
                .as_text()
                .filter(|text| is_line(text, 0, limits::SETTING_CHARACTERS))
                .map(|text| SettingValue::Text(text.to_owned())),
            Self::Integer => value.as_integer().map(SettingValue::Integer),
            Self::Real => value.as_number().map(SettingValue::Real),
            Self::Boolean => value.as_boolean().map(SettingValue::Boolean),
        }
    }
}

impl ManifestSetting {
    /// Reads a value that an administrator chose.
    ///
    /// # Errors
    /// What is expected instead.
    pub fn read(&self, chosen: &Json) -> Result<SettingValue, String> {
        let value = match self.setting_type {
            SettingType::Text => chosen
                .as_str()
                .filter(|text| is_line(text, 0, limits::SETTING_CHARACTERS))
                .map(|text| SettingValue::Text(text.to_owned())),
            SettingType::Integer => chosen.as_i64().map(SettingValue::Integer),
            SettingType::Real => chosen.as_f64().map(SettingValue::Real),
            SettingType::Boolean => chosen.as_bool().map(SettingValue::Boolean),
        };
        let value = value.ok_or_else(|| format!("expected {}", self.setting_type.expected()))?;
        match self.objection(&value) {
            Some(objection) => Err(objection),
            None => Ok(value),
        }
    }

    /// Why a value of the right type is not allowed; `None` if it is.
    pub fn objection(&self, value: &SettingValue) -> Option<String> {
        let size = match value {
            SettingValue::Text(text) => Some(text.chars().count() as f64),
            SettingValue::Integer(number) => Some(*number as f64),
            SettingValue::Real(number) => Some(*number),
            SettingValue::Boolean(_) => None,
        };
        let what = if self.setting_type == SettingType::Text {
            " characters"
        } else {
            ""
        };
        match size {
            Some(size) if self.min.is_some_and(|min| size < min) => {
                Some(format!("is below {}{what}", self.min.unwrap_or_default()))
            }
            Some(size) if self.max.is_some_and(|max| size > max) => {
                Some(format!("is above {}{what}", self.max.unwrap_or_default()))
            }
            _ if !self.choices.is_empty() && !self.choices.contains(value) => {
                Some("is not one of `enum`".to_owned())
            }
            _ => None,
        }
    }
}

/// Reads the settings in the order of the text.
pub(super) fn read(value: &Value<'_>, problems: &mut Problems<'_>) -> Vec<ManifestSetting> {
    let Some(table) = value.table(problems) else {
        return Vec::new();
    };
    let entries = table.entries();
    if entries.len() > limits::SETTINGS {
        let most = limits::SETTINGS;
        value.fail(
            problems,
            format!("has {} settings: at most {most} are allowed", entries.len()),
        );
        return Vec::new();
    }
    let mut settings = Vec::new();
    for (key, value) in entries {
        if key.len() > 40 || !is_name(key) {
            let expected = "1 to 40 lower-case letters, digits and hyphens, a letter first";
            value.fail(
                problems,
                format!("is not the name of a setting: expected {expected}"),
            );
        }
        let setting = value
            .table(problems)
            .and_then(|table| read_setting(key, table, problems));
        settings.extend(setting);
    }
    settings
}

fn read_setting(key: &str, mut table: Table<'_>, problems: &mut Problems<'_>) -> Option<ManifestSetting> {
    let setting_type = table.require("type", problems);
    let setting_type = setting_type.and_then(|value| {
        let expected = format!("one of {}", SettingType::ALL.map(|(name, _)| name).join(", "));
        value.parsed(problems, SettingType::from_name, &expected)
    });
    let label = table.require("label", problems);
    let label = label.and_then(|value| value.labels(problems, None));
    let default = table.require("default", problems);
    let [min, max] = ["min", "max"].map(|bound| {
        let value = table.get(bound)?;
        let number = value.as_number();
        if number.is_none() || setting_type == Some(SettingType::Boolean) {
            value.expect(problems, "a number, for a setting that is not a boolean");
        }
        number
    });
    let choices = table.get("enum");
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        table.fail(problems, "has a `min` above its `max`");
    }
    let of_type = |value: &Value<'_>, problems: &mut Problems<'_>| {
        let setting_type = setting_type?;
        let read = setting_type.value_of(value);
        if read.is_none() {
            let expected = setting_type.expected();
            value.expect(problems, &format!("a value of the setting's type: {expected}"));
        }
        read
    };
    let default_value = default.as_ref().and_then(|value| of_type(value, problems));
    let mut allowed = Vec::new();
    for choice in choices
        .map(|value| value.items(problems, 1..=limits::SETTING_CHOICES))
        .unwrap_or_default()
    {
        allowed.extend(of_type(&choice, problems));
    }
    table.finish(problems);
    let setting = ManifestSetting {
        key: key.to_owned(),
        setting_type: setting_type?,
        label: label?.0,
        default: default_value?,
        min,
        max,
        choices: allowed,
    };
    if let (Some(value), Some(objection)) = (default, setting.objection(&setting.default)) {
        value.fail(problems, objection);
    }
    Some(setting)
}
