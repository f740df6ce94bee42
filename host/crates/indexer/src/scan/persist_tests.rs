//! Tests of `persist.rs`.

use std::sync::Arc;

use super::*;
use crate::scan::roots::{KindExtractors, ScanRoot};
use crate::scan::sidecars;
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::{DirectoryId, FolderId, IdGenerator, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{Directory, ScannedFile};
use svc_domain::time::SystemClock;
use svc_platform::media_root::MediaRoot;
use svc_store::{PluginVersion, Store, StoreOptions, digest_of};

/// A file that could not be read because its storage failed.
fn unread(folder: &Arc<PendingFolder>, id: i64, known: bool) -> ReadFile {
    let plugin = PluginVersion {
        id: "music".to_owned(),
        version: "0.1.0".to_owned(),
        digest: "ab12".to_owned(),
        component: "ab12".to_owned(),
    };
    let file = ScannedFile {
        id: FileId::from(id),
        folder: folder.id,
        name: format!("{id}.mp3"),
        size: 0,
        mtime_ns: -1,
        fingerprint: None,
        sidecar_digest: None,
        known,
        record: FileRecord::Failed(ExtractFailure::Io("EIO".to_owned())),
    };
    ReadFile {
        folder: Arc::clone(folder),
        plugin: Arc::new(plugin),
        digest: digest_of(&file),
        file,
        try_again: true,
        kept_group: None,
    }
}

#[tokio::test]
async fn known_file_with_failing_storage_is_logged_and_keeps_its_row() {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", dir.path().join("index.db").display());
    let store = Store::open(&url, StoreOptions::default()).await.unwrap();
    let ids = Arc::new(IdGenerator::new(1));
    let directory = Directory {
        id: DirectoryId::from(1),
        kind: MediaKind::music(),
        path: dir.path().to_owned(),
        available: true,
        last_seen_at: None,
        file_count: 1,
    };
    let extractors = KindExtractors::default();
    let files = MediaRoot::open(dir.path()).unwrap();
    let root = Arc::new(ScanRoot::new(directory, files, extractors, Vec::new()).unwrap());
    let sidecars = sidecars::list(&root, &RelativePath::root()).unwrap();
    let mut folder =
        PendingFolder::unchanged(root, FolderId::from(2), RelativePath::root(), Arc::new(sidecars));
    folder.is_refreshed = false;
    let folder = Arc::new(folder);
    let progress = Progress::new([MediaKind::music()]);
    let mut run_log = RunLog::new(RunId::from(3), &ids);
    let mut writer = store.index.scan_writer(Arc::clone(&ids));
    let mut persister = Persister {
        index: &store.index,
        clock: &SystemClock,
        progress: &progress,
        run_log: &mut run_log,
        writer: &mut writer,
        left_unread: HashSet::new(),
    };

    let mut batch = ScanBatch::default();
    persister.add_file(&mut batch, unread(&folder, 4, true), None, false);
    assert!(batch.files.is_empty() && batch.folders_done.is_empty());
    assert_eq!(
        (batch.logs.len(), batch.restored.as_slice()),
        (1, &[FileId::from(4)][..])
    );

    persister.add_file(&mut batch, unread(&folder, 5, false), None, false);
    assert_eq!(
        (batch.logs.len(), batch.files.len(), batch.restored.len()),
        (2, 1, 1)
    );
    assert!(batch.folders_done.is_empty());
}
