//! Pages of media lists: the ids of a page, read from an index, and the total. A page starts at an offset or after a
//! cursor, which costs the same at any depth.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use crate::db::Database;
pub(crate) use crate::query::sort::Sort;
use crate::query::where_clause::WhereClause;
use svc_database::args::Arg;
use svc_database::{Result, StoreError};
use svc_domain::list::{Cursor, CursorValue, ListRequest, Listing, Order, Pagination};

/// Source of the items of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MediaRows {
    /// Table with alias.
    pub(crate) from: &'static str,
    /// Id column.
    pub(crate) key: &'static str,
}

/// A range of a list that an index returns in order.
enum KeysetRange {
    Whole,
    /// After this value and id, of items with a value.
    After(CursorValue, i64),
    /// After this id, of items without a value.
    AfterWithoutValue(i64),
    WithoutValue,
    WithValue,
}

impl KeysetRange {
    fn is_without_value(&self) -> bool {
        matches!(self, Self::AfterWithoutValue(_) | Self::WithoutValue)
    }
}

/// The ranges after a cursor, in order. Items without a value are a range of their own, the last in both directions,
/// so that one index serves both on both databases.
fn keyset_ranges(sort: Sort, after: Option<&Cursor>) -> Vec<KeysetRange> {
    match after.map(|cursor| (&cursor.value, cursor.id)) {
        None if sort.nullable => vec![KeysetRange::WithValue, KeysetRange::WithoutValue],
        None => vec![KeysetRange::Whole],
        Some((CursorValue::None, id)) if sort.nullable => vec![KeysetRange::AfterWithoutValue(id)],
        Some((value, id)) if sort.nullable => {
            vec![KeysetRange::After(value.clone(), id), KeysetRange::WithoutValue]
        }
        Some((value, id)) => vec![KeysetRange::After(value.clone(), id)],
    }
}

fn restrict<'a>(
    where_clause: &WhereClause<'a>,
    rows: MediaRows,
    sort: Sort,
    order: Order,
    range: &KeysetRange,
) -> WhereClause<'a> {
    let mut where_clause = where_clause.clone();
    let (key, sign) = (
        rows.key,
        match order {
            Order::Ascending => '>',
            Order::Descending => '<',
        },
    );
    let column = sort.column.unwrap_or(key);
    match range {
        KeysetRange::Whole | KeysetRange::WithoutValue => {}
        KeysetRange::After(CursorValue::Number(number), _) if sort.unique => {
            where_clause.push_values(&format!("{column} {sign} "), [(*number).into()], "");
        }
        KeysetRange::After(CursorValue::Text(text), _) if sort.unique => {
            where_clause.push_values(&format!("{column} {sign} "), [Arg::from(text.clone())], "");
        }
        KeysetRange::After(value, id) => match (sort.column, value) {
            (Some(_), CursorValue::Number(number)) => where_clause.push_values(
                &format!("({column}, {key}) {sign} ("),
                [(*number).into(), (*id).into()],
                ")",
            ),
            (Some(_), CursorValue::Text(text)) => where_clause.push_values(
                &format!("({column}, {key}) {sign} ("),
                [Arg::from(text.clone()), (*id).into()],
                ")",
            ),
            (_, _) => where_clause.push_values(&format!("{key} {sign} "), [(*id).into()], ""),
        },
        KeysetRange::AfterWithoutValue(id) => {
            where_clause.push_values(&format!("{key} {sign} "), [(*id).into()], "");
        }
        KeysetRange::WithValue => where_clause.push_condition(&format!("{column} IS NOT NULL")),
    }
    if sort.nullable {
        where_clause.push_has_value(column, !range.is_without_value());
    }
    where_clause
}

