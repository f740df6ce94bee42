//! Handlers, one file per resource: typed input, one service call, one view.

pub mod auth;
pub mod general;
pub mod index;
pub mod ls;
pub mod music;
pub mod photos;
pub mod plugins;
