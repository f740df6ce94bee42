//! Handlers, one file per resource: typed input, one service call, one view.

pub mod auth;
pub mod changes;
pub mod dev;
pub mod events;
pub mod general;
pub mod index;
pub mod jobs;
pub mod libraries;
pub mod ls;
pub mod music;
pub mod photo_albums;
pub mod photos;
pub mod plugins;
pub mod reset;
pub mod roles;
pub mod sessions;
pub mod settings;
pub mod tokens;
pub mod users;