/// Selects the ids of a page with their sort values.
pub(crate) fn statement<'a>(
    rows: MediaRows,
    where_clause: &WhereClause<'a>,
    sort: Sort,
    order: Order,
    page: Pagination,
) -> (String, Vec<Arg<'a>>) {
    let MediaRows { from, key } = rows;
    let value = match sort.column {
        Some(column) if sort.is_text => column.to_owned(),
        Some(column) => format!("CAST({column} AS BIGINT)"),
        None => key.to_owned(),
    };
    where_clause.page(
        &format!("SELECT {key}, {value} FROM {from}"),
        &sort.order_by(key, order),
        page,
    )
}

/// Whether a cursor belongs to this order.
fn fits(sort: Sort, order: Order, cursor: &Cursor) -> bool {
    let value = match (&cursor.value, sort.column) {
        (CursorValue::None, None) => true,
        (CursorValue::None, Some(_)) => sort.nullable,
        (CursorValue::Number(_), Some(_)) => !sort.is_text,
        (CursorValue::Text(_), Some(_)) => sort.is_text,
        (_, None) => false,
    };
    value && cursor.sort == sort.cursor_name(order)
}

impl Database {
    /// The ids of a page, in order, or in the random order of a seed.
    pub(crate) async fn page_in_order<B>(
        &self,
        rows: MediaRows,
        where_clause: &WhereClause<'_>,
        (sort, shuffle): (Sort, Option<i64>),
        request: &ListRequest<B>,
    ) -> Result<Listing<i64>> {
        match shuffle {
            Some(seed) => self.shuffled_page_of(rows, where_clause, seed, request).await,
            None => self.page_of(rows, where_clause, sort, request).await,
        }
    }

    /// The ids of a page, in order.
    pub(crate) async fn page_of<B>(
        &self,
        rows: MediaRows,
        where_clause: &WhereClause<'_>,
        sort: Sort,
        request: &ListRequest<B>,
    ) -> Result<Listing<i64>> {
        let (order, take) = (request.order, request.page.take);
        if request
            .after
            .as_ref()
            .is_some_and(|after| !fits(sort, order, after))
        {
            return Err(StoreError::ForeignCursor);
        }
        let total = self.total(rows.from, where_clause).await?;
        let mut found: Vec<(i64, CursorValue)> = Vec::new();
        let mut skip = request.page.skip;
        for range in keyset_ranges(sort, request.after.as_ref()) {
            let left = usize::try_from(take).unwrap_or(0).saturating_sub(found.len());
            if left == 0 {
                break;
            }
            let page = Pagination {
                take: u32::try_from(left).unwrap_or(take),
                skip,
            };
            let where_clause = restrict(where_clause, rows, sort, order, &range);
            let is_by_id = where_clause.hides_values() && range.is_without_value();
            let sort = if is_by_id { sort.without_value() } else { sort };
            let (sql, values) = statement(rows, &where_clause, sort, order, page);
            let part = self.page_rows(sort, sql, &values).await?;
            // Items skipped in one range are not skipped again in the next.
            skip = match skip {
                1.. if part.is_empty() => skip.saturating_sub(self.total(rows.from, &where_clause).await?),
                _ => 0,
            };
            found.extend(part);
        }
        let is_full = found.len() == usize::try_from(take).unwrap_or(0);
        let last = found.last().filter(|_| is_full);
        let next = last.map(|(id, value)| Cursor {
            sort: sort.cursor_name(order),
            value: value.clone(),
            id: *id,
        });
        Ok(Listing {
            items: found.into_iter().map(|(id, _)| id).collect(),
            total,
            next,
        })
    }

