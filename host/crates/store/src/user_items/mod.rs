//! User data of items: history, progress, ratings.

mod next_up;

use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::query::access_filter::accessible_items;
use crate::query::where_clause::direction;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::{in_lists, in_lists_after};
use svc_database::dialect::{is_listed, listed};
use svc_database::{Result, StoreError};
use svc_domain::change::ItemType;
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, Order, OrderedPagination, Pagination};
use svc_domain::time::Timestamp;
use svc_domain::user_data::{ItemKey, PlayReport, PlayState, Playback, UserData, UserItem};

/// Condition that `$key`, an item id of the type number `$item`, is a favorite of the user, whose id and `)` follow.
/// `svc_domain::user_data::FAVORITE` is the threshold.
///
/// Lists with further filters use `item_filter.rs`.
macro_rules! favorite_of {
    ($key:literal, $item:literal) => {
        concat!(
            $key,
            " IN (SELECT u.item_id FROM user_items u WHERE u.rating >= 0.8 AND u.item_type = ",
            $item,
            " AND u.user_id = "
        )
    };
}
pub(crate) use favorite_of;

const ROW: &str = "u.item_type, u.item_id, u.played_at, u.state, u.position_ms, u.listened_ms, u.counted, u.finished, \
    u.resumable, u.watched, u.play_count, u.rating, u.rated_at";
/// Adds the row if absent, and locks it until the end of the transaction.
const HOLD: &str = "INSERT INTO user_items AS u (user_id, item_type, item_id) VALUES ($1, $2, $3) \
    ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET item_id = excluded.item_id RETURNING item_type, item_id, \
    played_at, state, position_ms, listened_ms, counted, finished, resumable, watched, play_count, rating, rated_at";
const STORE_PLAYBACK: &str = "UPDATE user_items SET played_at = $4, state = $5, position_ms = $6, listened_ms = $7, \
    counted = $8, finished = $9, resumable = $10, watched = $11, play_count = $12 \
    WHERE user_id = $1 AND item_type = $2 AND item_id = $3";
const FORGET_PLAYBACK: &str = "UPDATE user_items SET played_at = NULL, state = 2, position_ms = 0, listened_ms = 0, \
    counted = FALSE, finished = FALSE, resumable = FALSE, watched = FALSE, play_count = 0 \
    WHERE user_id = $1 AND item_type = $2 AND item_id = $3 AND played_at IS NOT NULL";
const FORGET_RATING: &str = "UPDATE user_items SET rating = NULL, rated_at = NULL \
    WHERE user_id = $1 AND item_type = $2 AND item_id = $3 AND rated_at IS NOT NULL";
const DROP_EMPTY: &str = "DELETE FROM user_items WHERE user_id = $1 AND item_type = $2 AND item_id = $3 \
    AND played_at IS NULL AND rated_at IS NULL";

/// A list of user data, newest first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UserItemList {
    /// Played.
    History,
    /// Started and not finished, by time of playback.
    Resumable,
    /// Rated at least this.
    Ratings {
        /// From 0 to 1.
        least: f64,
    },
}

impl UserItemList {
    fn condition(self) -> &'static str {
        match self {
            Self::History => "u.played_at IS NOT NULL",
            Self::Resumable => "u.resumable",
            Self::Ratings { .. } => "u.rated_at IS NOT NULL AND u.rating >= $2",
        }
    }

    fn order(self, order: Order) -> &'static str {
        match self {
            Self::History | Self::Resumable => direction(
                order,
                "u.played_at ASC, u.item_type ASC, u.item_id ASC",
                "u.played_at DESC, u.item_type DESC, u.item_id DESC",
            ),
            Self::Ratings { .. } => direction(
                order,
                "u.rated_at ASC, u.item_type ASC, u.item_id ASC",
                "u.rated_at DESC, u.item_type DESC, u.item_id DESC",
            ),
        }
    }

    fn sql(self, scope: &MediaScope, types: &[ItemType]) -> (String, Vec<Arg<'static>>) {
        let access_condition = accessible_items(types, scope);
        let from = format!(
            "FROM user_items u WHERE u.user_id = $1 AND {} AND ({access_condition})",
            self.condition()
        );
        let values = match self {
            Self::History | Self::Resumable => Vec::new(),
            Self::Ratings { least } => vec![Arg::from(least)],
        };
        (from, values)
    }
}

