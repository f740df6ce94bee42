//! Lists: which part of them is asked for, and in which direction.

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

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pagination {
    /// How many items, at most [`Pagination::MAX_TAKE`].
    pub take: u32,
    /// How many items to pass over.
    pub skip: u64,
}

impl Pagination {
    /// The default number of items.
    pub const DEFAULT_TAKE: u32 = 12;
    /// The most items that one answer holds.
    pub const MAX_TAKE: u32 = 1000;
}

impl Pagination {
    /// This part of a list that was read as a whole.
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

/// Which part of a list that has one order, in which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedPagination {
    /// In which direction.
    pub order: Order,
    /// Which part.
    pub page: Pagination,
}

/// Which part of a list of media, in which order.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRequest<B> {
    /// What it is ordered by.
    pub by: B,
    /// In which direction.
    pub order: Order,
    /// Which part.
    pub page: Pagination,
    /// Begin after this place; nothing is passed over then.
    pub after: Option<Cursor>,
    /// In these libraries; none for all.
    pub libraries: Vec<LibraryId>,
}

impl<B> ListRequest<B> {
    /// This part, from the beginning.
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

/// A place in a list: the item before it, by what the list is ordered by. Holds when that item changes or goes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cursor {
    /// The order that it is a place in.
    pub sort: String,
    /// The item's value.
    pub value: CursorValue,
    /// The item's number.
    pub id: i64,
}

/// By what an item is ordered.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum CursorValue {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
    /// The item has no value, or the order needs none.
    None,
}

/// Opaque to clients: what it holds may change with any version.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_vec(self).map_err(|_| fmt::Error)?;
        f.write_str(&BASE64URL_NOPAD.encode(&json))
    }
}

/// A text that is no cursor.
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

/// A part of a list, with the number of items that the whole list has.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// The items asked for.
    pub items: Vec<T>,
    /// All there are.
    pub total: u64,
    /// Where the next part begins, for lists that can be read on from a place. `None` at the end.
    pub next: Option<Cursor>,
}

impl<T> Listing<T> {
    /// A part of a list that is read by numbers of items to pass over.
    pub fn new(items: Vec<T>, total: u64) -> Self {
        Self {
            items,
            total,
            next: None,
        }
    }

    /// The same part of the list with these items instead, which belong to the old ones.
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
    fn part_of_a_whole_list_is_cut_out() {
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
    fn cursor_survives_its_text_and_nothing_else_is_one() {
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
