//! The schemas of both databases are equal, and every order of a list is served by an index.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;
use svc_covers::covers;

use crate::music::{artist_order_cases, release_order_cases, track_order_cases};
use crate::tests::kinds::{comics, stored};
use crate::tests::*;
use crate::user_items;
use crate::video::{movie_order_cases, show_order_cases};
use crate::{kinds, photo_albums, photos};
use svc_database::Engine;
use svc_database::args::Arg;

/// `table.column` of all tables but those of the search index: virtual tables in SQLite, `search_*` in PostgreSQL.
pub(super) async fn columns(test_store: &TestStore) -> BTreeSet<String> {
    let sql = match test_store.store.database.pools().engine() {
        Engine::Sqlite => {
            "SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c \
             WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        }
        Engine::Postgres => {
            "SELECT CAST(table_name || '.' || column_name AS TEXT) FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name NOT LIKE 'search!_%' ESCAPE '!'"
        }
    };
    let rows: Vec<(String,)> = test_store
        .store
        .database
        .pools()
        .fetch_all(sql, &[])
        .await
        .unwrap();
    rows.into_iter().map(|(name,)| name).collect()
}

/// The indexes that migrations create, as `unique name (columns) where`. PostgreSQL's indexes name the row id as the
/// last column, which SQLite appends implicitly.
async fn indexes(test_store: &TestStore) -> BTreeSet<String> {
    let sql = match test_store.store.database.pools().engine() {
        Engine::Sqlite => "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
        Engine::Postgres => {
            "SELECT CAST(indexdef AS TEXT) FROM pg_indexes WHERE schemaname = current_schema() \
             AND indexname NOT LIKE '%!_pkey' ESCAPE '!' AND indexname NOT LIKE 'search!_%' ESCAPE '!'"
        }
    };
    let rows: Vec<(String,)> = test_store
        .store
        .database
        .pools()
        .fetch_all(sql, &[])
        .await
        .unwrap();
    rows.into_iter().map(|(text,)| plain_index(&text)).collect()
}

fn plain_index(text: &str) -> String {
    let unique = if text.starts_with("CREATE UNIQUE") {
        "unique "
    } else {
        ""
    };
    let name = text
        .split(" INDEX ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .unwrap();
    let (_, rest) = text.split_once(" (").unwrap();
    let (list, condition) = rest.split_once(" WHERE ").unwrap_or((rest, ""));
    let list = list.replace("md5(path)", "path").replace([')', '(', '"'], "");
    let mut columns: Vec<&str> = list.split(", ").collect();
    let ids = [
        "track_id",
        "release_id",
        "artist_id",
        "photo_id",
        "album_id",
        "run_log_id",
        "movie_id",
        "show_id",
        "episode_id",
        "job_id",
        "item_id",
    ];
    let of_links = ["track_artists_", "release_artists_", "track_genres_"]
        .iter()
        .any(|link| name.starts_with(link));
    if columns.len() > 1 && !of_links && ids.contains(columns.last().unwrap()) {
        columns.pop();
    }
    format!(
        "{unique}{name} ({}) {}",
        columns.join(", "),
        condition.replace([')', '('], "")
    )
}

#[tokio::test]
async fn both_databases_have_the_same_tables_columns_and_indexes() {
    let Some(server) = postgres_url() else { return };
    let sqlite = sqlite_test_store().await;
    on_postgres(&server, async |postgres: &mut TestStore| {
        assert_eq!(columns(&sqlite).await, columns(postgres).await);
        assert_eq!(indexes(&sqlite).await, indexes(postgres).await);
    })
    .await;
}

#[covers("A16")]
#[tokio::test]
async fn every_order_of_every_list_is_served_by_an_index() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
        let files = (0..40).map(|n| {
            test_store.file(
                folder,
                &n.to_string(),
                record(track(&format!("T{n}"), &["A"], &format!("B{}", n / 4), n)),
            )
        });
        test_store.persist(files.collect()).await;
        let mut cases = track_order_cases();
        cases.extend(release_order_cases());
        cases.extend(artist_order_cases());
        cases.extend(photos::order_cases());
        cases.extend(user_items::order_cases());
        cases.extend(movie_order_cases());
        cases.extend(show_order_cases());
        cases.extend(photo_albums::order_cases());
        let kind = stored(test_store, &comics()).await;
        let field = kind.sort_field("x.comics.series").unwrap();
        cases.extend(kinds::order_cases(&kind, field));
        // From the beginning, after a cursor, and after a cursor without a value, in both directions; items without a
        // value are read by a query of their own.
        assert_eq!(cases.len(), 166 + 4 + 4 + 10);
        let mut tx = test_store.write(WritePriority::Interactive).await;
        for (sql, values) in cases {
            let plan = plan(&mut tx, &sql, &values).await;
            assert!(
                !plan.contains("TEMP B-TREE") && !plan.contains("Sort"),
                "{sql}\n{plan}"
            );
            assert!(
                plan.contains("INDEX")
                    || plan.contains("Index")
                    || plan.contains("INTEGER PRIMARY KEY")
                    || sql.contains("_id") && plan.contains("SCAN"),
                "{sql}\n{plan}"
            );
        }
    })
    .await;
}

async fn plan(tx: &mut svc_database::Tx, sql: &str, values: &[Arg<'_>]) -> String {
    if tx.engine() == Engine::Sqlite {
        let rows: Vec<(i64, i64, i64, String)> = tx
            .fetch_all(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")), values)
            .await
            .unwrap();
        return rows.into_iter().map(|row| row.3 + "\n").collect();
    }
    // For few rows the planner prefers to sort; this makes it use an index if one fits.
    tx.execute("SET LOCAL enable_seqscan = off", &[]).await.unwrap();
    tx.execute("SET LOCAL enable_bitmapscan = off", &[])
        .await
        .unwrap();
    let rows: Vec<(String,)> = tx
        .fetch_all(AssertSqlSafe(format!("EXPLAIN {sql}")), values)
        .await
        .unwrap();
    rows.into_iter().map(|row| row.0 + "\n").collect()
}

#[tokio::test]
async fn opening_again_changes_no_schema() {
    on_each_database(async |test_store: &mut TestStore| {
        let (before, indexes_before) = (columns(test_store).await, indexes(test_store).await);
        test_store.reopen().await;
        assert_eq!(
            (columns(test_store).await, indexes(test_store).await),
            (before, indexes_before)
        );
    })
    .await;
}
