//! Lists: pagination, order and cursors.

use std::fmt;
use std::str::FromStr;

use data_encoding::BASE64URL_NOPAD;

use crate::id::LibraryId;

/// Ascending or descending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// A page of a list by offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pagination {
    /// Number of items, at most [`Pagination::MAX_TAKE`].
    pub take: u32,
    /// Number of items to skip.
    pub skip: u64,
}

impl Pagination {
    /// The default number of items.
    pub const DEFAULT_TAKE: u32 = 12;
    /// The maximum number of items per page.
    pub const MAX_TAKE: u32 = 1000;
}

impl Pagination {
    /// Cuts this page out of a complete list.
    pub fn of<T>(self, items: Vec<T>) -> Listing<T> {
        let total = items.len() as u64;
        let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
        let take = usize::try_from(self.take).unwrap_or(usize::MAX);
        Listing::new(items.into_iter().skip(skip).take(take).collect(), total)
    }
}

impl Default for Pagination {
    fn default() -> Self {
        Self {
            take: Self::DEFAULT_TAKE,
            skip: 0,
        }
    }
}

/// A page of a list that has one sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedPagination {
    /// Of the sort key.
    pub order: Order,
    /// Offset and length.
    pub page: Pagination,
}

/// A page of a list of media.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRequest<B> {
    /// The sort key.
    pub by: B,
    /// Of the sort key.
    pub order: Order,
    /// Offset and length.
    pub page: Pagination,
    /// Start after this cursor; `skip` is ignored then.
    pub after: Option<Cursor>,
    /// Only items of these libraries; all if empty.
    pub libraries: Vec<LibraryId>,
}

impl<B> ListRequest<B> {
    /// A page without cursor, of all libraries.
    pub fn new(by: B, order: Order, page: Pagination) -> Self {
        Self {
            by,
            order,
            page,
            after: None,
            libraries: Vec::new(),
        }
    }
}

/// A position in a list: the sort key and id of the preceding item. Remains valid when that item changes or is
/// removed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cursor {
    /// The sort key of the list; a cursor is rejected by a list with another one.
    pub sort: String,
    /// The sort value of the preceding item.
    pub value: CursorValue,
    /// Id of the preceding item.
    pub id: i64,
}

/// A sort value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum CursorValue {
    /// Number or date.
    Number(i64),
    /// Folded text.
    Text(String),
    /// The item has no value, or the list is sorted by id.
    None,
}

/// The text is opaque to clients: its content may change with any version.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_vec(self).map_err(|_| fmt::Error)?;
        f.write_str(&BASE64URL_NOPAD.encode(&json))
    }
}

/// The text is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of this list")]
pub struct InvalidCursor;

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let json = BASE64URL_NOPAD
            .decode(text.as_bytes())
            .map_err(|_| InvalidCursor)?;
        serde_json::from_slice(&json).map_err(|_| InvalidCursor)
    }
}

/// A page of a list with the total number of items.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// Items in the whole list.
    pub total: u64,
    /// Cursor of the next page; `None` at the end, and for lists without cursors.
    pub next: Option<Cursor>,
}

impl<T> Listing<T> {
    /// A page without a cursor.
    pub fn new(items: Vec<T>, total: u64) -> Self {
        Self {
            items,
            total,
            next: None,
        }
    }

    /// Replaces the items, which correspond to the old ones one by one, and keeps total and cursor.
    pub fn with_items<U>(self, items: Vec<U>) -> Listing<U> {
        Listing {
            items,
            total: self.total,
            next: self.next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_cut_out_of_a_complete_list() {
        let part = |take, skip| {
            let listing = Pagination { take, skip }.of(vec![1, 2, 3, 4]);
            assert_eq!((listing.total, listing.next), (4, None));
            listing.items
        };
        assert_eq!(part(1000, 0), [1, 2, 3, 4]);
        assert_eq!(part(2, 1), [2, 3]);
        assert!(part(0, 0).is_empty());
        assert!(part(2, u64::MAX).is_empty());
    }

    #[test]
    fn cursor_round_trips_and_other_texts_are_rejected() {
        for value in [
            CursorValue::None,
            CursorValue::Number(-3),
            CursorValue::Text("ä \"b\"".to_owned()),
        ] {
            let cursor = Cursor {
                sort: "title".to_owned(),
                value,
                id: 7,
            };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for text in ["", "abc", "e30", "!", "bnVsbA"] {
            assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
        }
    }
}
