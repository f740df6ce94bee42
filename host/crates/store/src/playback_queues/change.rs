//! Changes of a queue: several steps in one transaction that locks the queue and raises its revision once.

use crate::playback_queues::PlaybackQueueRepository;
use crate::playback_queues::QUEUES;
use crate::playback_queues::QueueRow;
use sqlx::AssertSqlSafe;
use svc_database::args::{Arg, args};
use svc_database::bulk::{Bulk, SqlTexts};
use svc_database::write_queue::WriteTx;
use svc_database::{Result, StoreError};
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId, UserId};
use svc_domain::playback_queue::{DrawState, MAX_QUEUES, PlaybackQueue, QueueCursor};
use svc_domain::time::Timestamp;
use svc_domain::user_data::ItemKey;

/// Distance of adjacent places: room for twenty moves to the same place, and for the maximum number of items when all
/// places are reassigned.
const GAP: i64 = 1 << 20;

const INSERT_QUEUE: &str = "INSERT INTO playback_queues (queue_id, user_id, queue_type, seed, seeds, revision, \
    cursor_ms, draw_round, created_at, modified_at) VALUES ($1, $2, $3, $4, $5, 1, 0, 0, $6, $6)";
/// Deletes a user's oldest queues beyond the limit.
const MAKE_ROOM: &str = "DELETE FROM playback_queues WHERE queue_id IN (SELECT q.queue_id FROM playback_queues q \
    WHERE q.user_id = $1 ORDER BY q.modified_at DESC, q.queue_id DESC LIMIT 1000 OFFSET $2)";
const HOLD: &str = "UPDATE playback_queues SET modified_at = $3 WHERE queue_id = $1 AND user_id = $2";
const STORE: &str = "UPDATE playback_queues SET revision = $2, cursor_item_id = $3, cursor_ms = $4, draw_round = $5, \
    drawn_place = $6, drawn_id = $7 WHERE queue_id = $1";
const SPREAD: &str = "UPDATE playback_queue_items SET place = r.number * 1048576 FROM (SELECT i.queue_item_id, \
    row_number() OVER (ORDER BY i.place, i.queue_item_id) AS number FROM playback_queue_items i \
    WHERE i.queue_id = $1) AS r WHERE r.queue_item_id = playback_queue_items.queue_item_id";

static INSERT_ITEMS: Bulk = Bulk {
    head: "INSERT INTO playback_queue_items (queue_item_id, queue_id, place, item_type, item_id) VALUES",
    columns: 5,
    constants: "",
    tail: "",
};

/// Position of inserted or moved items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePosition {
    /// First.
    Front,
    /// After this item.
    After(PlaybackQueueItemId),
    /// Last.
    End,
}

/// An open change of one queue. Dropping it without `commit` rolls back.
#[derive(Debug)]
pub struct QueueChange {
    tx: WriteTx,
    queue: PlaybackQueue,
    changed: bool,
}

/// `count` places between two others; `None` if there is no room.
fn places(low: Option<i64>, high: Option<i64>, count: usize) -> Option<Vec<i64>> {
    let count = i64::try_from(count).ok()?;
    let (first, step) = match (low, high) {
        (None, None) => (GAP, GAP),
        (Some(low), None) => (low.checked_add(GAP)?, GAP),
        (None, Some(high)) => (high.checked_sub(GAP.checked_mul(count)?)?, GAP),
        (Some(low), Some(high)) => {
            let step = high.checked_sub(low)? / (count + 1);
            (low.checked_add(step)?, step)
        }
    };
    // The last place must not overflow either.
    first.checked_add(step.checked_mul(count)?)?;
    (step > 0).then(|| (0..count).map(|number| first + number * step).collect())
}

impl PlaybackQueueRepository {
    /// Begins to add a queue; deletes the user's oldest one at the limit.
    pub async fn create_queue(&self, queue: PlaybackQueue) -> Result<QueueChange> {
        let mut tx = self.db.write_for(queue.user).await?;
        let values = args![
            queue.id.get(),
            queue.user.get(),
            queue.queue_type as i16,
            queue.seed.as_str(),
            serde_json::json!(queue.seeds).to_string(),
            queue.created_at,
        ];
        tx.execute(INSERT_QUEUE, &values).await?;
        let room = i64::try_from(MAX_QUEUES).unwrap_or(i64::MAX);
        tx.execute(MAKE_ROOM, &args![queue.user.get(), room]).await?;
        Ok(QueueChange {
            tx,
            queue,
            changed: false,
        })
    }

