//! Lists: which part of them is asked for, and in which direction.

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
pub struct Page {
    /// How many items, at most [`Page::MAX_TAKE`].
    pub take: u32,
    /// How many items to pass over.
    pub skip: u64,
}

impl Page {
    /// The default number of items.
    pub const DEFAULT_TAKE: u32 = 12;
    /// The most items that one answer holds.
    pub const MAX_TAKE: u32 = 1000;
}

impl Default for Page {
    fn default() -> Self {
        Self {
            take: Self::DEFAULT_TAKE,
            skip: 0,
        }
    }
}

/// A part of a list, with the number of items that the whole list has.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// The items asked for.
    pub items: Vec<T>,
    /// All there are.
    pub total: u64,
}
