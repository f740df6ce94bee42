//! `/audit`.

mod entries;
mod list;
mod repeated;

const AUDIT: &str = "/api/v1/audit";
