//! Migrations of the schema: numbered, forward only, one transaction each.

use crate::dialect;
use crate::error::{Result, StoreError};
use crate::pools::Engine;
use crate::transaction::Tx;

/// A migration in both dialects.
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
                include_str!(concat!("../../../../migrations/sqlite/", $file)),
                "\nPRAGMA user_version = ", $number, ";\n",
            ),
            postgres: include_str!(concat!("../../../../migrations/postgres/", $file)),
        }),+]
    };
}

/// Ascending, without gaps. A released migration is never edited.
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
    11 "0011_kinds.sql",
    12 "0012_plugins.sql",
    13 "0013_invitations.sql",
    14 "0014_device_sign_in.sql",
    15 "0015_oidc.sql",
    16 "0016_cloud_state.sql",
    17 "0017_provider_roles.sql",
];

/// Schema version of this program.
pub(crate) fn latest() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.number)
}

/// Rejects a database with a newer schema.
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

/// Applies the next migration, if any, and returns its number. The lookup runs under a lock, so two servers that
/// start at once do not both apply it.
pub async fn apply_next(tx: &mut Tx) -> Result<Option<i64>> {
    if tx.engine() == Engine::Postgres {
        // Any number that no other lock of svc uses.
        tx.execute("SELECT pg_advisory_xact_lock(7303014)", &[]).await?;
    }
    tx.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT NOT NULL PRIMARY KEY)",
        &[],
    )
    .await?;
    dialect::lift_statement_timeout(tx).await?;
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
