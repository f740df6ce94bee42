//! JSON of previews of a plugin's version.

use salvo::oapi::ToSchema;
use serde::Serialize;
use serde_json::Value;

use crate::views::plugin_changes::PluginChangesView;
use svc_library::plugins::{Preview, PreviewedFile, Reading};

/// What a version reads from a file.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginReading"))]
#[serde(rename_all = "camelCase")]
pub struct ReadingView {
    /// `indexed`, `empty` (the file has no metadata), or the code of the failure.
    outcome: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl From<Reading> for ReadingView {
    fn from(reading: Reading) -> Self {
        let (outcome, message) = match reading {
            Reading::Record(_) => ("indexed".to_owned(), None),
            Reading::Nothing => ("empty".to_owned(), None),
            Reading::Failed { code, message } => (code, Some(message)),
        };
        Self { outcome, message }
    }
}

/// A field whose value differs.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginFieldChange"))]
#[serde(rename_all = "camelCase")]
pub struct FieldChangeView {
    field: String,
    /// The value that the version in use reads; `null` if there is none.
    before: Value,
    /// The value that the version that waits reads; `null` if there is none.
    after: Value,
}

/// A file as both versions read it.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PreviewedFile"))]
#[serde(rename_all = "camelCase")]
pub struct PreviewedFileView {
    kind: String,
    /// Path of the media directory on the server.
    root_dir: String,
    /// Relative to the media directory.
    relative_path: String,
    /// Why it is in the sample: `newest`, `oldest`, `largest`, `failed`.
    reasons: Vec<&'static str>,
    /// What the version in use reads; absent for a new plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<ReadingView>,
    /// What the version that waits reads.
    after: ReadingView,
    /// The fields whose values differ.
    changes: Vec<FieldChangeView>,
}

/// What a version that waits would change.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginPreview"))]
#[serde(rename_all = "camelCase")]
pub struct PluginPreviewView {
    /// The version in use; `null` for a new plugin.
    from: Option<String>,
    /// The version that waits.
    to: String,
    /// SHA-256 of the file of the version that waits: the `digest` with which `PATCH /plugins/{pluginId}` accepts it.
    digest: String,
    /// What the version that waits has more and less than the one in use.
    changes: PluginChangesView,
    /// Number of files that both versions read in the same way.
    unchanged: usize,
    /// Number of files of the sample that could not be opened, or not in time.
    left_out: usize,
    /// The files that were read, in no order.
    files: Vec<PreviewedFileView>,
}

impl From<Preview> for PluginPreviewView {
    fn from(preview: Preview) -> Self {
        let same = |file: &&PreviewedFile| file.before.as_ref() == Some(&file.after);
        Self {
            from: preview.from,
            to: preview.to,
            digest: preview.digest,
            unchanged: preview.files.iter().filter(same).count(),
            left_out: preview.left_out,
            changes: preview.changes.into(),
            files: preview.files.into_iter().map(PreviewedFileView::from).collect(),
        }
    }
}

impl From<PreviewedFile> for PreviewedFileView {
    fn from(file: PreviewedFile) -> Self {
        let changes = file.changes.into_iter().map(|change| FieldChangeView {
            field: change.field,
            before: change.before.unwrap_or_default(),
            after: change.after.unwrap_or_default(),
        });
        Self {
            kind: file.kind.to_string(),
            root_dir: file.root.display().to_string(),
            relative_path: file.path.as_str().to_owned(),
            reasons: file.reasons,
            before: file.before.map(ReadingView::from),
            after: file.after.into(),
            changes: changes.collect(),
        }
    }
}