#[derive(sqlx::FromRow, serde::Deserialize)]
struct UserItemRow {
    item_type: i16,
    item_id: i64,
    played_at: Option<i64>,
    state: i16,
    position_ms: i64,
    listened_ms: i64,
    counted: bool,
    finished: bool,
    resumable: bool,
    watched: bool,
    play_count: i64,
    rating: Option<f64>,
    rated_at: Option<i64>,
}

impl TryFrom<UserItemRow> for UserItem {
    type Error = StoreError;

    fn try_from(row: UserItemRow) -> Result<Self> {
        let item = ItemType::from_number(row.item_type).ok_or(StoreError::InvalidValue("type of item"))?;
        let playback = Playback {
            played_at: row.played_at.map(Timestamp::from_millis),
            state: PlayState::from_number(row.state).ok_or(StoreError::InvalidValue("state of a player"))?,
            position_ms: row.position_ms,
            listened_ms: row.listened_ms,
            counted: row.counted,
            finished: row.finished,
            resumable: row.resumable,
            watched: row.watched,
            play_count: row.play_count,
        };
        Ok(Self {
            key: (item, row.item_id),
            data: UserData {
                playback,
                rating: row.rating,
                rated_at: row.rated_at.map(Timestamp::from_millis),
            },
        })
    }
}

fn key_values(user: UserId, (item, id): ItemKey) -> [Arg<'static>; 3] {
    args![user.get(), item as i16, id]
}

/// Deletes the user data of deleted items.
pub(crate) async fn delete_user_items(tx: &mut Tx, item: ItemType, ids: &[i64]) -> Result<()> {
    let head = "DELETE FROM user_items WHERE item_type = $1 AND item_id";
    for (sql, values) in in_lists_after(tx.engine(), head, &args![item as i16], ids, "") {
        tx.execute(sql, &values).await?;
    }
    Ok(())
}

/// Deletes the user data of these items of kinds that plugins define, unless they exist or a rollback of a plugin may
/// bring them back.
pub(crate) async fn delete_abandoned_user_items(tx: &mut Tx, items: &[i64]) -> Result<()> {
    let head = format!(
        "DELETE FROM user_items WHERE item_type = {} \
         AND NOT EXISTS (SELECT 1 FROM items i WHERE i.item_id = user_items.item_id) \
         AND NOT EXISTS (SELECT 1 FROM kept_readings k WHERE k.group_id = user_items.item_id) \
         AND NOT EXISTS (SELECT 1 FROM kept_readings k WHERE k.file_id = user_items.item_id AND k.group_id IS NULL) \
         AND item_id",
        ItemType::Item as i16
    );
    for (sql, values) in in_lists(tx.engine(), &head, items, "") {
        tx.execute(sql, &values).await?;
    }
    Ok(())
}

/// History and ratings of users.
#[derive(Debug, Clone)]
pub struct UserItemRepository {
    pub(crate) db: Database,
}

impl UserItemRepository {
    /// User data of these items; items without are left out.
    pub async fn user_data(&self, user: UserId, items: &[ItemKey]) -> Result<HashMap<ItemKey, UserData>> {
        let mut by_type: HashMap<ItemType, Vec<i64>> = HashMap::new();
        for (item, id) in items {
            by_type.entry(*item).or_default().push(*id);
        }
        let engine = self.db.pools().engine();
        let sql = format!(
            "SELECT {ROW} FROM user_items u WHERE u.user_id = $1 AND u.item_type = $2 AND u.item_id {}",
            is_listed(engine, 3)
        );
        let mut found = HashMap::new();
        for (item, ids) in by_type {
            let [user, item] = args![user.get(), item as i16];
            let values = [user, item, listed(engine, &ids)];
            let rows: Vec<UserItemRow> = self
                .db
                .pools()
                .fetch_page(AssertSqlSafe(sql.clone()), &values)
                .await?;
            for row in rows {
                let UserItem { key, data } = row.try_into()?;
                found.insert(key, data);
            }
        }
        Ok(found)
    }

