//! SQL that several repositories share: filters, pages, and rows of listed ids.

pub(crate) mod access_filter;
pub(crate) mod item_filter;
mod listed;
pub(crate) mod media_list;
pub(crate) mod pages;
mod sort;
pub(crate) mod where_clause;
