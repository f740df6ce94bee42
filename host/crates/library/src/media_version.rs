//! The state of all that an answer about media is made of.

use svc_domain::id::UserId;
use svc_domain::kind::CachePartition;
use svc_identity::actor::Actor;
use svc_identity::capability::CapabilitySet;
use svc_store::{IdentityRepository, VersionCounterRepository};

/// What answers about media are made of, for a caller: equal states, equal answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MediaVersion {
    /// The caller.
    pub user: UserId,
    /// A token may be narrowed.
    pub capabilities: CapabilitySet,
    /// Version of accounts, roles and grants.
    pub identity: i64,
    /// Version of the media.
    pub media: u64,
    /// Version of what belongs to the caller alone, such as ratings.
    pub personal: u64,
}

/// Reads the state of this moment.
#[derive(Debug, Clone)]
pub struct MediaStates {
    version_counters: VersionCounterRepository,
    identity: IdentityRepository,
}

impl MediaStates {
    /// From this store.
    pub fn new(version_counters: VersionCounterRepository, identity: IdentityRepository) -> Self {
        Self {
            version_counters,
            identity,
        }
    }

    /// The state of this moment, for this caller: of all that answers about this part of the media are made of, or answers
    /// about all of them.
    pub fn of(&self, actor: &Actor, part: Option<CachePartition>) -> MediaVersion {
        MediaVersion {
            user: actor.user.id,
            capabilities: actor.capabilities,
            identity: self.identity.identity_revision_of(actor.user.id),
            media: self.version_counters.media_version_counter(part),
            personal: self.version_counters.personal_version_counter(actor.user.id),
        }
    }
}
