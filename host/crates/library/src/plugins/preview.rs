//! Previews of a version that waits: a sample of files, read by the version in use and by the one that waits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use svc_domain::audit::AuditEvent;
use svc_domain::extraction::{ExtractOutcome, Extraction};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::plugin::PluginDecisions;
use svc_domain::scan::Directory;
use svc_identity::AuthContext;
use svc_identity::error::{Result, ServiceError, TryLater};
use svc_indexer::scan::read_with;
use svc_plugin_host::{PluginHandle, Plugins, UploadedPlugin};
use svc_store::SampledFile;

use crate::plugins::loading::without_components;
use crate::plugins::sample::choose;
use crate::plugins::{ManifestChanges, PluginAdmin, conflict};

/// Files of a preview, at most.
pub const MOST_FILES: u32 = 200;
/// After this, the remaining files are left out.
const READING_TIME: Duration = Duration::from_secs(60);
/// How long a client waits before it asks again while another preview runs.
const RETRY: Duration = Duration::from_secs(10);

/// What a version that waits would change.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The version in use; `None` for a new plugin.
    pub from: Option<String>,
    /// The version that waits.
    pub to: String,
    /// Digest of the version that waits.
    pub digest: String,
    /// What the version that waits has more and less.
    pub changes: ManifestChanges,
    /// The files that were read.
    pub files: Vec<PreviewedFile>,
    /// Files that were not read because the time was over.
    pub left_out: usize,
}

/// A file as both versions read it.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewedFile {
    /// Its kind.
    pub kind: MediaKind,
    /// Its root directory on this machine.
    pub root: PathBuf,
    /// Below the root.
    pub path: RelativePath,
    /// Why it is in the sample: `newest`, `oldest`, `largest`, `failed`.
    pub reasons: Vec<&'static str>,
    /// What the version in use reads; `None` for a new plugin.
    pub before: Option<Reading>,
    /// What the version that waits reads.
    pub after: Reading,
    /// Fields whose values differ, by name.
    pub changes: Vec<FieldChange>,
}

/// What a version reads from a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Values by field.
    Record(BTreeMap<String, Json>),
    /// The file has no metadata.
    Nothing,
    /// The file could not be read.
    Failed {
        /// The code of the failure.
        code: String,
        /// A sentence for people.
        message: String,
    },
}

/// A field whose value differs.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// Its name.
    pub field: String,
    /// The value that the version in use reads, if any.
    pub before: Option<Json>,
    /// The value that the version that waits reads, if any.
    pub after: Option<Json>,
}

impl PluginAdmin {
    /// Reads a sample of files with the version in use and with the one that waits, which has all permissions that it
    /// asks for while it does. Nothing is stored.
    ///
    /// # Errors
    /// Not found; conflict `plugin_action_conflict` if no version waits or it cannot be loaded; try later while another
    /// preview runs; database errors.
    pub async fn preview(&self, by: AuthContext, plugin_id: String, files: u32) -> Result<Preview> {
        // A caller who lost its rights since the request was authorized must not start anything.
        drop(self.parts().context.change_by(&by).await?);
        let busy = |_| TryLater::busy("another preview is running; try again", RETRY);
        let turn = Arc::clone(&self.0.previewing).try_acquire_owned().map_err(busy)?;
        let plugin = self.get(&plugin_id).await?;
        let decided = self.parts().repository.decisions().await?;
        let (digest, waiting) = self.waiting(&plugin_id, &decided).await?;
        let choices = without_components(&decided);
        let new = self
            .on_plugin_host(move |plugins| plugins.load_beside(&waiting, &choices))
            .await?;
        let new = new.map_err(|state| {
            let reason = state.reason().unwrap_or(state.name());
            conflict(format!("the version that waits cannot be loaded: {reason}"))
        })?;
        let candidate = plugin.candidate.as_ref();
        let candidate = candidate.filter(|candidate| candidate.version.digest == digest);
        let examined = candidate.map(|candidate| &candidate.examined.manifest);
        let manifest = examined.or(plugin.status.manifest.as_ref());
        let manifest = manifest.ok_or_else(|| conflict("its manifest cannot be read"))?;
        let in_use = candidate.and(plugin.status.manifest.as_ref());
        let mut changes = ManifestChanges::between(in_use, manifest);
        self.count_affected(&mut changes, manifest).await?;
        let sample = choose(&self.parts().files, manifest, files.clamp(1, MOST_FILES)).await?;
        let directories = self.parts().directories.list_directories().await?;
        let old = self.parts().plugins.handle(&plugin_id);
        tracing::info!(plugin = plugin_id, user = %by.actor.user.id, files = sample.len(), "preview of a plugin's version");
        let log = &self.parts().log;
        let details = [
            ("plugin", plugin_id),
            ("version", new.version().to_owned()),
            ("digest", digest.clone()),
        ];
        log.record(AuditEvent::PluginPreviewed, Some(by.actor.user.id), &details)
            .await;
        let preview = self.on_plugin_host(move |plugins| {
            // Held while the files are read, even if the client has hung up.
            let _turn = turn;
            read(&plugins, &directories, sample, old.as_ref(), (&new, digest))
        });
        Ok(Preview {
            changes,
            ..preview.await?
        })
    }

    /// Digest of the version that waits, and the version with all permissions that it asks for.
    async fn waiting(
        &self,
        plugin_id: &str,
        decided: &[PluginDecisions],
    ) -> Result<(String, UploadedPlugin)> {
        let of_plugin = decided.iter().find(|decisions| decisions.plugin_id == plugin_id);
        let digest = of_plugin.and_then(|decisions| decisions.candidate.clone());
        let digest = digest.ok_or_else(|| conflict("no version waits for its permissions"))?;
        let component = self.parts().repository.component(&digest).await?;
        let component = component.ok_or(ServiceError::NotFound)?;
        let plugin = UploadedPlugin {
            id: plugin_id.to_owned(),
            granted: Some(svc_plugin_host::OFFERED.map(str::to_owned).into()),
            component: component.into(),
            signed_by: None,
        };
        Ok((digest, plugin))
    }
}

