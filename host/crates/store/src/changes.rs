//! Changes of the library: a bounded list that clients read from their last position.

use crate::db::Database;
use crate::items::accessible_items_of;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::{Bulk, SqlTexts};
use svc_database::{Result, StoreError};
use svc_domain::change::{Change, ChangeKind, ChangeType, Changes, ItemType};
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;

/// Changes that are kept. A client that was offline for longer fetches everything again, which is cheaper than a
/// longer list in every scan.
const KEPT: i64 = 50_000;

static ADD: Bulk = Bulk {
    head: "INSERT INTO changes (change, item_id, at) VALUES",
    columns: 3,
    constants: "",
    tail: "",
};

/// Changes to be stored with their transaction.
#[derive(Debug, Default)]
pub(crate) struct NewChanges(Vec<(i16, i64)>);

impl NewChanges {
    pub(crate) fn push(&mut self, item: ItemType, kind: ChangeKind, id: i64) {
        self.0.push((ChangeType { item, kind }.number(), id));
    }

    pub(crate) fn extend(&mut self, item: ItemType, kind: ChangeKind, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            self.push(item, kind, id);
        }
    }

    pub(crate) async fn store(self, tx: &mut Tx, texts: &mut SqlTexts, now: Timestamp) -> Result<()> {
        let values: Vec<Arg<'_>> = self
            .0
            .into_iter()
            .flat_map(|(change, id)| args![change, id, now])
            .collect();
        texts.execute(tx, &ADD, &values).await
    }
}

/// Deletes the oldest changes. The newest stays so that sequence numbers only rise.
pub(crate) async fn prune(tx: &mut Tx) -> Result<()> {
    let sql = "DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - $1";
    tx.execute(sql, &args![KEPT]).await.map(drop)
}

#[derive(sqlx::FromRow)]
struct ChangeRow {
    seq: i64,
    change: i16,
    item_id: i64,
    at: i64,
}

impl TryFrom<ChangeRow> for Change {
    type Error = StoreError;

    fn try_from(row: ChangeRow) -> Result<Self> {
        Ok(Self {
            seq: row.seq,
            change: ChangeType::from_number(row.change).ok_or(StoreError::InvalidValue("change"))?,
            item: row.item_id,
            at: Timestamp::from_millis(row.at),
        })
    }
}

/// Changes of the library, for clients that synchronise.
#[derive(Debug, Clone)]
pub struct ChangeRepository {
    pub(crate) db: Database,
}

impl ChangeRepository {
    /// The changes after `since`, oldest first; without it, only the current position.
    pub async fn changes(&self, since: Option<i64>, take: u32) -> Result<Changes> {
        let sql = "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM changes";
        let range: Option<(i64, i64)> = self.db.pools().fetch_optional(sql, &[]).await?;
        let (oldest, newest) = range.unwrap_or_default();
        let Some(since) = since else {
            return Ok(Changes {
                next: newest,
                ..Changes::default()
            });
        };
        // Older than the list, or from another database.
        if since > newest || since + 1 < oldest {
            return Ok(Changes {
                next: newest,
                incomplete: true,
                ..Changes::default()
            });
        }
        let sql = "SELECT seq, change, item_id, at FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2";
        let rows: Vec<ChangeRow> = self
            .db
            .pools()
            .fetch_all(sql, &args![since, i64::from(take)])
            .await?;
        let next = rows.last().map_or(since, |row| row.seq);
        let changes = rows.into_iter().map(Change::try_from).collect::<Result<_>>()?;
        Ok(Changes {
            changes,
            next,
            incomplete: false,
        })
    }

    /// Removes changes of items outside the scope. Removals stay: a removed id reveals nothing, and a client that had
    /// the item must drop it.
    pub async fn accessible_changes(&self, scope: &MediaScope, changes: Vec<Change>) -> Result<Vec<Change>> {
        if *scope == MediaScope::All {
            return Ok(changes);
        }
        let item = |change: &Change| (change.change.item, change.item);
        let items: Vec<_> = changes.iter().map(item).collect();
        let access = accessible_items_of(&self.db, scope, &items).await?;
        let is_visible =
            |change: &Change| change.change.kind == ChangeKind::Removed || access.contains(&item(change));
        Ok(changes.into_iter().filter(is_visible).collect())
    }
}
