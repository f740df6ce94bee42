//! Move detection: a new file with the fingerprint of a missing file takes over its identity.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::scan::work::ReadFile;
use svc_domain::id::FileId;
use svc_domain::scan::{FileRecord, FileStatus};
use svc_store::{FileByContent, IndexRepository, StoreError};

/// At this many files with the same content, duplicates are ambiguous: moves among them cannot be resolved, and
/// comparing all of them for each new file would take quadratic time. Further files are treated as new.
const AMBIGUOUS_DUPLICATES: usize = 1_000;

pub(super) struct Moves<'a> {
    index: &'a IndexRepository,
    /// Files that moved.
    adopted: HashSet<FileId>,
    /// Fingerprints of ambiguous duplicates.
    ambiguous_prints: HashSet<i64>,
}

impl<'a> Moves<'a> {
    pub(super) fn new(index: &'a IndexRepository) -> Self {
        Self {
            index,
            adopted: HashSet::new(),
            ambiguous_prints: HashSet::new(),
        }
    }

    /// The files that moved, and so are not missing.
    pub(super) fn into_adopted(self) -> HashSet<FileId> {
        self.adopted
    }

    /// Gives moved files their former ids; returns their former paths, by index in `files`.
    pub(super) async fn adopt(&mut self, files: &mut [ReadFile]) -> Result<Vec<(usize, String)>, StoreError> {
        let prints: Vec<i64> = files
            .iter()
            .filter(|read| is_new(read))
            .filter_map(fingerprint_of)
            .filter(|print| !self.ambiguous_prints.contains(print))
            .collect();
        if prints.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.index.files_by_fingerprint(&prints).await?;
        if known.is_empty() {
            return Ok(Vec::new());
        }
        self.note_ambiguous(&known);
        let gone = tokio::task::spawn_blocking(|| no_longer_present(known)).await;
        let mut gone = gone.unwrap_or_default();
        let mut moved = Vec::new();
        for (at, read) in files.iter_mut().enumerate() {
            if !is_new(read) {
                continue;
            }
            let fits = |file: &FileByContent| {
                Some(file.fingerprint) == fingerprint_of(read)
                    && file.size == read.file.size
                    && file.kind == read.folder.root.directory.kind
                    && !self.adopted.contains(&file.id)
            };
            // Chooses among equal candidates: a rename keeps the modification time, a move of a directory keeps names,
            // and files renamed together keep the differing part of their names. The oldest candidate wins a tie.
            let likeness = |file: &FileByContent| {
                let same_time = file.mtime_ns == read.file.mtime_ns;
                let (before, now) = (file.path.file_name(), read.file.name.as_str());
                (
                    same_time,
                    before == now,
                    common_affixes(before, now),
                    Reverse(file.id),
                )
            };
            let alike = gone.iter().enumerate().filter(|(_, file)| fits(file));
            let Some((found, _)) = alike.max_by_key(|(_, file)| likeness(file)) else {
                continue;
            };
            let before = gone.swap_remove(found);
            self.adopted.insert(before.id);
            read.file.id = before.id;
            read.file.known = true;
            moved.push((at, before.path.as_str().to_owned()));
        }
        Ok(moved)
    }

    fn note_ambiguous(&mut self, known: &[FileByContent]) {
        let mut alike: HashMap<i64, usize> = HashMap::new();
        for file in known {
            *alike.entry(file.fingerprint).or_default() += 1;
        }
        let ambiguous_prints = alike
            .into_iter()
            .filter(|(_, number)| *number >= AMBIGUOUS_DUPLICATES);
        self.ambiguous_prints
            .extend(ambiguous_prints.map(|(print, _)| print));
    }
}

/// Length of the common prefix plus that of the common suffix of the remainders.
fn common_affixes(one: &str, other: &str) -> usize {
    let shorter = one.chars().count().min(other.chars().count());
    let alike = |pair: &(char, char)| pair.0 == pair.1;
    let start = one.chars().zip(other.chars()).take_while(alike).count();
    let end = one
        .chars()
        .rev()
        .zip(other.chars().rev())
        .take_while(alike)
        .count();
    (start + end).min(shorter)
}

fn is_new(read: &ReadFile) -> bool {
    !read.file.known && !matches!(read.file.record, FileRecord::Failed(_))
}

fn fingerprint_of(read: &ReadFile) -> Option<i64> {
    read.file.fingerprint
}

/// Candidates that are missing at their old path although their root is available.
fn no_longer_present(files: Vec<FileByContent>) -> Vec<FileByContent> {
    let is_gone = |file: &FileByContent| {
        let there = file.path.below(&file.root).symlink_metadata();
        there.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) && holds_something(&file.root)
    };
    files
        .into_iter()
        // A file of an unavailable or no longer configured directory may still exist.
        .filter(|file| file.configured && (file.available || file.status == FileStatus::Missing))
        .filter(is_gone)
        .collect()
}

/// An empty root is considered an unmounted disk.
fn holds_something(root: &std::path::Path) -> bool {
    std::fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::common_affixes;

    #[test]
    fn shared_prefix_and_suffix_of_names_do_not_overlap() {
        assert_eq!(common_affixes("The Wire S01E02.mp4", "The Wiring S01E02.mp4"), 18);
        assert_eq!(common_affixes("The Wire S01E01.mp4", "The Wiring S01E02.mp4"), 11);
        assert_eq!(common_affixes("aa", "aaa"), 2);
        assert_eq!(common_affixes("a", ""), 0);
        assert_eq!(common_affixes("é.mp4", "e.mp4"), 4);
    }
}
