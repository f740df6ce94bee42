//! What the plugins read, through the sandbox, against what independent tools read from files that nobody here made.
//!
//! The files and `truth.jsonl` lie outside of the project (`SVC_TEST_MEDIA`, else `../shared/media`); without them
//! these tests are skipped. The rules of the comparison stand at the top of `tests/expectations/*.toml`, where
//! each difference that remains is listed with its reason.

mod broken;
mod compare;
mod music;
mod photos;
mod pictures;
mod video;
mod waveforms;
