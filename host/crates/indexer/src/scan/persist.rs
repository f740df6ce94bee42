//! Phase 4: gathers what was read into short transactions.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use flume::Receiver;
use tokio::time::{Instant, timeout_at};

use crate::scan::control::InFlightGuard;
use crate::scan::diff::PendingFolder;
use crate::scan::extract::ReadFile;
use crate::scan::moves::Moves;
use crate::scan::progress::{Outcome, Progress};
use crate::scan::run_log::{Details, RunLog};
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{FileRecord, RunLogEvent};
use svc_domain::time::Clock;
use svc_store::{FolderDone, IndexRepository, PluginVersion, ScanBatch, ScanWriter, StoreError, StoredFile};

/// Files in one transaction. Larger ones cost less each, but hold the database's only writer for longer.
const FILES_PER_TRANSACTION: usize = 1000;

/// How long the first file of a transaction waits for others.
const GATHER_FOR: Duration = Duration::from_millis(200);

/// What the other phases hand to the store.
#[derive(Debug)]
pub(super) enum Persist {
    /// Files that were read, and are at hand until they are stored.
    Read(Vec<ReadFile>, InFlightGuard),
    /// A directory in which nothing is to be read.
    Compared {
        /// The directory, if its stamp is to be stored.
        folder: Option<Arc<PendingFolder>>,
        /// Files that were missing and are back.
        restored: Vec<FileId>,
    },
    /// A file that waits for its plugins, which are shut off. For the log alone.
    Quarantined {
        /// Its directory.
        folder: Arc<PendingFolder>,
        /// Its number.
        id: FileId,
        /// Its name.
        name: String,
        /// The first of the plugins, with the reason.
        plugin: Arc<PluginVersion>,
        reason: Option<String>,
    },
    /// What a run would do, for the log alone.
    DryRun {
        /// Of the files.
        kind: MediaKind,
        /// What would happen to which file.
        lines: Vec<(RunLogEvent, RelativePath)>,
    },
}

/// What a run remembers of the files that it stored.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// Found at another place than before.
    pub(super) moved: HashSet<FileId>,
    /// Left as they are, because they could not be read now. The next run tries them again, this one does not.
    pub(super) left: HashSet<FileId>,
}

/// The storing of one run.
pub(super) struct Persister<'a, 'j> {
    pub(super) index: &'a IndexRepository,
    pub(super) clock: &'a dyn Clock,
    pub(super) progress: &'a Progress,
    pub(super) run_log: &'a mut RunLog<'j>,
    pub(super) writer: &'a mut ScanWriter,
    /// Files that stay as they are, because they could not be read.
    pub(super) left: HashSet<FileId>,
}

impl Persister<'_, '_> {
    /// Stores until the phases before have ended.
    pub(super) async fn run(mut self, results: Receiver<Persist>) -> Result<Stored, StoreError> {
        let mut moves = Moves::new(self.index);
        while let Ok(first) = results.recv_async().await {
            let mut batch = ScanBatch {
                now: self.clock.now(),
                ..ScanBatch::default()
            };
            let mut read = Vec::new();
            let mut in_flight = Vec::new();
            self.add(&mut batch, &mut read, &mut in_flight, first);
            let deadline = Instant::now() + GATHER_FOR;
            while read.len() < FILES_PER_TRANSACTION {
                match timeout_at(deadline, results.recv_async()).await {
                    Ok(Ok(next)) => self.add(&mut batch, &mut read, &mut in_flight, next),
                    Ok(Err(_)) | Err(_) => break,
                }
            }
            self.add_files(&mut batch, read, &mut moves).await?;
            let outcome = self.writer.persist(&batch).await?;
            self.progress.committed(outcome);
            drop(in_flight);
        }
        Ok(Stored {
            moved: moves.into_adopted(),
            left: self.left,
        })
    }

    /// Counts a file that was read, or that nobody could read.
    fn count(&self, folder: &PendingFolder, outcome: Outcome) {
        if let Some(counts) = self.progress.kind(&folder.root.directory.kind) {
            if folder.is_refreshed {
                counts.read_again(outcome);
            } else {
                counts.read(outcome);
            }
        }
    }

    fn add(
        &mut self,
        batch: &mut ScanBatch,
        read: &mut Vec<ReadFile>,
        in_flight: &mut Vec<InFlightGuard>,
        message: Persist,
    ) {
        match message {
            Persist::Read(files, until_stored) => {
                read.extend(files);
                in_flight.push(until_stored);
            }
            Persist::Compared { folder, restored } => {
                batch.restored.extend(restored);
                batch.folders_done.extend(folder.map(|folder| done(&folder)));
            }
            Persist::Quarantined {
                folder,
                id,
                name,
                plugin,
                reason,
            } => {
                self.count(&folder, Outcome::Errored);
                self.left.insert(id);
                let details = Details {
                    plugin: Some(plugin.to_string()),
                    reason,
                    diff: None,
                };
                let (kind, path) = (&folder.root.directory.kind, folder.path.join_text(&name));
                let event = RunLogEvent::Quarantined;
                batch
                    .logs
                    .extend(self.run_log.line(event, kind, path, details, batch.now));
            }
            Persist::DryRun { kind, lines } => {
                for (event, path) in lines {
                    let line = self
                        .run_log
                        .line(event, &kind, path, Details::default(), batch.now);
                    batch.logs.extend(line);
                }
            }
        }
    }