    /// Begins an exclusive change of a queue of this user; `None` if there is none.
    pub async fn change_queue(
        &self,
        user: UserId,
        id: PlaybackQueueId,
        now: Timestamp,
    ) -> Result<Option<QueueChange>> {
        let mut tx = self.db.write_for(user).await?;
        if tx.execute(HOLD, &args![id.get(), user.get(), now]).await? == 0 {
            return Ok(None);
        }
        let sql = AssertSqlSafe(format!("{QUEUES} WHERE q.queue_id = $1"));
        let rows: Vec<QueueRow> = tx.fetch_all(sql, &args![id.get()]).await?;
        let row = rows.into_iter().next().ok_or(StoreError::InvalidValue("queue"))?;
        Ok(Some(QueueChange {
            tx,
            queue: row.try_into()?,
            changed: false,
        }))
    }
}

impl QueueChange {
    /// The queue with the changes so far.
    pub fn queue(&self) -> &PlaybackQueue {
        &self.queue
    }

    async fn place_of(&mut self, item: PlaybackQueueItemId) -> Result<Option<i64>> {
        let sql = "SELECT place FROM playback_queue_items WHERE queue_id = $1 AND queue_item_id = $2";
        let values = args![self.queue.id.get(), item.get()];
        let rows: Vec<(i64,)> = self.tx.fetch_all(sql, &values).await?;
        Ok(rows.first().map(|(place,)| *place))
    }

    /// The places before and after a position, ignoring one item; `None` if there is no such position.
    async fn bounds(
        &mut self,
        place: QueuePosition,
        without: Option<PlaybackQueueItemId>,
    ) -> Result<Option<(Option<i64>, Option<i64>)>> {
        let low = match place {
            QueuePosition::Front | QueuePosition::End => None,
            QueuePosition::After(item) => match self.place_of(item).await? {
                None => return Ok(None),
                low => low,
            },
        };
        let sql = match place {
            QueuePosition::Front | QueuePosition::After(_) => {
                "SELECT min(place) FROM playback_queue_items WHERE queue_id = $1 AND place > $2 AND queue_item_id <> $3"
            }
            QueuePosition::End => {
                "SELECT max(place) FROM playback_queue_items WHERE queue_id = $1 AND place > $2 AND queue_item_id <> $3"
            }
        };
        let none = without.map_or(0, PlaybackQueueItemId::get);
        let values = args![self.queue.id.get(), low.unwrap_or(i64::MIN + 1), none];
        let rows: Vec<(Option<i64>,)> = self.tx.fetch_all(sql, &values).await?;
        let found = rows.first().and_then(|(found,)| *found);
        Ok(Some(match place {
            QueuePosition::End => (found, None),
            QueuePosition::Front | QueuePosition::After(_) => (low, found),
        }))
    }

    /// Places for so many items; reassigns all places if there is no room. `None` if there is no such position.
    async fn make_places(
        &mut self,
        place: QueuePosition,
        count: usize,
        without: Option<PlaybackQueueItemId>,
    ) -> Result<Option<Vec<i64>>> {
        let Some((low, high)) = self.bounds(place, without).await? else {
            return Ok(None);
        };
        if let Some(made) = places(low, high, count) {
            return Ok(Some(made));
        }
        self.tx.execute(SPREAD, &args![self.queue.id.get()]).await?;
        let bounds = self.bounds(place, without).await?;
        let made = bounds.and_then(|(low, high)| places(low, high, count));
        made.map(Some).ok_or(StoreError::InvalidValue("place in a queue"))
    }

    /// Whether the queue has this item.
    pub async fn has(&mut self, item: PlaybackQueueItemId) -> Result<bool> {
        Ok(self.place_of(item).await?.is_some())
    }

    /// Inserts items. `false` if there is no such position.
    pub async fn insert(
        &mut self,
        items: &[(PlaybackQueueItemId, ItemKey)],
        place: QueuePosition,
    ) -> Result<bool> {
        let Some(places) = self.make_places(place, items.len(), None).await? else {
            return Ok(false);
        };
        let queue = self.queue.id.get();
        let values: Vec<Arg<'_>> = items
            .iter()
            .zip(places)
            .flat_map(|((id, (item, number)), place)| args![id.get(), queue, place, *item as i16, *number])
            .collect();
        SqlTexts::default()
            .execute(&mut self.tx, &INSERT_ITEMS, &values)
            .await?;
        self.changed |= !items.is_empty();
        Ok(true)
    }

    /// Moves an item. `false` if there is no such item or position.
    pub async fn move_item(
        &mut self,
        item: PlaybackQueueItemId,
        after: Option<PlaybackQueueItemId>,
    ) -> Result<bool> {
        let Some(before) = self.place_of(item).await? else {
            return Ok(false);
        };
        if after == Some(item) {
            return Ok(true);
        }
        let place = after.map_or(QueuePosition::Front, QueuePosition::After);
        let Some((low, high)) = self.bounds(place, Some(item)).await? else {
            return Ok(false);
        };
        let is_there = low.is_none_or(|low| low < before) && high.is_none_or(|high| before < high);
        if is_there {
            return Ok(true);
        }
        let made = self.make_places(place, 1, Some(item)).await?;
        let to = made.and_then(|places| places.first().copied());
        let to = to.ok_or(StoreError::InvalidValue("place in a queue"))?;
        let sql = "UPDATE playback_queue_items SET place = $2 WHERE queue_item_id = $1";
        self.tx.execute(sql, &args![item.get(), to]).await?;
        self.changed = true;
        Ok(true)
    }

