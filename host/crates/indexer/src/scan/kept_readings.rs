//! Kept readings: what an earlier version of a plugin read from a file, used again after a rollback to that version.

use std::sync::Arc;

use crate::scan::work::{PendingFolder, ReadFile};
use svc_domain::item::ItemRecord;
use svc_domain::path::extension;
use svc_domain::scan::{FileRecord, ScannedFile};
use svc_store::{KeptReading, StaleFile, digest_of};

/// The file as the version in use has read it before; `None` if it has to be read again: it or its sidecars changed, or
/// the record would not be the one that was read.
pub(super) fn restored(
    folder: &Arc<PendingFolder>,
    file: &StaleFile,
    kept: KeptReading,
    (plugin, digest): &(String, String),
) -> Option<ReadFile> {
    let root = &folder.root;
    let mut extractors = root.extractors.get(&*extension(&file.name))?.iter();
    let extractor = extractors
        .find(|extractor| extractor.version.id == *plugin && extractor.version.digest == *digest)?;
    let schema = root.schema.as_deref()?;
    let found = root.files.entry(&folder.path.join_text(&file.name)).ok()?;
    let sidecar_digest = folder.sidecars.digest(&file.name);
    let is_same = !found.is_directory
        && i64::try_from(found.size) == Ok(kept.size)
        && found.mtime_ns == kept.mtime_ns
        && sidecar_digest == kept.sidecar_digest;
    if !is_same {
        return None;
    }
    let record = ItemRecord::from_content(kept.content, kept.picture, schema, &folder.path, &file.name);
    let file = ScannedFile {
        id: file.id,
        folder: folder.id,
        name: file.name.clone(),
        size: kept.size,
        mtime_ns: kept.mtime_ns,
        fingerprint: kept.fingerprint,
        sidecar_digest,
        known: true,
        record: FileRecord::Item(Box::new(record)),
    };
    let digest = digest_of(&file);
    (digest == kept.record_digest).then(|| ReadFile {
        folder: Arc::clone(folder),
        plugin: Arc::clone(&extractor.version),
        digest,
        file,
        try_again: false,
        kept_group: kept.group,
    })
}
