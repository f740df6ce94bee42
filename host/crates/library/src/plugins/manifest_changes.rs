//! What a version of a plugin has more and less than the one in use.

use std::fmt;

use svc_domain::item_kind::{FieldSchema, FieldType, KindSchema};
use svc_domain::kind::MediaKind;
use svc_identity::error::Result;
use svc_plugin_host::{Manifest, ManifestKind};

use crate::plugins::PluginAdmin;

/// What a version of a plugin has more and less than the one in use. Fields and extensions are those of kinds that both
/// have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestChanges {
    /// Kinds that only the new version has.
    pub kinds_gained: Vec<MediaKind>,
    /// Kinds that only the version in use has.
    pub kinds_lost: Vec<MediaKind>,
    /// Kinds of both whose files become items in another way.
    pub kinds_regrouped: Vec<MediaKind>,
    /// Fields that only the new version declares.
    pub fields_gained: Vec<DeclaredField>,
    /// Fields that only the version in use declares.
    pub fields_lost: Vec<DeclaredField>,
    /// Fields of both with another type or other uses.
    pub fields_changed: Vec<ChangedField>,
    /// Extensions that only the new version reads.
    pub extensions_gained: Vec<KindExtension>,
    /// Extensions that only the version in use reads.
    pub extensions_lost: Vec<KindExtension>,
    /// Permissions that only the new version asks for.
    pub permissions_gained: Vec<String>,
    /// Permissions that only the version in use asks for.
    pub permissions_lost: Vec<String>,
    /// What the items of each kind lose.
    pub items: Vec<AffectedItems>,
}

/// A declared field of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredField {
    /// The kind.
    pub kind: MediaKind,
    /// Key of the field.
    pub key: String,
    /// What is declared of it.
    pub declaration: FieldDeclaration,
}

/// A field with another type or other uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedField {
    /// The kind.
    pub kind: MediaKind,
    /// Key of the field.
    pub key: String,
    /// As the version in use declares it.
    pub before: FieldDeclaration,
    /// As the new version declares it.
    pub after: FieldDeclaration,
}

/// Type and uses of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDeclaration {
    /// Type of the values.
    pub field_type: FieldType,
    /// `search`, `sort`, `facet`.
    pub uses: Vec<&'static str>,
}

/// An extension of files of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindExtension {
    /// The kind.
    pub kind: MediaKind,
    /// Without the dot.
    pub extension: String,
}

/// What items of a kind lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedItems {
    /// The kind.
    pub kind: MediaKind,
    /// Items that become unavailable: no plugin defines their kind.
    pub unavailable: u64,
    /// Items that lose values that lists sort or filter by.
    pub losing_values: u64,
}

impl FieldDeclaration {
    fn of(field: &FieldSchema) -> Self {
        let uses = [
            ("search", field.search),
            ("sort", field.sort),
            ("facet", field.facet),
        ];
        let uses = uses.into_iter().filter(|(_, is_used)| *is_used);
        Self {
            field_type: field.field_type,
            uses: uses.map(|(name, _)| name).collect(),
        }
    }

    /// Whether clients can do with the field what an older declaration let them do.
    fn keeps(&self, older: &Self) -> bool {
        self.field_type == older.field_type && older.uses.iter().all(|used| self.uses.contains(used))
    }
}

impl fmt::Display for FieldDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field_type.as_str())?;
        if !self.uses.is_empty() {
            write!(f, " ({})", self.uses.join(", "))?;
        }
        Ok(())
    }
}

impl ManifestChanges {
    /// The changes from the version in use, if there is one. The items are not counted yet.
    pub(super) fn between(old: Option<&Manifest>, new: &Manifest) -> Self {
        let mut changes = Self::default();
        let old_kinds = old.map(|old| old.kinds.as_slice()).unwrap_or_default();
        for now in &new.kinds {
            match old_kinds.iter().find(|before| before.kind == now.kind) {
                Some(before) => changes.compare(before, now),
                None => changes.kinds_gained.push(now.kind.clone()),
            }
        }
        let has = |kind: &MediaKind| new.kinds.iter().any(|now| now.kind == *kind);
        let lost = old_kinds.iter().filter(|before| !has(&before.kind));
        changes.kinds_lost.extend(lost.map(|before| before.kind.clone()));
        let old_permissions: Vec<&String> = old.map_or_else(Vec::new, |old| old.permissions.keys().collect());
        let new_permissions: Vec<&String> = new.permissions.keys().collect();
        changes.permissions_gained = missing(&new_permissions, &old_permissions);
        changes.permissions_lost = missing(&old_permissions, &new_permissions);
        changes
    }

