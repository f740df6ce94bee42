//! The SDK for plugins of `svc`.
//!
//! A plugin is a WebAssembly component that extracts metadata ([`Extractor`], [`Artwork`]), lists the pages of documents
//! ([`Pages`]), renders thumbnails ([`Thumbnailer`]) or analyzes waveforms ([`WaveformAnalyzer`]); [`cloud`] is for plugins
//! that read no files. Its code reads one file from a [`Source`], which implements [`std::io::Read`] and
//! [`std::io::Seek`], and returns an [`Extraction`] that an [`ExtractionBuilder`] makes. [`export_plugin!`] exports it.
//! The code does not depend on WebAssembly, so `cargo test` runs its tests natively.
//!
//! # A complete plugin
//! It has three files. `svc plugin new notes --lang rust --kind notes` makes a larger one with fixtures, and
//! `svc plugin build` compiles either to `dist/notes.wasm`. `Cargo.toml`:
//!
//! ```toml
//! [package]
//! name = "notes"
//! version = "1.0.0"
//! edition = "2024"
//!
//! [lib]
//! crate-type = ["cdylib", "rlib"]
//!
//! [dependencies]
//! svc-plugin-api = "0.1"
//! ```
//!
//! `plugin.toml`, the manifest, which defines a new kind of media:
//!
//! ```toml
#![doc = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/plugin.toml"))]
//! ```
//!
//! `src/lib.rs`:
//!
//! ```
//! use std::io::Read;
//! use svc_plugin_api::{ExtractError, Extraction, ExtractionBuilder, Extractor, Source};
//!
//! /// Reads files that start with a magic word, followed by a title.
//! struct Notes;
//!
//! impl Extractor for Notes {
//!     fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
//!         let mut text = String::new();
//!         source.take(64).read_to_string(&mut text)?;
//!         let Some(title) = text.strip_prefix("NOTE") else {
//!             return Err(ExtractError::Refused("no NOTE at the start".into()));
//!         };
//!         let mut extraction = ExtractionBuilder::new();
//!         extraction.title(title).integer("x.notes.length", title.len() as i64);
//!         Ok(extraction.finish())
//!     }
//! }
//!
//! # mod with { use super::Notes;
//! svc_plugin_api::export_plugin!(Notes, manifest = "plugin.toml");
//! # }
//! # fn main() {
//!
//! // In a test:
//! let mut source = Source::from_bytes("a.note", b"NOTE  Hello \0".to_vec());
//! let extraction = svc_plugin_api::run::<Notes>(&mut source).unwrap().unwrap();
//! assert_eq!(extraction.title.as_deref(), Some("Hello"));
//! # }
//! ```
//!
//! # Panics
//! A panic costs the current file. The host shows its message and place as the reason, because [`export_plugin!`]
//! installs a panic hook that logs them; therefore each plugin imports `log`, and its manifest has the permission `log`.
//!
//! # Rules
//! - Return `Ok(None)` for a valid file without metadata. [`ExtractError`] documents when to return which error.
//! - A plugin's own keys start with `x.<plugin id>.`. The common keys, such as `music.album`, are listed in
//!   `docs/plugin-keys.md` of the repository of svc, which this crate does not contain. `svc plugin run` shows a warning for
//!   each key that the server does not know.
//! - Do not use clocks or random numbers: `Instant::now()` and `getrandom` trap in the sandbox. The same bytes must
//!   always give the same extraction.
//! - Do not trust a length in the file. Limit it before you pass it to [`Source::bytes_at`].

pub mod bindings;
pub mod cloud;
mod date;
mod extraction;
mod guest;
mod guest_pages;
pub mod log;
mod media_type;
#[cfg(target_arch = "wasm32")]
mod panic;
pub mod settings;
mod source;
mod text;
mod values;

pub use bindings::{
    Bounds, ExtractError, Extraction, Field, Image, IoError, Malformed, Page, PageData, PageSize,
    PartialDate, Picture, PictureData, Rational, RelatedFile, Span, Summary, Value,
};
pub use date::{date_from_parts, parse_date, time_of_day_ms};
pub use extraction::ExtractionBuilder;
pub use guest::{
    Artwork, Extractor, MAX_PICTURE_BYTES, Thumbnailer, WaveformAnalyzer, analyze, read_picture, render, run,
};
pub use guest_pages::{MAX_PAGE_BYTES, MAX_PAGES, Pages, list_pages, read_page};
pub use media_type::picture_media_type;
pub use source::Source;
pub use text::clean_text;
