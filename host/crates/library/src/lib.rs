//! Use cases of media: browsing, search, streams, thumbnails, waveforms, queues, history, ratings, albums, jobs.
//!
//! May use every crate below it, and knows no HTTP. Whether a caller may call a use case at all is the route's capability,
//! checked before; which items they may see is checked here.
//!
//! To add a use case: a module (a folder where it has parts) with a type that holds the repositories it needs, and its place in
//! the composition root (`host/src`).

pub mod browse;
pub mod changes;
pub mod cloud_info;
pub mod dev;
pub mod history;
pub mod indexed_files;
pub mod items;
pub mod jobs;
pub mod libraries;
mod library_input;
pub mod links;
pub mod maintenance;
pub mod media;
pub mod media_version;
pub mod movies;
pub mod music;
pub mod open_streams;
pub mod photo_albums;
pub mod photos;
pub mod playback_queues;
pub mod plugins;
pub mod ratings;
pub mod reset;
pub mod search;
pub mod server;
pub mod thumbnails;
pub mod tv;
pub mod video;
pub mod waveforms;
