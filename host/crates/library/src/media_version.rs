//! Version counters of everything on which responses about media depend.

use svc_domain::id::UserId;
use svc_domain::kind::CachePartition;
use svc_identity::actor::Actor;
use svc_identity::capability::CapabilitySet;
use svc_plugin_host::Plugins;
use svc_store::{IdentityRepository, VersionCounterRepository};

/// The versions for a caller: responses with equal versions are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MediaVersion {
    /// The caller.
    pub user: UserId,
    /// A token may restrict them.
    pub capabilities: CapabilitySet,
    /// Version counter of accounts, roles and grants.
    pub identity: i64,
    /// Version counter of the media.
    pub media: u64,
    /// Version counter of the caller's own data, such as ratings.
    pub personal: u64,
    /// Version of the plugins' states: items of a kind say whether its plugin is active.
    pub plugins: u64,
}

/// Reads the current versions.
#[derive(Debug, Clone)]
pub struct MediaStates {
    version_counters: VersionCounterRepository,
    identity: IdentityRepository,
    plugins: Plugins,
}

impl MediaStates {
    /// Creates the service.
    pub fn new(
        version_counters: VersionCounterRepository,
        identity: IdentityRepository,
        plugins: Plugins,
    ) -> Self {
        Self {
            version_counters,
            identity,
            plugins,
        }
    }

    /// The current versions for a caller; `part` restricts the media version to one cache partition.
    pub fn of(&self, actor: &Actor, part: Option<CachePartition>) -> MediaVersion {
        MediaVersion {
            user: actor.user.id,
            capabilities: actor.capabilities,
            identity: self.identity.identity_revision_of(actor.user.id),
            media: self.version_counters.media_version_counter(part),
            personal: self.version_counters.personal_version_counter(actor.user.id),
            plugins: self.plugins.state_version(),
        }
    }
}
