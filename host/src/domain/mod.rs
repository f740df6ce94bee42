//! Types and rules of the server. Knows no salvo, no sqlx and no wasmtime, does no input or output.

pub mod audit;
pub mod change;
pub mod extraction;
pub mod fields;
pub mod id;
pub mod job;
pub mod kind;
pub mod library;
pub mod list;
pub mod music;
pub mod origin;
pub mod path;
pub mod photo;
pub mod photo_album;
pub mod photo_bucket;
pub mod photo_edit;
pub mod playback_queue;
pub mod rendering;
pub mod scan;
pub mod session;
pub mod text;
pub mod time;
pub mod user;
pub mod user_data;
pub mod video;
pub mod waveform;
