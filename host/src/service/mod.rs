//! The use cases, one file per resource. A service takes the actor where it matters, asks store and plugins, and
//! knows nothing of HTTP. Whether the actor may call it at all is the route's capability, checked before.

pub mod browse;
pub mod changes;
pub mod cloud;
pub mod cloud_info;
pub mod dev;
pub mod error;
pub mod events;
pub mod history;
pub mod identity;
pub mod indexed_files;
pub mod indexing;
pub mod items;
pub mod jobs;
pub mod keeper;
pub mod libraries;
pub mod links;
pub mod media;
pub mod movies;
pub mod music;
pub mod origins;
pub mod photo_albums;
pub mod photos;
pub mod pictures;
pub mod playback_queues;
pub mod plugins;
pub mod ratings;
pub mod reset;
mod run_events;
pub mod search;
pub mod server;
pub mod services;
pub mod settings;
pub mod stream_limit;
pub mod tv;
pub mod video;
pub mod waveforms;
