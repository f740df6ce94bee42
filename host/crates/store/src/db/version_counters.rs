//! Numbers that rise when something is stored, so that an answer from before is known to be still true without asking
//! the database.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::db::Database;
use crate::db::write_queue::{WritePriority, WriteTx};
use crate::error::Result;
use svc_domain::id::UserId;
use svc_domain::kind::CachePartition;

/// What of the media is known, and what users did with them. The data directory belongs to one process, so nobody else
/// stores such things.
#[derive(Debug, Default)]
pub(crate) struct VersionCounters {
    /// For each part.
    media: [AtomicU64; 3],
    personal: Mutex<HashMap<UserId, u64>>,
}

/// Whose numbers a transaction raises.
#[derive(Debug)]
pub(crate) enum Invalidation {
    /// What everybody sees: of this part, or of all.
    Media(Arc<VersionCounters>, Option<CachePartition>),
    /// What one user sees.
    Personal(Arc<VersionCounters>, UserId),
    /// Nothing that lists and items are made of.
    Nothing,
}

impl Invalidation {
    /// The transaction is committed, or may be.
    pub(crate) fn apply(&self) {
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
    /// Sum of the counters of this partition, or of all.
    pub(crate) fn media(&self, part: Option<CachePartition>) -> u64 {
        let counters = self.of(part).iter();
        counters.map(|counter| counter.load(Ordering::Acquire)).sum()
    }

    pub(crate) fn personal(&self, user: UserId) -> u64 {
        let personal = self.personal.lock().unwrap_or_else(PoisonError::into_inner);
        personal.get(&user).copied().unwrap_or(0)
    }

    /// The counters of this partition, or of all.
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

impl Database {
    /// Opens a transaction that changes what is told of media.
    pub(crate) async fn write(&self, priority: WritePriority) -> Result<WriteTx> {
        let tx = self.0.write_queue.begin(self.pools(), priority).await?;
        Ok(tx.invalidating(Invalidation::Media(Arc::clone(&self.0.version_counters), None)))
    }

    /// What a batch of a scan raises that is about this part, or about several.
    pub(crate) fn invalidated_by_batch(&self, part: Option<CachePartition>) -> Invalidation {
        Invalidation::Media(Arc::clone(&self.0.version_counters), part)
    }

    /// Opens a transaction that changes what is told of media to one user.
    pub(crate) async fn write_for(&self, user: UserId) -> Result<WriteTx> {
        let tx = self
            .0
            .write_queue
            .begin(self.pools(), WritePriority::Interactive)
            .await?;
        Ok(tx.invalidating(Invalidation::Personal(Arc::clone(&self.0.version_counters), user)))
    }

    /// Opens a transaction over records of the server's own: runs, last use, the audit log.
    pub(crate) async fn write_record(&self, priority: WritePriority) -> Result<WriteTx> {
        self.0.write_queue.begin(self.pools(), priority).await
    }
}
