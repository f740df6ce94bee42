//! The dialects of tags: how each of them says what [`crate::tags::Key`] names.

pub mod id3v1;
pub mod id3v2;
pub mod iff;
pub mod mp4;
pub mod named;