/// Reads the files with both versions. Blocks.
fn read(
    plugins: &Plugins,
    directories: &[Directory],
    sample: Vec<(SampledFile, Vec<&'static str>)>,
    old: Option<&PluginHandle>,
    (new, digest): (&PluginHandle, String),
) -> Preview {
    let started = Instant::now();
    let mut worker = plugins.worker();
    let readers: Vec<&PluginHandle> = old.into_iter().chain([new]).collect();
    let mut preview = Preview {
        from: old.map(|old| old.version().to_owned()),
        to: new.version().to_owned(),
        digest,
        changes: ManifestChanges::default(),
        files: Vec::new(),
        left_out: 0,
    };
    for (file, reasons) in sample {
        let mut same = directories.iter();
        let directory = same.find(|directory| directory.path == file.root && directory.kind == file.kind);
        let Some(directory) = directory.filter(|_| started.elapsed() < READING_TIME) else {
            preview.left_out += 1;
            continue;
        };
        let outcomes = read_with(&mut worker, plugins, directory.clone(), &file.path, &readers);
        // A file that is gone or unreadable is none of the plugin's doing.
        let Ok(mut outcomes) = outcomes else {
            preview.left_out += 1;
            continue;
        };
        let Some(after) = outcomes.pop().map(Reading::of) else {
            continue;
        };
        let before = outcomes.pop().map(Reading::of);
        preview.files.push(PreviewedFile {
            kind: file.kind,
            root: file.root,
            path: file.path,
            reasons,
            changes: changes(before.as_ref(), &after),
            before,
            after,
        });
    }
    preview
}

impl Reading {
    fn of(outcome: ExtractOutcome) -> Self {
        match outcome {
            Ok(Some(extraction)) => Self::Record(values(&extraction)),
            Ok(None) => Self::Nothing,
            Err(failure) => Self::Failed {
                code: failure.code().to_owned(),
                message: failure.to_string(),
            },
        }
    }

    fn values(&self) -> BTreeMap<String, Json> {
        match self {
            Self::Record(values) => values.clone(),
            Self::Nothing | Self::Failed { .. } => BTreeMap::new(),
        }
    }
}

/// All of a record by name.
fn values(extraction: &Extraction) -> BTreeMap<String, Json> {
    let Extraction {
        title,
        duration_ms,
        width,
        height,
        fields,
        pictures,
        warnings,
    } = extraction;
    let common = [
        ("title", title.as_ref().map(|title| json!(title))),
        ("durationMs", duration_ms.map(|millis| json!(millis))),
        ("width", width.map(|pixels| json!(pixels))),
        ("height", height.map(|pixels| json!(pixels))),
        (
            "pictures",
            (!pictures.is_empty()).then(|| pictures_json(extraction)),
        ),
        ("warnings", (!warnings.is_empty()).then(|| json!(warnings))),
    ];
    let common = common
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let fields = fields.iter();
    common
        .chain(fields.map(|field| (field.key.clone(), field.value.to_json())))
        .collect()
}

fn pictures_json(extraction: &Extraction) -> Json {
    let pictures = extraction.pictures.iter();
    pictures
        .map(|picture| json!({ "purpose": picture.purpose, "mime": picture.mime }))
        .collect()
}

fn changes(before: Option<&Reading>, after: &Reading) -> Vec<FieldChange> {
    let (before, after) = (before.map(Reading::values).unwrap_or_default(), after.values());
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differing = names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name));
    differing
        .map(|name| FieldChange {
            field: name.clone(),
            before: before.get(name).cloned(),
            after: after.get(name).cloned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_domain::extraction::{ExtractFailure, Field, Value};

    fn extraction(title: &str, fields: &[(&str, i64)]) -> ExtractOutcome {
        Ok(Some(Extraction {
            title: Some(title.to_owned()),
            fields: fields
                .iter()
                .map(|(key, number)| Field {
                    key: (*key).to_owned(),
                    value: Value::Integer(*number),
                })
                .collect(),
            ..Extraction::default()
        }))
    }

    #[test]
    fn changes_name_each_field_that_differs_is_gone_or_is_new() {
        let before = Reading::of(extraction(
            "A",
            &[("x.a.same", 1), ("x.a.gone", 2), ("x.a.other", 3)],
        ));
        let after = Reading::of(extraction(
            "A",
            &[("x.a.same", 1), ("x.a.new", 2), ("x.a.other", 4)],
        ));
        let found: Vec<_> = changes(Some(&before), &after)
            .into_iter()
            .map(|change| (change.field, change.before, change.after))
            .collect();
        assert_eq!(
            found,
            [
                ("x.a.gone".to_owned(), Some(json!(2)), None),
                ("x.a.new".to_owned(), None, Some(json!(2))),
                ("x.a.other".to_owned(), Some(json!(3)), Some(json!(4))),
            ]
        );
        assert!(changes(Some(&before), &before).is_empty());
    }

    #[test]
    fn failure_loses_all_fields() {
        let before = Reading::of(extraction("A", &[]));
        let after = Reading::of(Err(ExtractFailure::Unsupported("a new format".to_owned())));
        assert!(matches!(&after, Reading::Failed { code, .. } if code == "unsupported"));
        assert_eq!(changes(Some(&before), &after).len(), 1);
    }
}
