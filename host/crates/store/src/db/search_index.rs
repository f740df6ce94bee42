//! The search index, whose SQL differs between the databases.

use svc_database::bulk::Bulk;
use svc_database::{Engine, Result, Tx};

/// The part of the search index for one type of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchIndex {
    /// By title, people and release.
    Tracks,
    /// By title and artists.
    Releases,
    /// By name.
    Artists,
    /// By file name and camera.
    Photos,
    /// By title, original title and people.
    Movies,
    /// By title.
    Shows,
    /// By title and show.
    Episodes,
    /// Items of the kind with this number, by title and the fields that its plugin declares for search.
    Items(i64),
}

struct SearchSql {
    add_sqlite: Bulk,
    add_postgres: Bulk,
    remove_sqlite: &'static str,
    remove_postgres: &'static str,
    match_sqlite: &'static str,
    match_postgres: &'static str,
    key_sqlite: &'static str,
    key_postgres: &'static str,
    clear_sqlite: &'static str,
    clear_postgres: &'static str,
}

macro_rules! search_sql {
    ($table:literal) => {
        SearchSql {
            add_sqlite: Bulk {
                head: concat!("INSERT INTO ", $table, " (rowid, words) VALUES"),
                columns: 2,
                constants: "",
                tail: "",
            },
            // Words are already separated by spaces, so PostgreSQL need not parse them.
            add_postgres: Bulk {
                head: concat!(
                    "INSERT INTO ",
                    $table,
                    " (item_id, words) ",
                    "SELECT v.id, array_to_tsvector(string_to_array(v.words, ' ')) FROM (VALUES"
                ),
                columns: 2,
                constants: "",
                tail: ") AS v (id, words)",
            },
            remove_sqlite: concat!("DELETE FROM ", $table, " WHERE rowid"),
            remove_postgres: concat!("DELETE FROM ", $table, " WHERE item_id"),
            match_sqlite: concat!(" FROM ", $table, " WHERE ", $table, " MATCH $1"),
            match_postgres: concat!(" FROM ", $table, " WHERE words @@ CAST($1 AS tsquery)"),
            key_sqlite: concat!($table, ".rowid"),
            key_postgres: concat!($table, ".item_id"),
            clear_sqlite: concat!("INSERT INTO ", $table, " (", $table, ") VALUES ('delete-all')"),
            clear_postgres: concat!("DELETE FROM ", $table),
        }
    };
}

static TRACKS: SearchSql = search_sql!("search_tracks");
static RELEASES: SearchSql = search_sql!("search_releases");
static ARTISTS: SearchSql = search_sql!("search_artists");
static PHOTOS: SearchSql = search_sql!("search_photos");
static MOVIES: SearchSql = search_sql!("search_movies");
static SHOWS: SearchSql = search_sql!("search_shows");
static EPISODES: SearchSql = search_sql!("search_episodes");
static ITEMS: SearchSql = search_sql!("search_items");

impl SearchIndex {
    /// Those of the built-in kinds.
    pub const BUILT_IN: [Self; 7] = [
        Self::Tracks,
        Self::Releases,
        Self::Artists,
        Self::Photos,
        Self::Movies,
        Self::Shows,
        Self::Episodes,
    ];

    /// All tables.
    pub const TABLES: [Self; 8] = [
        Self::Tracks,
        Self::Releases,
        Self::Artists,
        Self::Photos,
        Self::Movies,
        Self::Shows,
        Self::Episodes,
        Self::ITEMS,
    ];

    /// The table with the items of all kinds.
    pub const ITEMS: Self = Self::Items(0);

    fn sql(self) -> &'static SearchSql {
        match self {
            Self::Tracks => &TRACKS,
            Self::Releases => &RELEASES,
            Self::Artists => &ARTISTS,
            Self::Photos => &PHOTOS,
            Self::Movies => &MOVIES,
            Self::Shows => &SHOWS,
            Self::Episodes => &EPISODES,
            Self::Items(_) => &ITEMS,
        }
    }

    /// Inserts rows of id and words.
    pub(crate) fn add(self, engine: Engine) -> &'static Bulk {
        match engine {
            Engine::Sqlite => &self.sql().add_sqlite,
            Engine::Postgres => &self.sql().add_postgres,
        }
    }

    /// Deletes the ids of an `IN` list, which follows.
    pub(crate) fn remove(self, engine: Engine) -> &'static str {
        match engine {
            Engine::Sqlite => self.sql().remove_sqlite,
            Engine::Postgres => self.sql().remove_postgres,
        }
    }

    /// `FROM` and `WHERE` clauses that match the words `$1`.
    pub(crate) fn matching(self, engine: Engine) -> &'static str {
        match engine {
            Engine::Sqlite => self.sql().match_sqlite,
            Engine::Postgres => self.sql().match_postgres,
        }
    }

    /// Id column.
    pub(crate) fn key(self, engine: Engine) -> &'static str {
        match engine {
            Engine::Sqlite => self.sql().key_sqlite,
            Engine::Postgres => self.sql().key_postgres,
        }
    }

    /// Deletes all rows.
    pub(crate) async fn clear(self, tx: &mut Tx) -> Result<()> {
        let sql = match tx.engine() {
            Engine::Sqlite => self.sql().clear_sqlite,
            Engine::Postgres => self.sql().clear_postgres,
        };
        tx.execute(sql, &[]).await.map(drop)
    }
}

/// Full-text query for items that have, for each of the folded `words`, a word with that prefix. Words consist of
/// letters and digits, so they contain no operators.
pub(crate) fn search_query(engine: Engine, words: &[String]) -> String {
    match engine {
        Engine::Sqlite => words
            .iter()
            .map(|word| format!("\"{word}\"*"))
            .collect::<Vec<_>>()
            .join(" AND "),
        Engine::Postgres => words
            .iter()
            .map(|word| format!("'{word}':*"))
            .collect::<Vec<_>>()
            .join(" & "),
    }
}
