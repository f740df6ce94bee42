//! Types and rules of the media server: media kinds, items, facts, ids, paths, scans, users.
//!
//! Depends on no other crate of the host, only on `svc-plugin-language`, whose languages the plugins share. Does no I/O: no
//! files, threads or frameworks; only `SystemClock` reads the time. Time and randomness are parameters.
//!
//! To add a type: a module for its subject, with the rules as functions on it and their tests beside it. A type that
//! only one layer needs belongs to that layer.

pub mod audit;
pub mod change;
pub mod device_sign_in;
pub mod erased;
pub mod extraction;
pub mod fields;
pub mod id;
pub mod invitation;
pub mod item;
pub mod item_kind;
pub mod job;
pub mod kind;
pub mod library;
pub mod list;
pub mod music;
pub mod named_enum;
pub mod origin;
pub mod page;
pub mod path;
pub mod photo;
pub mod photo_album;
pub mod photo_bucket;
pub mod photo_edit;
pub mod playback_queue;
pub mod plugin;
pub mod release_channel;
pub mod rendering;
pub mod scan;
pub mod session;
pub mod text;
pub mod time;
pub mod user;
pub mod user_data;
pub mod video;
pub mod waveform;
