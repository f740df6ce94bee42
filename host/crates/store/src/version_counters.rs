//! Reads the version counters that invalidate cached responses.

use crate::db::Database;
use svc_domain::id::UserId;
use svc_domain::kind::CachePartition;

/// Version counters of the stored media and of what each user did with them.
#[derive(Debug, Clone)]
pub struct VersionCounterRepository {
    pub(crate) db: Database,
}

impl VersionCounterRepository {
    /// Version of the media in this partition, or of all media. It only rises.
    pub fn media_version_counter(&self, part: Option<CachePartition>) -> u64 {
        self.db.version_counters().media(part)
    }

    /// Version of a user's history, ratings and queues. It only rises.
    pub fn personal_version_counter(&self, user: UserId) -> u64 {
        self.db.version_counters().personal(user)
    }
}
