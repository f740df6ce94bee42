//! JSON of what a version of a plugin has more and less than the one in use.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::kind::MediaKind;
use svc_library::plugins::{
    AffectedItems, ChangedField, DeclaredField, FieldDeclaration, KindExtension, ManifestChanges,
};

/// Type and uses of a field.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginFieldDeclaration"))]
pub struct FieldDeclarationView {
    /// `text`, `texts`, `integer`, `real`, `boolean`, `date` or `duration`.
    #[serde(rename = "type")]
    field_type: &'static str,
    /// Those of `search`, `sort` and `facet` that the field is declared for.
    uses: Vec<&'static str>,
}

impl From<FieldDeclaration> for FieldDeclarationView {
    fn from(declaration: FieldDeclaration) -> Self {
        Self {
            field_type: declaration.field_type.as_str(),
            uses: declaration.uses,
        }
    }
}

/// A declared field of a kind.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginDeclaredField"))]
pub struct DeclaredFieldView {
    kind: String,
    /// Key of the field.
    field: String,
    #[serde(flatten)]
    declaration: FieldDeclarationView,
}

impl From<DeclaredField> for DeclaredFieldView {
    fn from(field: DeclaredField) -> Self {
        Self {
            kind: field.kind.to_string(),
            field: field.key,
            declaration: field.declaration.into(),
        }
    }
}

/// A field with another type or other uses.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginDeclarationChange"))]
pub struct ChangedFieldView {
    kind: String,
    /// Key of the field.
    field: String,
    /// As the version in use declares it.
    before: FieldDeclarationView,
    /// As the version that waits declares it.
    after: FieldDeclarationView,
}

impl From<ChangedField> for ChangedFieldView {
    fn from(field: ChangedField) -> Self {
        Self {
            kind: field.kind.to_string(),
            field: field.key,
            before: field.before.into(),
            after: field.after.into(),
        }
    }
}

/// An extension of files of a kind.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginExtension"))]
pub struct KindExtensionView {
    kind: String,
    /// Without the dot.
    extension: String,
}

impl From<KindExtension> for KindExtensionView {
    fn from(extension: KindExtension) -> Self {
        Self {
            kind: extension.kind.to_string(),
            extension: extension.extension,
        }
    }
}

/// What items of a kind lose when the version is put into use.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginAffectedItems"))]
#[serde(rename_all = "camelCase")]
pub struct AffectedItemsView {
    kind: String,
    /// Number of items that become unavailable, because no plugin defines their kind any more.
    unavailable: u64,
    /// Number of items that lose values that lists sort or filter by.
    losing_values: u64,
}

impl From<AffectedItems> for AffectedItemsView {
    fn from(items: AffectedItems) -> Self {
        Self {
            kind: items.kind.to_string(),
            unavailable: items.unavailable,
            losing_values: items.losing_values,
        }
    }
}

/// What a version has more and less than the one in use; a new plugin gains everything. Fields and extensions are those
/// of kinds that both versions have.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginChanges"))]
#[serde(rename_all = "camelCase")]
pub struct PluginChangesView {
    kinds_gained: Vec<String>,
    kinds_lost: Vec<String>,
    /// Kinds whose files become items in another way.
    kinds_regrouped: Vec<String>,
    fields_gained: Vec<DeclaredFieldView>,
    fields_lost: Vec<DeclaredFieldView>,
    fields_changed: Vec<ChangedFieldView>,
    extensions_gained: Vec<KindExtensionView>,
    extensions_lost: Vec<KindExtensionView>,
    permissions_gained: Vec<String>,
    permissions_lost: Vec<String>,
    /// The kinds whose items lose something.
    items: Vec<AffectedItemsView>,
}

impl From<ManifestChanges> for PluginChangesView {
    fn from(changes: ManifestChanges) -> Self {
        Self {
            kinds_gained: names(&changes.kinds_gained),
            kinds_lost: names(&changes.kinds_lost),
            kinds_regrouped: names(&changes.kinds_regrouped),
            fields_gained: views(changes.fields_gained),
            fields_lost: views(changes.fields_lost),
            fields_changed: views(changes.fields_changed),
            extensions_gained: views(changes.extensions_gained),
            extensions_lost: views(changes.extensions_lost),
            permissions_gained: changes.permissions_gained,
            permissions_lost: changes.permissions_lost,
            items: views(changes.items),
        }
    }
}

fn names(kinds: &[MediaKind]) -> Vec<String> {
    kinds.iter().map(MediaKind::to_string).collect()
}

fn views<T, V: From<T>>(changes: Vec<T>) -> Vec<V> {
    changes.into_iter().map(V::from).collect()
}
