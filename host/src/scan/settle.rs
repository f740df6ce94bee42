//! Phase 5: marks what is gone, unless too much is gone, and brings the counts up to date.

use super::diff::FolderLoss;
use super::persist::done;
use super::progress::Progress;
use super::roots::ScanRoot;
use crate::domain::id::FileId;
use crate::domain::scan::FileStatus;
use crate::domain::time::Timestamp;
use crate::store::{FolderDone, ScanBatch, ScanWriter, Store, StoreError};

/// A run that misses more than this share of a root's files marks none of them: a disk that is half there is far
/// more likely than so many deletions at once.
const MAX_LOST_SHARE: f64 = 0.3;

/// Up to this many files may go at once in any case, so that a small library can shrink.
const ALWAYS_MAY_GO: usize = 20;

/// Files marked in one transaction.
const FILES_PER_TRANSACTION: usize = 500;

/// Marks the losses of one root.
pub(super) async fn mark_missing(
    store: &Store,
    writer: &mut ScanWriter,
    progress: &Progress,
    root: &ScanRoot,
    mut losses: Vec<FolderLoss>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let vanished = root.vanished_folders();
    let mut vanished_files: Vec<FileId> = Vec::new();
    for folders in vanished.chunks(FILES_PER_TRANSACTION) {
        let files = store.files_in_folders(folders).await?;
        vanished_files.extend(
            files
                .iter()
                .filter(|f| f.status != FileStatus::Missing)
                .map(|file| file.id),
        );
    }
    let lost = vanished_files.len() + losses.iter().map(|loss| loss.missing.len()).sum::<usize>();
    let known = usize::try_from(root.known_files()).unwrap_or(0);
    if let Some(kind) = progress.kind(&root.directory.kind) {
        kind.missing(lost);
    }
    if lost > ALWAYS_MAY_GO && lost as f64 > known as f64 * MAX_LOST_SHARE {
        progress.warn(format!(
            "{}: {lost} of {known} files are gone; none is marked as missing. Is the disk there?",
            root.directory.path.display()
        ));
        return Ok(());
    }
    for files in vanished_files.chunks(FILES_PER_TRANSACTION) {
        writer
            .persist(&ScanBatch {
                missing: files.to_vec(),
                now,
                ..ScanBatch::default()
            })
            .await?;
    }
    let gone = |id| FolderDone {
        id,
        stamp: None,
        file_count: 0,
    };
    for folders in vanished.chunks(FILES_PER_TRANSACTION) {
        let folders_done = folders.iter().copied().map(gone).collect();
        writer
            .persist(&ScanBatch {
                folders_done,
                now,
                ..ScanBatch::default()
            })
            .await?;
    }
    while !losses.is_empty() {
        let mut batch = ScanBatch {
            now,
            ..ScanBatch::default()
        };
        while let Some(loss) = losses.pop() {
            if loss.folder.one_read() {
                batch.folders_done.push(done(&loss.folder));
            }
            batch.missing.extend(loss.missing);
            if batch.missing.len() >= FILES_PER_TRANSACTION {
                break;
            }
        }
        writer.persist(&batch).await?;
    }
    Ok(())
}
