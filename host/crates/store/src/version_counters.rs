//! Numbers that rise when something is stored, so that an answer from before is known to be still true without asking
//! the database.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Store;
use crate::error::Result;
use crate::write_queue::{WritePriority, WriteTx};
use svc_domain::id::UserId;
use svc_domain::kind::CachePartition;

/// What of the media is known, and what users did with them. The data directory belongs to one process, so nobody else
/// stores such things.
#[derive(Debug, Default)]
pub(super) struct VersionCounters {
    /// For each part.
    media: [AtomicU64; 3],
    personal: Mutex<HashMap<UserId, u64>>,
}

/// Whose numbers a transaction raises.
#[derive(Debug)]
pub(super) enum Invalidation {
    /// What everybody sees: of this part, or of all.
    Media(Arc<VersionCounters>, Option<CachePartition>),
    /// What one user sees.
    Personal(Arc<VersionCounters>, UserId),
    /// Nothing that lists and items are made of.
    Nothing,
}

impl Invalidation {
    /// The transaction is committed, or may be.
    pub(super) fn apply(&self) {
        match self {
            Self::Media(version_counters, part) => {
                for number in version_counters.of(*part) {
                    number.fetch_add(1, Ordering::AcqRel);
                }
            }
            Self::Personal(version_counters, user) => {
                let mut personal = version_counters
                    .personal
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                *personal.entry(*user).or_default() += 1;
            }
            Self::Nothing => {}
        }
    }
}

impl VersionCounters {
    /// The numbers of this part, or of all.
    fn of(&self, part: Option<CachePartition>) -> &[AtomicU64] {
        let [music, photos, video] = &self.media;
        match part {
            None => &self.media,
            Some(CachePartition::Music) => std::slice::from_ref(music),
            Some(CachePartition::Photos) => std::slice::from_ref(photos),
            Some(CachePartition::Video) => std::slice::from_ref(video),
        }
    }
}

impl Store {
    /// The state of what is told of this part of the media, or of all. It only rises.
    pub fn media_version_counter(&self, part: Option<CachePartition>) -> u64 {
        let numbers = self.0.version_counters.of(part).iter();
        numbers.map(|number| number.load(Ordering::Acquire)).sum()
    }

    /// The state of what a user did with media: history, ratings, queues.
    pub fn personal_version_counter(&self, user: UserId) -> u64 {
        let personal = self
            .0
            .version_counters
            .personal
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        personal.get(&user).copied().unwrap_or(0)
    }

    /// Opens a transaction that changes what is told of media.
    pub(super) async fn write(&self, priority: WritePriority) -> Result<WriteTx> {
        let tx = self.0.write_queue.begin(self.pools(), priority).await?;
        Ok(tx.invalidating(Invalidation::Media(Arc::clone(&self.0.version_counters), None)))
    }

    /// What a batch of a scan raises that is about this part, or about several.
    pub(super) fn invalidated_by_batch(&self, part: Option<CachePartition>) -> Invalidation {
        Invalidation::Media(Arc::clone(&self.0.version_counters), part)
    }

    /// Opens a transaction that changes what is told of media to one user.
    pub(super) async fn write_for(&self, user: UserId) -> Result<WriteTx> {
        let tx = self
            .0
            .write_queue
            .begin(self.pools(), WritePriority::Interactive)
            .await?;
        Ok(tx.invalidating(Invalidation::Personal(Arc::clone(&self.0.version_counters), user)))
    }

    /// Opens a transaction over records of the server's own: runs, last use, the audit log.
    pub(super) async fn write_record(&self, priority: WritePriority) -> Result<WriteTx> {
        self.0.write_queue.begin(self.pools(), priority).await
    }
}
