//! Statements over many rows, in few sizes, so that each is prepared once.

use std::collections::HashMap;
use std::sync::Arc;

use sqlx::AssertSqlSafe;

use crate::args::Arg;
use crate::dialect::push_placeholder;
use crate::error::Result;
use crate::pools::Engine;
use crate::record::Record;
use crate::transaction::Tx;

/// Rows per statement; each size is a prepared statement of its own. The 500 files of a transaction take four of the
/// largest.
const SIZES: [usize; 4] = [125, 25, 5, 1];
/// Ids in an `IN` list; shorter lists repeat their last id.
const LIST_SIZES: [usize; 6] = [1, 8, 32, 64, 128, 256];

/// A statement with `VALUES` rows: `head VALUES (…), (…) tail`.
#[derive(Debug)]
pub struct Bulk {
    /// Up to and including `VALUES`.
    pub head: &'static str,
    /// Values bound per row.
    pub columns: usize,
    /// Constants after the bound values of each row, each preceded by a comma.
    pub constants: &'static str,
    /// After the rows.
    pub tail: &'static str,
}

impl Bulk {
    fn text(&self, engine: Engine, rows: usize) -> String {
        let mut sql = String::with_capacity(self.head.len() + self.tail.len() + rows * self.columns * 6);
        sql.push_str(self.head);
        for row in 0..rows {
            sql.push_str(if row == 0 { " (" } else { ", (" });
            for column in 0..self.columns {
                if column > 0 {
                    sql.push(',');
                }
                push_placeholder(&mut sql, engine, row * self.columns + column + 1);
            }
            sql.push_str(self.constants);
            sql.push(')');
        }
        sql.push(' ');
        sql.push_str(self.tail);
        sql
    }
}

/// Cache of statement texts by head and number of rows.
#[derive(Debug, Default)]
pub struct SqlTexts(HashMap<(&'static str, usize), Arc<str>>);

impl SqlTexts {
    fn get(&mut self, engine: Engine, bulk: &Bulk, rows: usize) -> AssertSqlSafe<Arc<str>> {
        let text = self
            .0
            .entry((bulk.head, rows))
            .or_insert_with(|| bulk.text(engine, rows).into());
        // Built from static parts and numbers only.
        AssertSqlSafe(Arc::clone(text))
    }

    /// Runs `bulk` over all rows in `values`, which hold `bulk.columns` values each.
    pub async fn execute(&mut self, tx: &mut Tx, bulk: &Bulk, values: &[Arg<'_>]) -> Result<()> {
        for rows in Chunks::new(values, bulk.columns) {
            let sql = self.get(tx.engine(), bulk, rows.len() / bulk.columns);
            tx.execute(sql, rows).await?;
        }
        Ok(())
    }

    /// [`SqlTexts::execute`] for a statement that returns rows.
    pub async fn fetch<T: Record>(&mut self, tx: &mut Tx, bulk: &Bulk, values: &[Arg<'_>]) -> Result<Vec<T>> {
        let mut found = Vec::new();
        for rows in Chunks::new(values, bulk.columns) {
            let sql = self.get(tx.engine(), bulk, rows.len() / bulk.columns);
            found.extend(tx.fetch_all(sql, rows).await?);
        }
        Ok(found)
    }
}

/// Splits values into chunks of the row counts in [`SIZES`].
struct Chunks<'v, 'a> {
    rest: &'v [Arg<'a>],
    columns: usize,
}

impl<'v, 'a> Chunks<'v, 'a> {
    fn new(values: &'v [Arg<'a>], columns: usize) -> Self {
        Self {
            rest: values,
            columns,
        }
    }
}

impl<'v, 'a> Iterator for Chunks<'v, 'a> {
    type Item = &'v [Arg<'a>];

    fn next(&mut self) -> Option<Self::Item> {
        let (chunk, rest) = SIZES
            .iter()
            .find_map(|rows| self.rest.split_at_checked(rows * self.columns))?;
        if chunk.is_empty() {
            return None;
        }
        self.rest = rest;
        Some(chunk)
    }
}

/// A statement with an `IN` list for each chunk of `numbers`: `head IN ($1, …) tail`, with its values.
pub fn in_lists(
    engine: Engine,
    head: &str,
    numbers: &[i64],
    tail: &str,
) -> impl Iterator<Item = (AssertSqlSafe<String>, Vec<Arg<'static>>)> {
    in_lists_after(engine, head, &[], numbers, tail)
}

/// [`in_lists`] for a head with values of its own, from `$1` on.
pub fn in_lists_after(
    engine: Engine,
    head: &str,
    first: &[Arg<'static>],
    numbers: &[i64],
    tail: &str,
) -> impl Iterator<Item = (AssertSqlSafe<String>, Vec<Arg<'static>>)> {
    let largest = LIST_SIZES.iter().copied().max().unwrap_or(1);
    numbers.chunks(largest).filter_map(move |part| {
        let last = *part.last()?;
        let size = LIST_SIZES.iter().copied().find(|&size| size >= part.len())?;
        let mut values = first.to_vec();
        values.extend(part.iter().map(|&number| Arg::from(number)));
        values.resize(first.len() + size, Arg::from(last));
        let mut sql = String::with_capacity(head.len() + tail.len() + size * 5 + 8);
        sql.push_str(head);
        sql.push_str(" IN (");
        for at in 1..=size {
            if at > 1 {
                sql.push(',');
            }
            if first.is_empty() {
                push_placeholder(&mut sql, engine, at);
            } else {
                // SQLite numbers `?` separately from the `$` numbers in the head.
                sql.push('$');
                sql.push_str(&(first.len() + at).to_string());
            }
        }
        sql.push_str(") ");
        sql.push_str(tail);
        Some((AssertSqlSafe(sql), values))
    })
}
