//! Questions to the search index.

use sqlx::AssertSqlSafe;

use super::Store;
use super::args::args;
use super::dialect::{SearchIndex, search_query};
use super::error::Result;
use super::visibility::Visible;
use crate::domain::library::MediaScope;
use crate::domain::list::{Listing, Page};

impl SearchIndex {
    fn items(self) -> Visible {
        match self {
            Self::Tracks => Visible::Tracks,
            Self::Releases => Visible::Releases,
            Self::Artists => Visible::Artists,
            Self::Photos => Visible::Photos,
            Self::Movies => Visible::Movies,
            Self::Shows => Visible::Shows,
            Self::Episodes => Visible::Episodes,
        }
    }
}

impl Store {
    /// Ids of the items of the scope that have, for each word of `words`, a word that begins with it, oldest first.
    /// `words` come from `domain::text::search_words`; without any, nothing is found.
    pub async fn search(
        &self,
        scope: &MediaScope,
        index: SearchIndex,
        words: &str,
        page: Page,
    ) -> Result<Listing<i64>> {
        let engine = self.pools().engine();
        let query = search_query(engine, words);
        if query.is_empty() {
            return Ok(Listing {
                items: Vec::new(),
                total: 0,
            });
        }
        let (matching, key) = (index.matching(engine), index.key(engine));
        let and = index.items().and(key, scope);
        let count = AssertSqlSafe(format!("SELECT count(*){matching}{and}"));
        let total = self.pools().count(count, &args![query.as_str()]).await?;
        let values = args![
            query.as_str(),
            i64::from(page.take.min(Page::MAX_TAKE)),
            i64::try_from(page.skip).unwrap_or(i64::MAX),
        ];
        let find = format!("SELECT {key}{matching}{and} ORDER BY {key} LIMIT $2 OFFSET $3");
        let rows: Vec<(i64,)> = self.pools().fetch_all(AssertSqlSafe(find), &values).await?;
        Ok(Listing {
            items: rows.into_iter().map(|(id,)| id).collect(),
            total,
        })
    }
}
