//! The cursor of a queue: set by the user, moved by progress reports.

use super::{ExpectedRevisions, PlaybackQueues};
use crate::history::check_seconds;
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId};
use svc_domain::playback_queue::PlaybackQueue;
use svc_domain::user_data::ItemKey;
use svc_identity::actor::Actor;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::run_to_completion;

impl PlaybackQueues {
    /// Sets cursor and position.
    ///
    /// # Errors
    /// Not found; stale; invalid position or entry; database errors.
    pub async fn set_cursor(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        item: &str,
        seconds: f64,
        expected: ExpectedRevisions,
    ) -> Result<PlaybackQueue> {
        const ITEM: &str = "playbackQueueItemId";
        let item = item.parse::<PlaybackQueueItemId>();
        let item = item.map_err(|_| FieldError::new(ITEM, "must be an id"));
        let (item, position) = match (item, check_seconds(seconds)) {
            (Ok(item), Ok(position)) => (item, position),
            (item, position) => {
                let errors = item.err().into_iter().chain(position.err());
                return Err(ServiceError::Invalid(errors.collect()));
            }
        };
        let (this, user) = (self.clone(), actor.user.id);
        let moved = run_to_completion(&self.context.tasks, "queue-cursor", async move {
            let mut change = this.change(user, id, &expected).await?;
            if !change.set_cursor(item, position).await? {
                return Err(ServiceError::unknown(ITEM, "there is no such item in the queue"));
            }
            Ok(change.commit().await?)
        });
        let moved = moved.await?;
        self.extended(actor, moved).await
    }

    /// The actor's queue that contains this entry, if the entry is for the item `key`.
    ///
    /// # Errors
    /// Unknown; database errors.
    pub(crate) async fn queue_of_entry(
        &self,
        actor: &Actor,
        item: PlaybackQueueItemId,
        key: ItemKey,
    ) -> Result<PlaybackQueueId> {
        let found = self.playback_queues.queue_of_item(actor.user.id, item).await?;
        let queue = found.filter(|(_, found)| *found == key).map(|(queue, _)| queue);
        queue.ok_or_else(|| {
            let message = "none of your queues has this entry for the item";
            ServiceError::unknown("playbackQueueItemId", message)
        })
    }

    /// Moves the cursor to the entry of a progress report; does nothing if the entry was removed meanwhile.
    pub(crate) async fn advance_cursor(
        &self,
        actor: &Actor,
        (id, item): (PlaybackQueueId, PlaybackQueueItemId),
        position_ms: i64,
    ) -> Result<()> {
        let (this, user) = (self.clone(), actor.user.id);
        let moved = run_to_completion(&self.context.tasks, "queue-follow", async move {
            let mut change = this.change(user, id, &None).await?;
            change.set_cursor(item, position_ms).await?;
            Ok(change.commit().await?)
        });
        match moved.await {
            Ok(moved) => self.extended(actor, moved).await.map(drop),
            Err(ServiceError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
