//! Queries over a list of ids.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use crate::db::Database;
use svc_database::Result;
use svc_database::args::Arg;
use svc_database::dialect::{is_listed, listed};
use svc_database::json_rows::JsonRecord;

impl Database {
    /// The rows of these ids: `head` ends with the id column.
    pub(crate) async fn rows_of_listed<T: JsonRecord>(
        &self,
        head: &str,
        ids: &[i64],
        tail: &str,
    ) -> Result<Vec<T>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = AssertSqlSafe(self.of_listed((head, tail)));
        self.pools().fetch_page(sql, &[self.listed(ids)]).await
    }

    /// [`Database::rows_of_listed`] for two queries, each a head and a tail, over the same ids.
    pub(crate) async fn rows_of_two_listed<A: JsonRecord, B: JsonRecord>(
        &self,
        queries: [(&str, &str); 2],
        ids: &[i64],
    ) -> Result<(Vec<A>, Vec<B>)> {
        if ids.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let queries = queries.map(|query| self.of_listed(query));
        self.pools()
            .fetch_pages_of_two(queries, &[self.listed(ids)])
            .await
    }

    /// [`Database::rows_of_two_listed`] for three queries.
    pub(crate) async fn rows_of_three_listed<A: JsonRecord, B: JsonRecord, C: JsonRecord>(
        &self,
        queries: [(&str, &str); 3],
        ids: &[i64],
    ) -> Result<(Vec<A>, Vec<B>, Vec<C>)> {
        if ids.is_empty() {
            return Ok((Vec::new(), Vec::new(), Vec::new()));
        }
        let queries = queries.map(|query| self.of_listed(query));
        self.pools()
            .fetch_pages_of_three(queries, &[self.listed(ids)])
            .await
    }

    fn of_listed(&self, (head, tail): (&str, &str)) -> String {
        format!("{head} {} {tail}", is_listed(self.pools().engine(), 1))
    }

    fn listed(&self, ids: &[i64]) -> Arg<'static> {
        listed(self.pools().engine(), ids)
    }

    /// [`Database::rows_of_listed`] for counts by id.
    pub(crate) async fn counts_of_listed(
        &self,
        head: &str,
        ids: &[i64],
        tail: &str,
    ) -> Result<HashMap<i64, i64>> {
        let rows: Vec<(i64, i64)> = self.rows_of_listed(head, ids, tail).await?;
        Ok(rows.into_iter().collect())
    }
}
