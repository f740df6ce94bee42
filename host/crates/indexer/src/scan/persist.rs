//! Phase 4: stores read files in short transactions.

use std::collections::HashSet;
use std::time::Duration;

use flume::Receiver;
use tokio::time::{Instant, timeout_at};

use crate::scan::control::InFlightGuard;
use crate::scan::moves::Moves;
use crate::scan::progress::{Outcome, Progress};
use crate::scan::run_log::{Details, RunLog};
use crate::scan::work::{PendingFolder, Persist, ReadFile};
use svc_domain::id::FileId;
use svc_domain::scan::{FileRecord, RunLogEvent};
use svc_domain::time::Clock;
use svc_store::{FolderDone, IndexRepository, ScanBatch, ScanWriter, StoreError, StoredFile};

/// Files per transaction. Larger ones are cheaper per file, but block other writers for longer.
const FILES_PER_TRANSACTION: usize = 1000;

/// How long a transaction waits for more files.
const GATHER_FOR: Duration = Duration::from_millis(200);

/// Files that later phases have to know.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// Found at another path.
    pub(super) moved: HashSet<FileId>,
    /// Unchanged in the database because they could not be read. The next run retries them, this one does not.
    pub(super) left_unread: HashSet<FileId>,
}

/// The persist phase of one run.
pub(super) struct Persister<'a, 'j> {
    pub(super) index: &'a IndexRepository,
    pub(super) clock: &'a dyn Clock,
    pub(super) progress: &'a Progress,
    pub(super) run_log: &'a mut RunLog<'j>,
    pub(super) writer: &'a mut ScanWriter,
    /// Files that stay unchanged because they could not be read.
    pub(super) left_unread: HashSet<FileId>,
}

impl Persister<'_, '_> {
    /// Stores messages until the earlier phases have ended.
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
            left_unread: self.left_unread,
        })
    }

    /// Counts a file as read or failed.
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
                batch
                    .folders_done
                    .extend(folder.map(|folder| folder_done(&folder)));
            }
            Persist::Quarantined {
                folder,
                id,
                name,
                plugin,
                reason,
            } => {
                self.count(&folder, Outcome::Errored);
                self.left_unread.insert(id);
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
        let unchanged = self.index.unchanged_files(&known).await?;
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
        // Each run logs the files that it could not read.
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
                FileRecord::Failed(failure) => Some(format!("{}: {failure}", failure.code())),
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
            // The stored record stays valid until the file can be read, even if an earlier plugin version wrote it; the
            // file is known to exist.
            self.left_unread.insert(read.file.id);
            if !read.folder.is_refreshed {
                batch.restored.push(read.file.id);
            }
            return;
        }
        if !read.try_again && read.folder.mark_read() {
            batch.folders_done.push(folder_done(&read.folder));
        }
        batch.files.push(StoredFile {
            file: read.file,
            plugin: Some(read.plugin),
            digest: Some(read.digest),
            unchanged,
            kept_group: read.kept_group,
        });
    }
}

/// The new state of a directory, stored with the last of its files.
pub(super) fn folder_done(folder: &PendingFolder) -> FolderDone {
    FolderDone {
        id: folder.id,
        digest: Some(folder.digest),
        file_count: folder.file_count,
    }
}

#[cfg(test)]
#[path = "persist_tests.rs"]
mod tests;
