//! Monotonic version counters that invalidate cached responses without a query.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use svc_domain::id::UserId;
use svc_domain::kind::CachePartition;

/// Versions of the media and of the data of each user. Only this process writes such data, because the data directory
/// belongs to one process.
#[derive(Debug, Default)]
pub struct VersionCounters {
    /// One per cache partition.
    media: [AtomicU64; 4],
    personal: Mutex<HashMap<UserId, u64>>,
}

/// The counters that the commit of a transaction raises.
#[derive(Debug)]
pub enum Invalidation {
    /// The media of this partition, or of all.
    Media(Arc<VersionCounters>, Option<CachePartition>),
    /// The data of one user.
    Personal(Arc<VersionCounters>, UserId),
    /// No counter: no cached response depends on the data.
    Nothing,
}

impl Invalidation {
    /// Raises the counters once the transaction is, or may be, committed.
    pub fn apply(&self) {
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
    pub fn media(&self, part: Option<CachePartition>) -> u64 {
        let counters = self.of(part).iter();
        counters.map(|counter| counter.load(Ordering::Acquire)).sum()
    }

    /// That of one user's data.
    pub fn personal(&self, user: UserId) -> u64 {
        let personal = self.personal.lock().unwrap_or_else(PoisonError::into_inner);
        personal.get(&user).copied().unwrap_or(0)
    }

    /// The counters of this partition, or of all.
    fn of(&self, part: Option<CachePartition>) -> &[AtomicU64] {
        let [music, photos, video, items] = &self.media;
        match part {
            None => &self.media,
            Some(CachePartition::Music) => std::slice::from_ref(music),
            Some(CachePartition::Photos) => std::slice::from_ref(photos),
            Some(CachePartition::Video) => std::slice::from_ref(video),
            Some(CachePartition::Items) => std::slice::from_ref(items),
        }
    }
}
