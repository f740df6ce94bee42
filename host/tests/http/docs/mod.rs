//! `/docs` and `/docs-json`.

mod document;
mod page;
