//! The guest SDK of `svc`: what a plugin author writes against.
//!
//! A plugin is a WebAssembly component that reads one media kind, draws pictures ([`Thumbnailer`]) or measures sounds
//! ([`WaveformAnalyzer`]). It implements [`Extractor`] over a
//! [`Source`] (the bytes of one file, [`std::io::Read`] and [`std::io::Seek`]), says what it found with an
//! [`ExtractionBuilder`], and is exported with [`export_plugin!`]. Nothing in that code knows about
//! WebAssembly, so it is tested with plain `cargo test` on the host.
//!
//! ```
//! use std::io::Read;
//! use svc_plugin_api::{ExtractError, Extraction, ExtractionBuilder, Extractor, Source};
//!
//! /// Reads files that are a magic word and a title.
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
//! let mut source = Source::from_bytes("a.note", b"NOTE  Hello \0".to_vec());
//! let extraction = svc_plugin_api::run::<Notes>(&mut source).unwrap().unwrap();
//! assert_eq!(extraction.title.as_deref(), Some("Hello"));
//! ```
//!
//! # Rules
//! - "Nothing to say" is `Ok(None)`; which [`ExtractError`] is for what stands at its cases.
//! - Keys are listed in `docs/plugin-keys.md`; a plugin's own start with `x.<plugin id>.`.
//! - No clock, no random numbers: `Instant::now()` and `getrandom` trap inside the sandbox. The same bytes
//!   always give the same record.
//! - Never trust a length in the file: [`Source::bytes_at`] takes a cap for that reason.

pub mod bindings;
mod date;
mod extraction;
mod guest;
pub mod log;
mod media_type;
mod related;
mod source;
mod text;

pub use bindings::{
    Bounds, ExtractError, Extraction, Field, Image, IoError, Malformed, PartialDate, Picture, PictureData,
    Rational, RelatedFile, Span, Summary, Value,
};
pub use date::{date_from_parts, parse_date, time_of_day_ms};
pub use extraction::ExtractionBuilder;
pub use guest::{
    Artwork, Extractor, MAX_PICTURE_BYTES, Thumbnailer, WaveformAnalyzer, analyze, read_picture, render, run,
};
pub use media_type::picture_media_type;
pub use source::Source;
pub use text::clean_text;
