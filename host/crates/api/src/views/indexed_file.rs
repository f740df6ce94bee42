//! The explanation of the index entry of a file.

use std::collections::HashMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::extraction::{Extraction, Value};
use svc_domain::id::{DirectoryId, FileId};
use svc_domain::kind::MediaKind;
use svc_domain::scan::FileStatus;
use svc_domain::time::Timestamp;
use svc_library::indexed_files::{Explanation, FileReport, IndexedFile};

/// The plugin that read the file.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FilePlugin"))]
#[serde(rename_all = "camelCase")]
struct PluginView {
    plugin_id: String,
    version: String,
    digest: String,
}

/// The reason why a file is skipped or could not be read.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FileReason"))]
struct ReasonView {
    /// Skipped: `root_unavailable`, `not_found`, `ignored_name`, `ignored_by_rule`, `no_media`,
    /// `not_a_file`, `kind_unavailable`, `no_plugin`, `plugin_quarantined`. Not readable: `refused`, `invalid`,
    /// `unsupported`, `io`, `budget`, `timeout`, `out_of_memory`, `trap`, `bad_output`.
    code: String,
    message: String,
}

/// An extracted field of the file.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FileField"))]
struct FieldView {
    /// A key of `docs/plugin-keys.md`.
    key: String,
    value: serde_json::Value,
    /// Source of the value: `file`, or as reported by the plugin `nfo`, `name`, `folder` or `container`.
    source: String,
}

/// The entry of the file in the index.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "IndexedFile"))]
#[serde(rename_all = "camelCase")]
struct IndexedView {
    #[salvo(schema(value_type = String))]
    file_id: FileId,
    /// `indexed`, `errored` or `missing`.
    status: &'static str,
    size: i64,
    #[salvo(schema(value_type = String))]
    modified_at: Timestamp,
    #[salvo(schema(value_type = String))]
    first_seen_at: Timestamp,
    #[salvo(schema(value_type = Option<String>))]
    missing_since: Option<Timestamp>,
    plugin: Option<PluginView>,
    failure: Option<ReasonView>,
    /// Type of the item of the file, such as `music_track`, or of the item that the file is a source of.
    item_type: Option<&'static str>,
    item_id: Option<String>,
}

impl From<IndexedFile> for IndexedView {
    fn from(file: IndexedFile) -> Self {
        Self {
            file_id: file.id,
            status: match file.status {
                FileStatus::Indexed => "indexed",
                FileStatus::Errored => "errored",
                FileStatus::Missing => "missing",
            },
            size: file.size,
            modified_at: timestamp(file.mtime_ns),
            first_seen_at: file.id.created_at(),
            missing_since: file.missing_since,
            plugin: file.plugin.map(|(plugin_id, version, digest)| PluginView {
                plugin_id,
                version,
                digest,
            }),
            failure: file.failure.map(|(code, message)| ReasonView { code, message }),
            item_type: file.item.map(|(item, _)| item.as_str()),
            item_id: file.item.map(|(_, id)| FileId::from(id).to_string()),
        }
    }
}

fn timestamp(mtime_ns: i64) -> Timestamp {
    Timestamp::from_millis(mtime_ns.div_euclid(1_000_000))
}

/// What a run of the indexer would find now. The file was read for this response.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FileNow"))]
#[serde(rename_all = "camelCase")]
struct NowView {
    /// Bytes; `null` if the file does not exist.
    size: Option<u64>,
    #[salvo(schema(value_type = Option<String>))]
    modified_at: Option<Timestamp>,
    /// Why a run skips the file; `null` if it does not.
    skipped: Option<ReasonView>,
    /// The plugin that reads the file.
    plugin: Option<PluginView>,
    /// Why the plugin could not read the file.
    failure: Option<ReasonView>,
    fields: Vec<FieldView>,
    /// Problems in the file that did not prevent reading it.
    warnings: Vec<String>,
    /// Number of embedded pictures.
    pictures: usize,
    /// Sidecar files that the plugin may read.
    related: Vec<String>,
}

impl From<Explanation> for NowView {
    fn from(now: Explanation) -> Self {
        let mut view = Self {
            size: now.size,
            modified_at: now.mtime_ns.map(timestamp),
            skipped: now.skipped.map(|skipped| ReasonView {
                code: skipped.code().to_owned(),
                message: skipped.message(),
            }),
            plugin: None,
            failure: None,
            fields: Vec::new(),
            warnings: Vec::new(),
            pictures: 0,
            related: now.related,
        };
        let Some((plugin, outcome)) = now.read else {
            return view;
        };
        view.plugin = Some(PluginView {
            plugin_id: plugin.id,
            version: plugin.version,
            digest: plugin.digest,
        });
        match outcome {
            Ok(extraction) => {
                let extraction = extraction.unwrap_or_default();
                view.fields = fields(&extraction);
                view.pictures = extraction.pictures.len();
                view.warnings = extraction.warnings;
            }
            Err(failure) => {
                view.failure = Some(ReasonView {
                    code: failure.code().to_owned(),
                    message: failure.to_string(),
                });
            }
        }
        view
    }
}

/// The fields of an extraction with their sources.
fn fields(extraction: &Extraction) -> Vec<FieldView> {
    let reported = extraction
        .fields
        .iter()
        .find(|field| field.key == "field-sources");
    let reported = match reported.map(|field| &field.value) {
        Some(Value::Texts(texts)) => texts.as_slice(),
        _ => &[],
    };
    let sources: HashMap<&str, &str> = reported.iter().filter_map(|text| text.split_once('=')).collect();
    let field = |key: &str, value: serde_json::Value| FieldView {
        key: key.to_owned(),
        value,
        source: (*sources.get(key).unwrap_or(&"file")).to_owned(),
    };
    let core = [
        ("title", extraction.title.clone().map(serde_json::Value::from)),
        ("duration-ms", extraction.duration_ms.map(serde_json::Value::from)),
        ("width", extraction.width.map(serde_json::Value::from)),
        ("height", extraction.height.map(serde_json::Value::from)),
    ];
    let core = core
        .into_iter()
        .filter_map(|(key, value)| Some(field(key, value?)));
    let others = extraction
        .fields
        .iter()
        .filter(|other| other.key != "field-sources");
    core.chain(others.map(|other| field(&other.key, other.value.to_json())))
        .collect()
}

/// A file as it is in the index, and as a run of the indexer would find it now.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FileReport"))]
#[serde(rename_all = "camelCase")]
pub struct FileReportView {
    #[salvo(schema(value_type = String))]
    directory_id: DirectoryId,
    #[salvo(schema(value_type = String))]
    root_dir: MediaKind,
    relative_path: String,
    /// `null` if the file is not in the index.
    indexed: Option<IndexedView>,
    now: NowView,
}

impl From<FileReport> for FileReportView {
    fn from(report: FileReport) -> Self {
        Self {
            directory_id: report.directory.id,
            root_dir: report.directory.kind,
            relative_path: report.path.as_str().to_owned(),
            indexed: report.indexed.map(IndexedView::from),
            now: report.now.into(),
        }
    }
}
