//! What changed in the library: a list of bounded length that clients read on from where they were.

use crate::Store;
use crate::args::{Arg, args};
use crate::bulk::{Bulk, SqlTexts};
use crate::db::Tx;
use crate::error::{Result, StoreError};
use svc_domain::change::{Change, ChangeKind, ChangeType, Changes, ItemType};
use svc_domain::time::Timestamp;

/// Changes that are kept. A client that was away for longer fetches everything anew, which costs it less than a longer
/// list would cost each scan.
const KEPT: i64 = 50_000;

static ADD: Bulk = Bulk {
    head: "INSERT INTO changes (change, item_id, at) VALUES",
    columns: 3,
    constants: "",
    tail: "",
};

/// Changes of a transaction, to be stored with it.
#[derive(Debug, Default)]
pub(super) struct NewChanges(Vec<(i16, i64)>);

impl NewChanges {
    pub(super) fn push(&mut self, item: ItemType, kind: ChangeKind, id: i64) {
        self.0.push((ChangeType { item, kind }.number(), id));
    }

    pub(super) fn extend(&mut self, item: ItemType, kind: ChangeKind, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            self.push(item, kind, id);
        }
    }

    pub(super) async fn store(self, tx: &mut Tx, texts: &mut SqlTexts, now: Timestamp) -> Result<()> {
        let values: Vec<Arg<'_>> = self
            .0
            .into_iter()
            .flat_map(|(change, id)| args![change, id, now])
            .collect();
        texts.execute(tx, &ADD, &values).await
    }
}

/// Drops the oldest changes. The newest stays in any case, so that numbers go on rising.
pub(super) async fn prune(tx: &mut Tx) -> Result<()> {
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

impl Store {
    /// The changes after `since`, the oldest first; from the newest on without it.
    pub async fn changes(&self, since: Option<i64>, take: u32) -> Result<Changes> {
        let sql = "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM changes";
        let range: Option<(i64, i64)> = self.pools().fetch_optional(sql, &[]).await?;
        let (oldest, newest) = range.unwrap_or_default();
        let Some(since) = since else {
            return Ok(Changes {
                next: newest,
                ..Changes::default()
            });
        };
        // From before the oldest that is kept, or from another database.
        if since > newest || since + 1 < oldest {
            return Ok(Changes {
                next: newest,
                incomplete: true,
                ..Changes::default()
            });
        }
        let sql = "SELECT seq, change, item_id, at FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2";
        let rows: Vec<ChangeRow> = self
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
}
