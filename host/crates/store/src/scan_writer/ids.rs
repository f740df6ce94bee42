//! Statements over many ids.

use svc_database::Result;
use svc_database::Tx;
use svc_database::bulk::in_lists;

/// Runs `head IN (ids) tail` for all ids.
pub(super) async fn for_ids(tx: &mut Tx, head: &str, ids: &[i64], tail: &str) -> Result<()> {
    for (sql, values) in in_lists(tx.engine(), head, ids, tail) {
        tx.execute(sql, &values).await?;
    }
    Ok(())
}

/// The ids that a query without values finds.
pub(super) async fn ids(tx: &mut Tx, sql: &'static str) -> Result<Vec<i64>> {
    let rows: Vec<(i64,)> = tx.fetch_all(sql, &[]).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// The ids that `head IN (of) tail` finds.
pub(super) async fn select_ids(tx: &mut Tx, head: &str, of: &[i64], tail: &str) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    for (sql, values) in in_lists(tx.engine(), head, of, tail) {
        let rows: Vec<(i64,)> = tx.fetch_all(sql, &values).await?;
        found.extend(rows.into_iter().map(|(id,)| id));
    }
    Ok(found)
}
