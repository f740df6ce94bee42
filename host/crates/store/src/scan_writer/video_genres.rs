//! Genres of movies and shows, for the filters of lists.

use std::collections::BTreeSet;

use crate::scan_writer::ids::for_ids;
use crate::scan_writer::{ScanWriter, rows};
use crate::text::bounded_key;
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::args;
use svc_database::bulk::Bulk;
use svc_domain::text::fold;

/// Types of items with genres.
#[derive(Debug, Clone, Copy)]
pub(super) enum Genres {
    Movies,
    Shows,
}

impl Genres {
    fn remove(self) -> &'static str {
        match self {
            Self::Movies => "DELETE FROM movie_genres WHERE movie_id",
            Self::Shows => "DELETE FROM tv_show_genres WHERE show_id",
        }
    }

    fn add(self) -> &'static Bulk {
        match self {
            Self::Movies => &rows::MOVIE_GENRES,
            Self::Shows => &rows::SHOW_GENRES,
        }
    }
}

impl ScanWriter {
    /// Replaces the genres of these items.
    pub(super) async fn store_genres(
        &mut self,
        tx: &mut Tx,
        of: Genres,
        items: &[(i64, &[String])],
    ) -> Result<()> {
        let ids: Vec<i64> = items.iter().map(|(id, _)| *id).collect();
        for_ids(tx, of.remove(), &ids, "").await?;
        let mut values = Vec::new();
        for (id, genres) in items {
            let keys: BTreeSet<String> = genres.iter().map(|name| bounded_key(fold(name))).collect();
            values.extend(keys.into_iter().flat_map(|key| args![*id, key]));
        }
        self.texts.execute(tx, of.add(), &values).await
    }
}