    async fn page_rows(
        &self,
        sort: Sort,
        sql: String,
        values: &[Arg<'_>],
    ) -> Result<Vec<(i64, CursorValue)>> {
        if sort.is_text {
            let rows: Vec<(i64, Option<String>)> =
                self.pools().fetch_page(AssertSqlSafe(sql), values).await?;
            let value = |text: Option<String>| text.map_or(CursorValue::None, CursorValue::Text);
            return Ok(rows.into_iter().map(|(id, text)| (id, value(text))).collect());
        }
        let rows: Vec<(i64, Option<i64>)> = self.pools().fetch_page(AssertSqlSafe(sql), values).await?;
        let value = |number: Option<i64>| match number {
            Some(number) if sort.column.is_some() => CursorValue::Number(number),
            _ => CursorValue::None,
        };
        Ok(rows.into_iter().map(|(id, number)| (id, value(number))).collect())
    }

    /// A page in an order that looks random but is the same for the same seed.
    async fn shuffled_page_of<B>(
        &self,
        rows: MediaRows,
        where_clause: &WhereClause<'_>,
        seed: i64,
        request: &ListRequest<B>,
    ) -> Result<Listing<i64>> {
        let (sql, values) = where_clause.all(&format!("SELECT {} FROM {}", rows.key, rows.from));
        let found: Vec<(i64,)> = self.pools().fetch_page(AssertSqlSafe(sql), values).await?;
        let total = found.len() as u64;
        let mut places: Vec<(i64, i64)> = found.into_iter().map(|(id,)| (shuffled(seed, id), id)).collect();
        places.sort_unstable();
        let name = format!("random {seed}");
        let skip = match &request.after {
            None => usize::try_from(request.page.skip).unwrap_or(usize::MAX),
            Some(Cursor {
                sort,
                value: CursorValue::Number(place),
                id,
            }) if *sort == name => places.partition_point(|at| *at <= (*place, *id)),
            Some(_) => return Err(StoreError::ForeignCursor),
        };
        let take = usize::try_from(request.page.take).unwrap_or(0);
        let part: Vec<(i64, i64)> = places.into_iter().skip(skip).take(take).collect();
        let last = part.last().filter(|_| part.len() == take);
        Ok(Listing {
            next: last.map(|(place, id)| Cursor {
                sort: name,
                value: CursorValue::Number(*place),
                id: *id,
            }),
            items: part.into_iter().map(|(_, id)| id).collect(),
            total,
        })
    }
}

/// Position of an item in the order of a seed: SplitMix64, a bijection.
fn shuffled(seed: i64, id: i64) -> i64 {
    let mut mixed = (id as u64).wrapping_add((seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as i64
}

/// Orders items by a list of ids. Items deleted meanwhile are left out.
pub(crate) fn in_order<T>(ids: &[i64], items: Vec<T>, id: impl Fn(&T) -> i64) -> Vec<T> {
    let mut by_id: HashMap<i64, T> = items.into_iter().map(|item| (id(&item), item)).collect();
    ids.iter().filter_map(|id| by_id.remove(id)).collect()
}

/// A statement with its values.
#[cfg(test)]
pub(crate) type OrderCase = (String, Vec<Arg<'static>>);

/// The statements that read a page of this order: from the start and after a cursor, in both directions.
#[cfg(test)]
pub(crate) fn order_cases_of(rows: MediaRows, sort: Sort) -> Vec<OrderCase> {
    order_cases_within(rows, sort, &WhereClause::default())
}

/// [`order_cases_of`] for a list with fixed conditions.
#[cfg(test)]
pub(crate) fn order_cases_within(
    rows: MediaRows,
    sort: Sort,
    where_clause: &WhereClause<'static>,
) -> Vec<OrderCase> {
    let mut cases = Vec::new();
    for order in [Order::Ascending, Order::Descending] {
        let value = match sort.column {
            None => CursorValue::None,
            Some(_) if sort.is_text => CursorValue::Text("m".to_owned()),
            Some(_) => CursorValue::Number(5),
        };
        let cursor = |value| Cursor {
            sort: sort.cursor_name(order),
            value,
            id: 9,
        };
        let mut places = vec![None, Some(cursor(value))];
        if sort.nullable {
            places.push(Some(cursor(CursorValue::None)));
        }
        for place in places {
            for range in keyset_ranges(sort, place.as_ref()) {
                let where_clause = restrict(where_clause, rows, sort, order, &range);
                cases.push(statement(rows, &where_clause, sort, order, Pagination::default()));
            }
        }
    }
    cases
}
