//! Questions to the search index.

use super::Store;
use super::args::args;
use super::dialect::{SearchIndex, search_query};
use super::error::Result;
use crate::domain::list::{Listing, Page};

impl Store {
    /// Ids of the items that have, for each word of `words`, a word that begins with it, oldest first. `words` come
    /// from `domain::text::search_words`; without any, nothing is found.
    pub async fn search(&self, index: SearchIndex, words: &str, page: Page) -> Result<Listing<i64>> {
        let engine = self.pools().engine();
        let query = search_query(engine, words);
        if query.is_empty() {
            return Ok(Listing {
                items: Vec::new(),
                total: 0,
            });
        }
        let total = self
            .pools()
            .count(index.count(engine), &args![query.as_str()])
            .await?;
        let values = args![
            query.as_str(),
            i64::from(page.take.min(Page::MAX_TAKE)),
            i64::try_from(page.skip).unwrap_or(i64::MAX),
        ];
        let rows: Vec<(i64,)> = self.pools().fetch_all(index.find(engine), &values).await?;
        Ok(Listing {
            items: rows.into_iter().map(|(id,)| id).collect(),
            total,
        })
    }
}
