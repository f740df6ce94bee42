//! The changes in the library since a client's last request.

use crate::items::read_capability;
use svc_domain::change::Changes;
use svc_identity::actor::Actor;
use svc_identity::error::Result;
use svc_store::ChangeRepository;

/// The change feed, restricted to what the actor may see.
#[derive(Debug, Clone)]
pub struct ChangeList {
    changes: ChangeRepository,
}

impl ChangeList {
    /// Creates the service.
    pub fn new(changes: ChangeRepository) -> Self {
        Self { changes }
    }

    /// The changes after `since`, from at most `take` rows; without `since`, no changes and the current position.
    ///
    /// # Errors
    /// Database errors.
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