    /// Removes an item; its cursor moves to the next item, or else to the last. `false` if there is no such item.
    pub async fn remove(&mut self, item: PlaybackQueueItemId) -> Result<bool> {
        let Some(place) = self.place_of(item).await? else {
            return Ok(false);
        };
        let sql = "DELETE FROM playback_queue_items WHERE queue_item_id = $1";
        self.tx.execute(sql, &args![item.get()]).await?;
        self.changed = true;
        if self.queue.cursor.is_some_and(|cursor| cursor.item == item) {
            let sql = "SELECT queue_item_id FROM playback_queue_items WHERE queue_id = $1 \
                       ORDER BY CASE WHEN place > $2 THEN place ELSE NULL END ASC NULLS LAST, place DESC LIMIT 1";
            let values = args![self.queue.id.get(), place];
            let rows: Vec<(i64,)> = self.tx.fetch_all(sql, &values).await?;
            self.queue.cursor = rows.first().map(|(next,)| QueueCursor {
                item: (*next).into(),
                index: 0,
                position_ms: 0,
            });
        }
        Ok(true)
    }

    /// Sets the cursor. `false` if there is no such item.
    pub async fn set_cursor(&mut self, item: PlaybackQueueItemId, position_ms: i64) -> Result<bool> {
        let known = self.place_of(item).await?.is_some();
        if known {
            self.queue.cursor = Some(QueueCursor {
                item,
                index: 0,
                position_ms,
            });
        }
        Ok(known)
    }

    /// Removes the first `count` items before the cursor; returns their number.
    pub async fn remove_played(&mut self, count: u64) -> Result<u64> {
        let Some(cursor) = self.queue.cursor else {
            return Ok(0);
        };
        let Some(place) = self.place_of(cursor.item).await? else {
            return Ok(0);
        };
        let sql = "DELETE FROM playback_queue_items WHERE queue_item_id IN (SELECT i.queue_item_id \
                   FROM playback_queue_items i WHERE i.queue_id = $1 AND i.place < $2 ORDER BY i.place LIMIT $3)";
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let values = args![self.queue.id.get(), place, count];
        let dropped = self.tx.execute(sql, &values).await?;
        self.changed |= dropped > 0;
        Ok(dropped)
    }

    /// Stores the draw position of a dynamic queue.
    pub fn set_draw(&mut self, draw: DrawState) {
        self.queue.draw = draw;
    }

    /// Commits; raises the revision if items or their order changed. Returns the queue.
    pub async fn commit(mut self) -> Result<PlaybackQueue> {
        if self.changed {
            self.queue.revision += 1;
        }
        let (cursor, draw) = (self.queue.cursor, self.queue.draw);
        let values = args![
            self.queue.id.get(),
            self.queue.revision,
            cursor.map(|cursor| cursor.item.get()),
            cursor.map_or(0, |cursor| cursor.position_ms),
            draw.round,
            draw.last.map(|(place, _)| place.cast_signed()),
            draw.last.map(|(_, id)| id),
        ];
        self.tx.execute(STORE, &values).await?;
        let sql = AssertSqlSafe(format!("{QUEUES} WHERE q.queue_id = $1"));
        let rows: Vec<QueueRow> = self.tx.fetch_all(sql, &args![self.queue.id.get()]).await?;
        let row = rows.into_iter().next().ok_or(StoreError::InvalidValue("queue"))?;
        self.tx.commit().await?;
        row.try_into()
    }

    /// Deletes the queue with its items.
    pub async fn delete(mut self) -> Result<()> {
        let sql = "DELETE FROM playback_queues WHERE queue_id = $1";
        self.tx.execute(sql, &args![self.queue.id.get()]).await?;
        self.tx.commit().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_rise_between_their_bounds_or_there_is_no_room() {
        let cases = [
            (None, None, 3),
            (Some(5), None, 3),
            (None, Some(5), 3),
            (Some(0), Some(4), 3),
            (Some(-GAP), Some(GAP), 1000),
        ];
        for (low, high, count) in cases {
            let made = places(low, high, count).unwrap();
            assert_eq!(made.len(), count);
            assert!(made.is_sorted_by(|a, b| a < b), "{made:?}");
            assert!(
                low.is_none_or(|low| low < made[0]) && high.is_none_or(|high| *made.last().unwrap() < high)
            );
        }
        assert_eq!(places(Some(0), Some(3), 3), None);
        assert_eq!(places(Some(i64::MAX - 1), None, 1), None);
        assert_eq!(places(None, Some(i64::MIN + 1), 1), None);
    }
}
