//! Use cases: lists and items of each kind, browsing, search, streams, thumbnails, waveforms; the data of users (history,
//! ratings, queues, albums); the administration of libraries, plugins, jobs and resets.
//!
//! May use `svc-domain`, `svc-platform`, `svc-store`, `svc-plugin-host`, `svc-identity`, `svc-events` and `svc-indexer`. It
//! does not depend on HTTP. The route checks the capability that a use case requires; the use case checks which items the
//! caller may see.
//!
//! To add a use case: a module (a folder if it has parts) with a type that holds the repositories it needs, and its
//! construction in the composition root (`host/src`).

pub mod browse;
pub mod changes;
pub mod cloud_info;
pub mod dev;
pub mod history;
pub mod indexed_files;
pub mod item_kinds;
mod item_page_reader;
pub mod item_pages;
pub mod items;
pub mod jobs;
pub mod libraries;
mod library_input;
pub mod links;
pub mod maintenance;
pub mod media;
pub mod media_types;
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
mod user_items;
pub mod video;
pub mod waveforms;
