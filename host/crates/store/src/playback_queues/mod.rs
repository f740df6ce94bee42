//! Playback queues: queries. `change.rs` changes them, `pool.rs` selects items to add.

mod change;
mod pool;

use sqlx::AssertSqlSafe;

use crate::db::Database;
use svc_database::args::args;
use svc_database::{Result, StoreError};
use svc_domain::change::ItemType;
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId, UserId};
use svc_domain::list::{Listing, Pagination};
use svc_domain::playback_queue::{DrawState, PlaybackQueue, QueueCursor, QueueItem, QueueType};
use svc_domain::time::Timestamp;

pub use change::{QueueChange, QueuePosition};

/// A query up to its conditions. Item counts are computed per query, from an index of at most ten thousand rows.
const QUEUES: &str = "SELECT q.queue_id, q.user_id, q.queue_type, q.seed, q.seeds, q.revision, q.cursor_item_id, \
    q.cursor_ms, q.draw_round, q.drawn_place, q.drawn_id, q.created_at, q.modified_at, \
    (SELECT count(*) FROM playback_queue_items i WHERE i.queue_id = q.queue_id) AS item_count, \
    (SELECT count(*) FROM playback_queue_items i JOIN playback_queue_items c ON c.queue_item_id = q.cursor_item_id \
    WHERE i.queue_id = q.queue_id AND i.place < c.place) AS cursor_index FROM playback_queues q";

/// The items around the item `$3` of the queue `$1` of the user `$2`, or from the first item on. One statement, so
/// that the order is consistent.
const WINDOW: &str = "WITH around AS (SELECT coalesce((SELECT i.place FROM playback_queue_items i \
    WHERE i.queue_id = $1 AND i.queue_item_id = $3), -9223372036854775807) AS place), \
    shown AS (SELECT * FROM (SELECT i.* FROM playback_queue_items i WHERE i.queue_id = $1 \
    AND i.place < (SELECT place FROM around) ORDER BY i.place DESC LIMIT $4) AS before_it UNION ALL \
    SELECT * FROM (SELECT i.* FROM playback_queue_items i WHERE i.queue_id = $1 \
    AND i.place >= (SELECT place FROM around) ORDER BY i.place ASC LIMIT $5) AS from_it) \
    SELECT s.queue_item_id, s.item_type, s.item_id, q.revision, \
    (SELECT count(*) FROM playback_queue_items i WHERE i.queue_id = $1) AS total, \
    (SELECT count(*) FROM playback_queue_items i WHERE i.queue_id = $1 AND i.place < (SELECT min(place) FROM shown)) \
    AS passed FROM shown s JOIN playback_queues q ON q.queue_id = s.queue_id WHERE q.user_id = $2 ORDER BY s.place";

#[derive(sqlx::FromRow)]
struct QueueRow {
    queue_id: i64,
    user_id: i64,
    queue_type: i16,
    seed: String,
    seeds: String,
    revision: i64,
    cursor_item_id: Option<i64>,
    cursor_ms: i64,
    draw_round: i64,
    drawn_place: Option<i64>,
    drawn_id: Option<i64>,
    created_at: i64,
    modified_at: i64,
    item_count: i64,
    cursor_index: i64,
}

impl TryFrom<QueueRow> for PlaybackQueue {
    type Error = StoreError;

    fn try_from(row: QueueRow) -> Result<Self> {
        let queue_type = QueueType::from_number(row.queue_type);
        let seeds = serde_json::from_str(&row.seeds);
        // A place is an unsigned 64-bit number; both databases store signed ones.
        let last = row.drawn_place.map(i64::cast_unsigned).zip(row.drawn_id);
        Ok(Self {
            id: row.queue_id.into(),
            user: row.user_id.into(),
            queue_type: queue_type.ok_or(StoreError::InvalidValue("type of queue"))?,
            seed: row.seed,
            seeds: seeds.map_err(|_| StoreError::InvalidValue("seeds"))?,
            revision: row.revision,
            item_count: row.item_count.unsigned_abs(),
            cursor: row.cursor_item_id.map(|item| QueueCursor {
                item: item.into(),
                index: row.cursor_index.unsigned_abs(),
                position_ms: row.cursor_ms,
            }),
            draw: DrawState {
                round: row.draw_round,
                last,
            },
            created_at: Timestamp::from_millis(row.created_at),
            modified_at: Timestamp::from_millis(row.modified_at),
        })
    }
}