    fn compare(&mut self, before: &ManifestKind, now: &ManifestKind) {
        match (&before.schema, &now.schema) {
            (Some(before), Some(now)) => self.compare_schemas(before, now),
            (Some(_), None) => self.kinds_lost.push(now.kind.clone()),
            (None, Some(_)) => self.kinds_gained.push(now.kind.clone()),
            (None, None) => {}
        }
        let of_kind = |extension: String| KindExtension {
            kind: now.kind.clone(),
            extension,
        };
        let [old, new] = [before, now].map(|kind| kind.extensions.iter().collect::<Vec<_>>());
        self.extensions_gained
            .extend(missing(&new, &old).into_iter().map(of_kind));
        self.extensions_lost
            .extend(missing(&old, &new).into_iter().map(of_kind));
    }

    fn compare_schemas(&mut self, before: &KindSchema, now: &KindSchema) {
        if before.grouping != now.grouping {
            self.kinds_regrouped.push(now.kind.clone());
        }
        let declared = |field: &FieldSchema| DeclaredField {
            kind: now.kind.clone(),
            key: field.key.clone(),
            declaration: FieldDeclaration::of(field),
        };
        for field in &now.fields {
            let after = FieldDeclaration::of(field);
            match before.field(&field.key).map(FieldDeclaration::of) {
                None => self.fields_gained.push(declared(field)),
                Some(before) if before != after => self.fields_changed.push(ChangedField {
                    kind: now.kind.clone(),
                    key: field.key.clone(),
                    before,
                    after,
                }),
                Some(_) => {}
            }
        }
        let lost = before
            .fields
            .iter()
            .filter(|field| now.field(&field.key).is_none());
        self.fields_lost.extend(lost.map(declared));
    }

    /// What the new version has less, a sentence each.
    pub(super) fn losses(&self) -> Vec<String> {
        let kinds = self
            .kinds_lost
            .iter()
            .map(|kind| format!("the kind `{kind}` is gone"));
        let regrouped = self.kinds_regrouped.iter();
        let regrouped =
            regrouped.map(|kind| format!("files of the kind `{kind}` become items in another way"));
        let fields = self.fields_lost.iter();
        let fields = fields.map(|field| format!("the field `{}` of `{}` is gone", field.key, field.kind));
        let changed = self
            .fields_changed
            .iter()
            .filter(|field| !field.after.keeps(&field.before));
        let changed = changed.map(|field| {
            let ChangedField {
                kind,
                key,
                before,
                after,
            } = field;
            format!("the field `{key}` of `{kind}` was {before} and is {after}")
        });
        let extensions = self.extensions_lost.iter();
        let extensions = extensions.map(|lost| {
            let KindExtension { kind, extension } = lost;
            format!("`.{extension}` files of the kind `{kind}` are no longer read")
        });
        let all = kinds
            .chain(regrouped)
            .chain(fields)
            .chain(changed)
            .chain(extensions);
        all.collect()
    }
}

/// Those of `all` that are not in `others`.
fn missing(all: &[&String], others: &[&String]) -> Vec<String> {
    let missing = all.iter().filter(|name| !others.contains(name));
    missing.map(|name| (*name).clone()).collect()
}

