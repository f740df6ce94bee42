//! Phase 4: gathers what was read into short transactions.

use std::sync::Arc;
use std::time::Duration;

use flume::Receiver;
use tokio::time::{Instant, timeout_at};

use super::diff::PendingFolder;
use super::extract::ReadFile;
use super::progress::Progress;
use crate::domain::id::{FileId, IdGenerator, RunId};
use crate::domain::scan::{FileRecord, RunLogEntry};
use crate::domain::time::Clock;
use crate::store::{FolderDone, ScanBatch, ScanWriter, StoreError, StoredFile};

/// Files in one transaction. Larger ones cost less each, but hold the database's only writer for longer.
const FILES_PER_TRANSACTION: usize = 1000;

/// How long the first file of a transaction waits for others.
const GATHER_FOR: Duration = Duration::from_millis(200);

/// What the other phases hand to the store.
#[derive(Debug)]
pub(super) enum Persist {
    /// Files that were read.
    Read(Vec<ReadFile>),
    /// A directory in which nothing is to be read.
    Compared {
        /// The directory, if its stamp is to be stored.
        stamp: Option<Arc<PendingFolder>>,
        /// Files that were missing and are back.
        restored: Vec<FileId>,
    },
}

/// The storing of one run.
pub(super) struct Persisting<'a> {
    pub(super) run: RunId,
    pub(super) ids: &'a IdGenerator,
    pub(super) clock: &'a dyn Clock,
    pub(super) writer: &'a mut ScanWriter,
    pub(super) progress: &'a Progress,
}

impl Persisting<'_> {
    /// Stores until the phases before have ended.
    pub(super) async fn run(mut self, results: Receiver<Persist>) -> Result<(), StoreError> {
        while let Ok(first) = results.recv_async().await {
            let mut batch = ScanBatch {
                now: self.clock.now(),
                ..ScanBatch::default()
            };
            self.add(&mut batch, first);
            let deadline = Instant::now() + GATHER_FOR;
            while batch.files.len() < FILES_PER_TRANSACTION {
                match timeout_at(deadline, results.recv_async()).await {
                    Ok(Ok(next)) => self.add(&mut batch, next),
                    Ok(Err(_)) | Err(_) => break,
                }
            }
            let outcome = self.writer.persist(&batch).await?;
            self.progress.brought(outcome);
        }
        Ok(())
    }

    fn add(&mut self, batch: &mut ScanBatch, message: Persist) {
        match message {
            Persist::Read(files) => {
                for read in files {
                    self.add_file(batch, read);
                }
            }
            Persist::Compared { stamp, restored } => {
                batch.restored.extend(restored);
                batch.folders_done.extend(stamp.map(|folder| done(&folder)));
            }
        }
    }

    fn add_file(&mut self, batch: &mut ScanBatch, read: ReadFile) {
        if let FileRecord::Failed(failure) = &read.file.record {
            batch.logs.push(RunLogEntry {
                id: self.ids.next(self.clock.now()),
                run: self.run,
                event: "file_errored".to_owned(),
                kind: read.folder.root.directory.kind.clone(),
                path: read.folder.path.join_text(&read.file.name),
                plugin: Some(format!("{} {}", read.plugin.id, read.plugin.version)),
                reason: Some(failure.to_string()),
            });
        }
        if !read.try_again && read.folder.one_read() {
            batch.folders_done.push(done(&read.folder));
        }
        batch.files.push(StoredFile {
            file: read.file,
            plugin: Some(read.plugin),
        });
    }
}

/// The directory's new state, to be stored with the last of its files.
pub(super) fn done(folder: &PendingFolder) -> FolderDone {
    FolderDone {
        id: folder.id,
        stamp: Some(folder.stamp),
        file_count: folder.file_count,
    }
}
