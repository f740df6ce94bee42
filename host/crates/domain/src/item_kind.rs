//! Media kinds that plugins define: their schema, as the manifest of the plugin declares it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::kind::MediaKind;
use crate::named_enum::named_enum;

/// Declared fields of a kind, at most.
pub const MAX_FIELDS: usize = 32;
/// Fields of a kind that lists can be ordered by, at most.
pub const MAX_SORT_FIELDS: usize = 8;
/// Fields of a kind whose values lists can be filtered by and counted by, at most.
pub const MAX_FACET_FIELDS: usize = 8;

/// Texts for users by language (BCP 47), such as `en`.
pub type Labels = BTreeMap<String, String>;

/// A kind that a plugin defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindSchema {
    /// Name of the kind such as `comics`; not one of the built-in kinds.
    pub kind: MediaKind,
    /// Names of the kind, such as `Comics`.
    pub label: Labels,
    /// Name of one item, such as `Comic`.
    pub item_label: String,
    /// The bundled app that shows the kind: `music`, `photos` or `cinema`.
    pub app: KindApp,
    /// How files become items.
    pub grouping: Grouping,
    /// What lists, filters, facets and search may use; everything else is part of the record only.
    pub fields: Vec<FieldSchema>,
}

/// How files become items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// Each file is an item.
    File,
    /// Files of one kind whose values agree in all of `by` are one item.
    Group {
        /// Keys whose values identify the item. A file that lacks all of them is an item of its own.
        by: Vec<String>,
        /// Keys whose values order the files of an item; ties are ordered by path, in natural order.
        part_order: Vec<String>,
    },
}

/// A field that lists, filters, facets or search may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldSchema {
    /// A common key, or one of the plugin's own (`x.<plugin id>.`).
    pub key: String,
    /// Names of the field, such as `Series`.
    pub label: Labels,
    /// Type of the values.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// Search finds items by its words.
    pub search: bool,
    /// Lists can be ordered by it.
    pub sort: bool,
    /// Lists can be filtered by its values, and the values can be counted.
    pub facet: bool,
}

named_enum! {
    /// The type of a declared field.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FieldType {
        /// One text.
        Text => "text",
        /// Several texts in order.
        Texts => "texts",
        /// A whole number.
        Integer => "integer",
        /// A number.
        Real => "real",
        /// True or false.
        Boolean => "boolean",
        /// A date of any precision.
        Date => "date",
        /// A length of time; plugins return whole milliseconds.
        Duration => "duration",
    }
}

named_enum! {
    /// The bundled app that shows a kind.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum KindApp {
        /// Audio that is listened to.
        Music => "music",
        /// Pictures and pages, which are viewed.
        Photos => "photos",
        /// Video that is watched.
        Cinema => "cinema",
    }
}

impl KindSchema {
    /// Whether items of the kind are played; otherwise they are viewed.
    pub fn is_played(&self) -> bool {
        self.app != KindApp::Photos
    }

    /// The declared field with this key.
    pub fn field(&self, key: &str) -> Option<&FieldSchema> {
        self.fields.iter().find(|field| field.key == key)
    }
}