impl PluginAdmin {
    /// Counts the items that lose something.
    pub(super) async fn count_affected(&self, changes: &mut ManifestChanges, new: &Manifest) -> Result<()> {
        let ManifestChanges {
            kinds_lost,
            fields_lost,
            fields_changed,
            ..
        } = changes;
        if kinds_lost.is_empty() && fields_lost.is_empty() && fields_changed.is_empty() {
            return Ok(());
        }
        let repository = &self.parts().kinds;
        let stored = repository.kinds().await?;
        for kind in stored.iter().filter(|kind| kind.plugin_id == new.id) {
            let name = &kind.schema.kind;
            let mut schemas = new.kinds.iter().filter_map(|kind| kind.schema.as_ref());
            let schema = schemas.find(|schema| schema.kind == *name);
            let affected = AffectedItems {
                kind: name.clone(),
                unavailable: match schema {
                    None if changes.kinds_lost.contains(name) => repository.count_items(kind).await?,
                    _ => 0,
                },
                losing_values: match schema {
                    Some(schema) => repository.count_items_losing_values(kind, schema).await?,
                    None => 0,
                },
            };
            if affected.unavailable + affected.losing_values > 0 {
                changes.items.push(affected);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(kind: &str, extensions: &str, fields: &str, permissions: &str) -> Manifest {
        let text = format!(
            "id = \"sheets\"\nname = \"Sheets\"\nversion = \"1.0.0\"\ninterface = \"0.1\"\n[[kinds]]\n\
             kind = \"{kind}\"\nlabel = {{ en = \"Sheets\", item = \"Sheet\" }}\napp = \"photos\"\nitem = \"file\"\n\
             extensions = [{extensions}]\n{fields}[permissions]\n{permissions}"
        );
        Manifest::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn field(name: &str, rest: &str) -> String {
        format!("[[kinds.fields]]\nkey = \"x.sheets.{name}\"\nlabel = {{ en = \"F\" }}\n{rest}\n")
    }

    const SOURCE: &str = "source = \"Reads\"\n";

    #[test]
    fn fields_extensions_and_permissions_that_differ_are_listed() {
        let text = "type = \"text\"\nsearch = true\nfacet = true";
        let old = field("composer", text) + &field("key", text);
        let old = manifest("sheets", "\"abc\", \"ly\"", &old, SOURCE);
        let new = field("key", "type = \"text\"\nsearch = true") + &field("meter", "type = \"integer\"");
        let permissions = format!("{SOURCE}log = \"Logs\"\n");
        let new = manifest("sheets", "\"abc\", \"mxl\"", &new, &permissions);
        let changes = ManifestChanges::between(Some(&old), &new);
        let keys = |fields: &[DeclaredField]| -> Vec<String> {
            fields.iter().map(|field| field.key.clone()).collect()
        };
        assert_eq!(keys(&changes.fields_gained), ["x.sheets.meter"]);
        assert_eq!(keys(&changes.fields_lost), ["x.sheets.composer"]);
        assert_eq!(
            changes.fields_lost[0].declaration.to_string(),
            "text (search, facet)"
        );
        assert_eq!(changes.fields_changed.len(), 1);
        assert_eq!(changes.extensions_gained[0].extension, "mxl");
        assert_eq!(changes.extensions_lost[0].extension, "ly");
        assert_eq!(changes.permissions_gained, ["log"]);
        assert!(changes.permissions_lost.is_empty());
        assert_eq!(
            changes.losses(),
            [
                "the field `x.sheets.composer` of `sheets` is gone",
                "the field `x.sheets.key` of `sheets` was text (search, facet) and is text (search)",
                "`.ly` files of the kind `sheets` are no longer read",
            ]
        );
    }

    #[test]
    fn renamed_kind_is_lost_and_gained() {
        let [old, new] = ["sheets", "tunebooks"].map(|kind| manifest(kind, "\"abc\"", "", SOURCE));
        let changes = ManifestChanges::between(Some(&old), &new);
        assert_eq!(changes.kinds_gained, ["tunebooks".parse::<MediaKind>().unwrap()]);
        assert_eq!(changes.kinds_lost, ["sheets".parse::<MediaKind>().unwrap()]);
        assert_eq!(changes.losses(), ["the kind `sheets` is gone"]);
        assert!(ManifestChanges::between(Some(&old), &old).losses().is_empty());
        let first = ManifestChanges::between(None, &new);
        assert_eq!(first.permissions_gained, ["source"]);
        assert!(first.losses().is_empty());
    }
}
