//! `/events`.

mod delivery;
mod disconnect;
mod subscribe;