    async fn add_files(
        &mut self,
        batch: &mut ScanBatch,
        mut files: Vec<ReadFile>,
        moves: &mut Moves<'_>,
    ) -> Result<(), StoreError> {
        let mut moved = moves.adopt(&mut files).await?.into_iter().peekable();
        let known = files.iter().filter(|read| read.file.known);
        let known: HashSet<(FileId, i64)> = known.map(|read| (read.file.id, read.digest)).collect();
        let unchanged = self.index.files_that_say_the_same(&known).await?;
        for (at, read) in files.into_iter().enumerate() {
            let before = moved.next_if(|(place, _)| *place == at).map(|(_, before)| before);
            let unchanged = unchanged.contains(&read.file.id);
            self.add_file(batch, read, before, unchanged);
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        batch: &mut ScanBatch,
        read: ReadFile,
        moved_from: Option<String>,
        unchanged: bool,
    ) {
        // That a file could not be read is told by each run that tried.
        let (outcome, event) = match &read.file.record {
            FileRecord::Failed(_) => (Outcome::Errored, Some(RunLogEvent::Errored)),
            _ if unchanged => (Outcome::Unchanged, None),
            _ if read.file.known => (Outcome::Updated, Some(RunLogEvent::Updated)),
            _ => (Outcome::Added, Some(RunLogEvent::Added)),
        };
        self.count(&read.folder, outcome);
        let details = Details {
            plugin: Some(read.plugin.to_string()),
            reason: match &read.file.record {
                FileRecord::Failed(failure) => Some(failure.to_string()),
                _ => None,
            },
            diff: moved_from.map(|path| serde_json::json!({ "movedFrom": path }).to_string()),
        };
        if let Some(event) = event {
            let kind = &read.folder.root.directory.kind;
            let path = read.folder.path.join_text(&read.file.name);
            let line = self.run_log.line(event, kind, path, details, batch.now);
            batch.logs.extend(line);
        }
        if read.try_again && read.file.known {
            // What is stored of it holds until it can be read again, even if an earlier version of the plugin read it;
            // that it is there is known.
            self.left.insert(read.file.id);
            if !read.folder.is_refreshed {
                batch.restored.push(read.file.id);
            }
            return;
        }
        if !read.try_again && read.folder.one_read() {
            batch.folders_done.push(done(&read.folder));
        }
        batch.files.push(StoredFile {
            file: read.file,
            plugin: Some(read.plugin),
            digest: Some(read.digest),
            unchanged,
        });
    }
}

/// The directory's new state, to be stored with the last of its files.
pub(super) fn done(folder: &PendingFolder) -> FolderDone {
    FolderDone {
        id: folder.id,
        digest: Some(folder.digest),
        file_count: folder.file_count,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::scan::roots::{KindExtractors, ScanRoot};
    use crate::scan::sidecars;
    use svc_domain::extraction::ExtractFailure;
    use svc_domain::id::{DirectoryId, FolderId, IdGenerator, RunId};
    use svc_domain::scan::{Directory, ScannedFile};
    use svc_domain::time::SystemClock;
    use svc_platform::media_root::MediaRoot;
    use svc_store::{Store, StoreOptions, digest_of};

    /// A file whose storage failed.
    fn unread(folder: &Arc<PendingFolder>, id: i64, known: bool) -> ReadFile {
        let plugin = PluginVersion {
            id: "music".to_owned(),
            version: "0.1.0".to_owned(),
            digest: "ab12".to_owned(),
        };
        let file = ScannedFile {
            id: FileId::from(id),
            folder: folder.id,
            name: format!("{id}.mp3"),
            size: 0,
            mtime_ns: -1,
            fingerprint: None,
            related_stamp: None,
            known,
            record: FileRecord::Failed(ExtractFailure::Io("EIO".to_owned())),
        };
        ReadFile {
            folder: Arc::clone(folder),
            plugin: Arc::new(plugin),
            digest: digest_of(&file),
            file,
            try_again: true,
        }
    }

    #[tokio::test]
    async fn known_file_whose_storage_fails_is_logged_and_keeps_its_row() {
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
        let extractors = KindExtractors {
            by_extension: HashMap::new(),
            related: HashSet::new(),
        };
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
            left: HashSet::new(),
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
}
