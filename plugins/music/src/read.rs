//! Reads tags and audio properties: lofty for what it knows, readers of our own for the rest.

mod adts;
mod estimate;
mod lofty_formats;
mod masked;
mod ogg_flac;

use lofty::config::{ParseOptions, ParsingMode};
use svc_plugin_api::{ExtractError, Source};

use crate::audio::Audio;
use crate::container::{Container, Format, id3v2_size};
use crate::pictures::Found;
use crate::tags::Tags;
pub use lofty_formats::id3v2_of;
pub use masked::Masked;

/// What a file says: its tags, best first, its stream headers, and oddities on the way.
pub type Statements = (Vec<Tags>, Audio, Vec<String>);

/// How much junk before a first frame lofty may look through, in bytes.
const MAX_JUNK_BYTES: usize = 64 * 1024;

/// The most bytes of a tag that is read on its own.
const MAX_TAG_BYTES: usize = 16 * 1024 * 1024;

/// The options of every read: as tolerant as can be, and pictures only where their bytes are wanted.
pub fn options(with_pictures: bool) -> ParseOptions {
    ParseOptions::new()
        .parsing_mode(ParsingMode::Relaxed)
        .max_junk_bytes(MAX_JUNK_BYTES)
        .read_cover_art(with_pictures)
}

/// Reads a file. If one half of it (tags, properties) is broken, the other is still worth having.
///
/// # Errors
/// `Invalid` if neither can be read.
pub fn read(source: &mut Source, container: &Container, found: &[Found]) -> Result<Statements, ExtractError> {
    match container.format {
        Format::Dsf => return crate::container::dsf::read(source),
        Format::Asf => return crate::container::asf::read(source),
        Format::Adts => return adts::read(source, container),
        Format::Adif => return Err(ExtractError::Unsupported("AAC with an ADIF header".into())),
        Format::OggFlac => return ogg_flac::read(source, container.start),
        _ => {}
    }
    let file_type = lofty_formats::file_type(container.format)?;
    let mut attempt = |options| lofty_formats::read(&mut Masked::new(source, found), file_type, options);
    let failure = match attempt(options(false)) {
        Ok((mut tags, audio)) => {
            if let Some(first) = first_of_several(source, container)? {
                tags.insert(0, first);
            }
            let audio = estimate::better(source, container, audio)?;
            return Ok((tags, audio, Vec::new()));
        }
        Err(failure) => failure,
    };
    let tags = attempt(options(false).read_properties(false))
        .map(|(tags, _)| tags)
        .unwrap_or_default();
    let audio = attempt(options(false).read_tags(false)).map(|(_, audio)| audio);
    match audio {
        Err(_) if tags.iter().all(Tags::is_empty) && found.is_empty() => {
            Err(ExtractError::invalid(None, failure))
        }
        audio => Ok((
            tags,
            audio.unwrap_or_default(),
            vec![format!("read in part: {failure}")],
        )),
    }
}

/// The first of several leading ID3v2 tags, which is the one that counts; lofty keeps the last.
fn first_of_several(source: &mut Source, container: &Container) -> std::io::Result<Option<Tags>> {
    let Some(size) = container
        .id3v2
        .map_or(Ok(None), |offset| id3v2_size(source, offset))?
    else {
        return Ok(None);
    };
    if size >= container.start {
        return Ok(None);
    }
    let bytes = source.bytes_at(0, usize::try_from(size).unwrap_or(usize::MAX).min(MAX_TAG_BYTES))?;
    Ok(lofty_formats::id3_tags(&mut Source::from_bytes("", bytes))
        .ok()
        .and_then(|tags| tags.into_iter().next()))
}
