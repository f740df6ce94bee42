//! Handlers, one file per resource: typed input, one service call, one view.

pub mod auth;
pub mod changes;
pub mod dev;
pub mod events;
pub mod general;
pub mod history;
pub mod index;
pub mod libraries;
pub mod links;
pub mod ls;
pub mod movies;
pub mod music;
pub mod photos;
pub mod playback_queues;
pub mod plugins;
pub mod ratings;
pub mod reset;
pub mod roles;
pub mod search;
pub mod sessions;
pub mod settings;
pub mod tokens;
pub mod tv;
pub mod users;
pub mod video;
pub mod watching;
