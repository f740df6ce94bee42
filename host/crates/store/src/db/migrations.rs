//! The schema, forward only: numbered steps, one transaction each.

use crate::db::dialect;
use crate::db::{Engine, Tx};
use crate::error::{Result, StoreError};

/// One step of the schema, in both languages.
struct Migration {
    number: i64,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migrations {
    ($($number:literal $file:literal),+ $(,)?) => {
        &[$(Migration {
            number: $number,
            sqlite: concat!(
                include_str!(concat!("../../../../../migrations/sqlite/", $file)),
                "\nPRAGMA user_version = ", $number, ";\n",
            ),
            postgres: include_str!(concat!("../../../../../migrations/postgres/", $file)),
        }),+]
    };
}

/// In rising order, without gaps. A step that was released is never edited.
static MIGRATIONS: &[Migration] = migrations![
    1 "0001_library.sql",
    2 "0002_media.sql",
    3 "0003_identity.sql",
    4 "0004_video.sql",
    5 "0005_user_items.sql",
    6 "0006_playback_queues.sql",
    7 "0007_albums.sql",
    8 "0008_cinema.sql",
    9 "0009_jobs.sql",
    10 "0010_digests.sql",
];

/// The schema number that this program writes and reads.
pub(crate) fn latest() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.number)
}

/// The error for a database that is ahead of this program.
pub(crate) fn check_not_newer(found: i64) -> Result<()> {
    if found > latest() {
        Err(StoreError::NewerSchema {
            found,
            known: latest(),
        })
    } else {
        Ok(())
    }
}

async fn found(tx: &mut Tx) -> Result<i64> {
    let rows: Vec<(i64,)> = tx
        .fetch_all(
            "SELECT CAST(coalesce(max(number), 0) AS BIGINT) FROM schema_migrations",
            &[],
        )
        .await?;
    Ok(rows.first().map_or(0, |(number,)| *number))
}

/// The number of the next step, if there is one. Looked up under the lock of the transaction, so two servers that
/// start at once do not both take it.
pub(crate) async fn apply_next(tx: &mut Tx) -> Result<Option<i64>> {
    if tx.engine() == Engine::Postgres {
        // Any number will do, as long as nothing else of ours uses it.
        tx.execute("SELECT pg_advisory_xact_lock(7303014)", &[]).await?;
    }
    tx.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT NOT NULL PRIMARY KEY)",
        &[],
    )
    .await?;
    dialect::take_time(tx).await?;
    let found = found(tx).await?;
    check_not_newer(found)?;
    let Some(next) = MIGRATIONS.iter().find(|migration| migration.number > found) else {
        return Ok(None);
    };
    tx.execute_script(match tx.engine() {
        Engine::Sqlite => next.sqlite,
        Engine::Postgres => next.postgres,
    })
    .await?;
    tx.execute(
        "INSERT INTO schema_migrations (number) VALUES ($1)",
        &[next.number.into()],
    )
    .await?;
    Ok(Some(next.number))
}
