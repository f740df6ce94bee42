//! Differences of the two SQL dialects: durability, lists, placeholders.

use crate::args::Arg;
use crate::error::Result;
use crate::pools::Engine;
use crate::transaction::Tx;

/// Durability of a committed transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// On disk when the commit returns.
    Full,
    /// On disk soon after; a power cut may lose it.
    Normal,
}

/// SQLite: the pragma that sets the durability of the connection, outside of a transaction.
pub fn set_durability(durability: Durability) -> &'static str {
    match durability {
        Durability::Full => "PRAGMA synchronous = FULL",
        Durability::Normal => "PRAGMA synchronous = NORMAL",
    }
}

/// SQLite: copies the write-ahead log into the database as far as readers allow, without blocking.
pub const CHECKPOINT: &str = "PRAGMA wal_checkpoint(PASSIVE)";

/// SQLite: frees the page cache of a connection.
pub const FREE_CACHE: &str = "PRAGMA shrink_memory";

/// Encodes a column of bytes in hexadecimal digits.
pub fn hexadecimal(engine: Engine, column: &str) -> String {
    match engine {
        Engine::Sqlite => format!("hex({column})"),
        Engine::Postgres => format!("encode({column}, 'hex')"),
    }
}

/// `IN` condition over the list bound as `$number`. One statement serves lists of every length.
pub fn is_listed(engine: Engine, number: usize) -> String {
    match engine {
        Engine::Sqlite => format!("IN (SELECT value FROM json_each(${number}))"),
        Engine::Postgres => format!("= ANY(CAST(${number} AS BIGINT[]))"),
    }
}

/// The value for [`is_listed`].
pub fn listed(engine: Engine, numbers: &[i64]) -> Arg<'static> {
    let (open, close) = match engine {
        Engine::Sqlite => ('[', ']'),
        Engine::Postgres => ('{', '}'),
    };
    let mut list = String::with_capacity(numbers.len() * 20 + 2);
    for number in numbers {
        list.push(if list.is_empty() { open } else { ',' });
        list.push_str(&number.to_string());
    }
    if list.is_empty() {
        list.push(open);
    }
    list.push(close);
    Arg::from(list)
}

/// SQLite: rewrites the database without free pages. PostgreSQL does so in the background.
pub const VACUUM: &str = "VACUUM";

/// PostgreSQL: waits until no other change of accounts, sessions or tokens is open. SQLite has one writer.
pub const LOCK_IDENTITY: &str = "SELECT identity_revision FROM server FOR UPDATE";

/// Lifts the statement timeout of PostgreSQL, for requested work that may take minutes.
pub async fn lift_statement_timeout(tx: &mut Tx) -> Result<()> {
    if tx.engine() == Engine::Postgres {
        tx.execute("SET LOCAL statement_timeout = 0", &[]).await?;
    }
    Ok(())
}

/// Appends the placeholder of a value in a statement over many rows. SQLite looks up `$1` by name, which takes most
/// of the time of a statement with a thousand values; `?` is numbered by position.
pub fn push_placeholder(sql: &mut String, engine: Engine, number: usize) {
    match engine {
        Engine::Sqlite => sql.push('?'),
        Engine::Postgres => {
            sql.push('$');
            sql.push_str(&number.to_string());
        }
    }
}