#[derive(sqlx::FromRow, serde::Deserialize)]
struct ItemRow {
    queue_item_id: i64,
    item_type: i16,
    item_id: i64,
    revision: i64,
    total: i64,
    passed: i64,
}

/// A part of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueWindow {
    /// Items in order.
    pub items: Vec<QueueItem>,
    /// Number of items in the whole queue.
    pub total: u64,
    /// Revision of the queue that this order belongs to.
    pub revision: i64,
}

/// Playback queues.
#[derive(Debug, Clone)]
pub struct PlaybackQueueRepository {
    pub(crate) db: Database,
}

impl PlaybackQueueRepository {
    /// A user's queues, most recently changed first.
    pub async fn list_queues(&self, user: UserId, page: Pagination) -> Result<Listing<PlaybackQueue>> {
        let count = "SELECT count(*) FROM playback_queues WHERE user_id = $1";
        let total = self.db.pools().count(count, &args![user.get()]).await?;
        let sql = format!(
            "{QUEUES} WHERE q.user_id = $1 ORDER BY q.modified_at DESC, q.queue_id DESC LIMIT $2 OFFSET $3"
        );
        let values = args![
            user.get(),
            i64::from(page.take.min(Pagination::MAX_TAKE)),
            i64::try_from(page.skip).unwrap_or(i64::MAX),
        ];
        let rows: Vec<QueueRow> = self.db.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        Ok(Listing {
            items: rows
                .into_iter()
                .map(PlaybackQueue::try_from)
                .collect::<Result<_>>()?,
            total,
            next: None,
        })
    }

    /// A queue of this user.
    pub async fn queue(&self, user: UserId, id: PlaybackQueueId) -> Result<Option<PlaybackQueue>> {
        let sql = format!("{QUEUES} WHERE q.queue_id = $1 AND q.user_id = $2");
        let row: Option<QueueRow> = self
            .db
            .pools()
            .fetch_optional(AssertSqlSafe(sql), &args![id.get(), user.get()])
            .await?;
        row.map(PlaybackQueue::try_from).transpose()
    }

    /// The queue of this user with this queue item, and the item.
    pub async fn queue_of_item(
        &self,
        user: UserId,
        item: PlaybackQueueItemId,
    ) -> Result<Option<(PlaybackQueueId, (ItemType, i64))>> {
        let sql = "SELECT i.queue_id, i.item_type, i.item_id FROM playback_queue_items i \
                   JOIN playback_queues q ON q.queue_id = i.queue_id WHERE i.queue_item_id = $1 AND q.user_id = $2";
        let row: Option<(i64, i16, i64)> = self
            .db
            .pools()
            .fetch_optional(sql, &args![item.get(), user.get()])
            .await?;
        Ok(row.and_then(|(queue, item, id)| Some((queue.into(), (ItemType::from_number(item)?, id)))))
    }

    /// The items of a queue around one of them, or from the first on; `None` for an empty part.
    pub async fn queue_window(
        &self,
        user: UserId,
        id: PlaybackQueueId,
        around: Option<PlaybackQueueItemId>,
        leading: i64,
        trailing: i64,
    ) -> Result<Option<QueueWindow>> {
        let values = args![
            id.get(),
            user.get(),
            around.map(PlaybackQueueItemId::get),
            leading,
            trailing + 1,
        ];
        let rows: Vec<ItemRow> = self.db.pools().fetch_page(WINDOW, &values).await?;
        let Some((total, passed, revision)) = rows.first().map(|row| (row.total, row.passed, row.revision))
        else {
            return Ok(None);
        };
        let item = |(index, row): (u64, ItemRow)| -> Result<QueueItem> {
            let item = ItemType::from_number(row.item_type);
            Ok(QueueItem {
                id: row.queue_item_id.into(),
                index,
                key: (item.ok_or(StoreError::InvalidValue("type of item"))?, row.item_id),
            })
        };
        let items = (passed.unsigned_abs()..).zip(rows).map(item);
        Ok(Some(QueueWindow {
            items: items.collect::<Result<_>>()?,
            total: total.unsigned_abs(),
            revision,
        }))
    }
}