    /// User data of the accessible items of these types.
    pub async fn list_user_items(
        &self,
        user: UserId,
        scope: &MediaScope,
        types: &[ItemType],
        list: UserItemList,
        part: OrderedPagination,
    ) -> Result<Listing<UserItem>> {
        let OrderedPagination { order, page } = part;
        let (from, more) = list.sql(scope, types);
        let mut values = vec![Arg::from(user.get())];
        values.extend(more);
        let count = AssertSqlSafe(format!("SELECT count(*) {from}"));
        let total = self.db.pools().count(count, &values).await?;
        values.push(i64::from(page.take.min(Pagination::MAX_TAKE)).into());
        values.push(i64::try_from(page.skip).unwrap_or(i64::MAX).into());
        let (take, skip, order) = (values.len() - 1, values.len(), list.order(order));
        let sql = format!("SELECT {ROW} {from} ORDER BY {order} LIMIT ${take} OFFSET ${skip}");
        let rows: Vec<UserItemRow> = self.db.pools().fetch_page(AssertSqlSafe(sql), &values).await?;
        Ok(Listing {
            items: rows.into_iter().map(UserItem::try_from).collect::<Result<_>>()?,
            total,
            next: None,
        })
    }

    /// Stores a playback report; returns the resulting data. A report older than the last one changes nothing.
    pub async fn report_playback(
        &self,
        user: UserId,
        key: ItemKey,
        report: &PlayReport,
        length_ms: Option<i64>,
    ) -> Result<UserItem> {
        let mut tx = self.db.write_for(user).await?;
        let rows: Vec<UserItemRow> = tx.fetch_all(HOLD, &key_values(user, key)).await?;
        let row = rows
            .into_iter()
            .next()
            .ok_or(StoreError::InvalidValue("user's item"))?;
        let mut found = UserItem::try_from(row)?;
        let playback = &mut found.data.playback;
        if playback.report(report, length_ms) {
            let mut values = key_values(user, key).to_vec();
            values.extend(args![
                playback.played_at,
                playback.state as i16,
                playback.position_ms,
                playback.listened_ms,
                playback.counted,
                playback.finished,
                playback.resumable,
                playback.watched,
                playback.play_count,
            ]);
            tx.execute(STORE_PLAYBACK, &values).await?;
            tx.commit().await?;
        }
        Ok(found)
    }

    /// Deletes the playback data of an item; `false` if there was none.
    pub async fn delete_playback(&self, user: UserId, key: ItemKey) -> Result<bool> {
        self.delete_entry(user, key, FORGET_PLAYBACK).await
    }

    /// Stores a rating from 0 to 1.
    pub async fn rate(&self, user: UserId, key: ItemKey, rating: f64, now: Timestamp) -> Result<UserItem> {
        let mut tx = self.db.write_for(user).await?;
        let rows: Vec<UserItemRow> = tx.fetch_all(HOLD, &key_values(user, key)).await?;
        let row = rows
            .into_iter()
            .next()
            .ok_or(StoreError::InvalidValue("user's item"))?;
        let mut found = UserItem::try_from(row)?;
        (found.data.rating, found.data.rated_at) = (Some(rating), Some(now));
        let sql = "UPDATE user_items SET rating = $4, rated_at = $5 \
                   WHERE user_id = $1 AND item_type = $2 AND item_id = $3";
        let mut values = key_values(user, key).to_vec();
        values.extend(args![rating, now]);
        tx.execute(sql, &values).await?;
        tx.commit().await?;
        Ok(found)
    }

    /// Deletes the rating of an item; `false` if there was none.
    pub async fn delete_rating(&self, user: UserId, key: ItemKey) -> Result<bool> {
        self.delete_entry(user, key, FORGET_RATING).await
    }

    async fn delete_entry(&self, user: UserId, key: ItemKey, sql: &'static str) -> Result<bool> {
        let mut tx = self.db.write_for(user).await?;
        let touched = tx.execute(sql, &key_values(user, key)).await? > 0;
        tx.execute(DROP_EMPTY, &key_values(user, key)).await?;
        tx.commit().await?;
        Ok(touched)
    }
}

/// The statements that read a page, one per list.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<(String, Vec<Arg<'static>>)> {
    let lists = [
        UserItemList::History,
        UserItemList::Resumable,
        UserItemList::Ratings { least: 0.0 },
    ];
    let case = |list: UserItemList, order| {
        let (from, more) = list.sql(&MediaScope::All, &ItemType::ALL);
        let mut values = vec![Arg::from(1_i64)];
        values.extend(more);
        (
            format!("SELECT {ROW} {from} ORDER BY {} LIMIT 12", list.order(order)),
            values,
        )
    };
    lists
        .into_iter()
        .flat_map(|list| [Order::Ascending, Order::Descending].map(|order| case(list, order)))
        .collect()
}
