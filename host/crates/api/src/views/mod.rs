//! JSON of the API, one file per resource. Ids are strings, durations are in seconds, times are ISO 8601 in UTC.

pub mod auth;
pub mod changes;
pub mod cloud_link;
pub mod device_sign_in;
pub mod general;
pub mod index;
pub mod indexed_file;
pub mod invitations;
pub mod item_pages;
pub mod items;
pub mod jobs;
pub mod kind_items;
pub mod kinds;
pub mod libraries;
pub mod ls;
pub mod movies;
pub mod music;
pub mod oidc;
pub mod photo_albums;
pub mod photos;
pub mod playback_queues;
pub mod plugin_changes;
pub mod plugin_previews;
pub mod plugins;
pub mod search;
pub mod settings;
pub mod tv;
pub mod users;
pub mod video;
pub mod waveform;

fn seconds(millis: i64) -> f64 {
    millis as f64 / 1000.0
}
