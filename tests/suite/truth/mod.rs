//! Metadata that plugins read, compared with independent tools on files from elsewhere.
//!
//! The files and `truth.jsonl` lie outside of the project (`SVC_TEST_MEDIA`, else `../shared/media`); without them
//! these tests are skipped. The rules of the comparison are at the top of `tests/expectations/*.toml`, where
//! each difference that remains is listed with its reason.

mod broken;
mod compare;
mod music;
mod photos;
mod pictures;
mod video;
mod waveforms;
