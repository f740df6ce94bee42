//! What changed in the library since a client last asked, as far as it may know.

use crate::items::read_capability;
use svc_domain::change::Changes;
use svc_identity::actor::Actor;
use svc_identity::error::Result;
use svc_store::ChangeRepository;

/// The list of changes, as an actor sees it.
#[derive(Debug, Clone)]
pub struct ChangeList {
    changes: ChangeRepository,
}

impl ChangeList {
    /// Over this store.
    pub fn new(changes: ChangeRepository) -> Self {
        Self { changes }
    }

    /// The changes after `since`, of at most `take` looked at; without it none, and the place to begin from.
    ///
    /// # Errors
    /// The store's.
    pub async fn since(&self, actor: &Actor, since: Option<i64>, take: u32) -> Result<Changes> {
        let Changes {
            mut changes,
            next,
            incomplete,
        } = self.changes.changes(since, take).await?;
        changes.retain(|change| actor.may(read_capability(change.change.item)));
        let changes = self.changes.accessible_changes(&actor.scope, changes).await?;
        Ok(Changes {
            changes,
            next,
            incomplete,
        })
    }
}
