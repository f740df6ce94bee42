//! Reads tags and audio properties. Tags are read with tolerance for damaged items ([`crate::items`]). The `lofty`
//! crate reads the properties of formats whose headers need more than a few numbers.

mod adts;
mod between_tags;
mod iff;
mod lofty_formats;
mod matroska;
mod mpeg;
mod ogg;

use svc_plugin_api::{ExtractError, Source};

use crate::audio::Audio;
use crate::container::{Container, Format, asf, comments as places, dsf};
use crate::dialect::{Findings, ape, comments, id3v1, id3v2, iff as iff_tags, mp4};
use crate::pictures::{self, Found};
use crate::tags::Tags;

/// The tags of a file, best first, its properties, and warnings.
pub type Parsed = (Vec<Tags>, Audio, Vec<String>);

/// Reads a file and locates its pictures. If only one of tags and properties is readable, the other becomes a
/// warning.
///
/// # Errors
/// `Invalid` if neither is readable, `Io` if a read failed.
pub fn read(source: &mut Source, container: &mut Container) -> Result<(Parsed, Vec<Found>), ExtractError> {
    match container.format {
        Format::Asf => {
            let (tags, audio) = asf::read(source)?;
            let parsed = (vec![tags], audio, Vec::new());
            return Ok((parsed, pictures::find(source, container)?));
        }
        Format::Matroska => return Ok((matroska::read(source)?, pictures::find(source, container)?)),
        Format::Adif => return Err(ExtractError::Unsupported("AAC with an ADIF header".into())),
        _ => {}
    }
    // The properties first: format detection has just read the leading tag's frames, and the audio begins where they
    // end, so the source's window still covers it.
    let audio = audio(source, container)?;
    let found = pictures::find(source, container)?;
    let mut findings = Findings::default();
    tags(source, container, &mut findings)?;
    let audio = match audio {
        Err(failure) if findings.tags.is_empty() && found.is_empty() => {
            return Err(ExtractError::invalid(None, failure));
        }
        Err(failure) => {
            findings.warn(format_args!("read in part: {failure}"));
            Audio::default()
        }
        Ok(audio) => audio,
    };
    Ok(((findings.tags, audio, findings.warnings), found))
}

/// The properties; the inner error is the reason why they are unreadable.
fn audio(source: &mut Source, container: &Container) -> std::io::Result<Result<Audio, String>> {
    Ok(match (container.format, &container.chunks) {
        (Format::Wav, Some(list)) => iff::wav(source, list)?,
        (Format::Aiff, Some(list)) => iff::aiff(source, list)?,
        (Format::Dsf, _) => dsf::read(source)?,
        (Format::Mpeg, _) => mpeg::read(source, container)?,
        (Format::Adts, _) => adts::read(source, container)?,
        (Format::Vorbis | Format::Opus | Format::Speex | Format::OggFlac, _) => ogg::read(source, container)?,
        _ => lofty_formats::read(source, container),
    })
}

/// Adds the tags, best first.
fn tags(source: &mut Source, container: &mut Container, findings: &mut Findings) -> std::io::Result<()> {
    match container.format {
        Format::Flac => {
            for (start, end) in places::of_flac(source, container.start)? {
                comments::read(source, start, end, findings)?;
            }
        }
        Format::Ape | Format::WavPack | Format::Musepack => ape_tags(source, container, findings)?,
        _ => {}
    }
    if let Some(list) = &container.atoms {
        mp4::read(source, list, findings)?;
    }
    if let Some(packet) = &mut container.comments {
        let end = packet.size();
        comments::read(packet, 0, end, findings)?;
    }
    for tag in &mut container.id3v2 {
        id3v2::read(source, tag, findings)?;
    }
    match (container.format, &container.chunks) {
        (Format::Wav, Some(list)) => iff_tags::read_riff(source, list, findings)?,
        (Format::Aiff, Some(list)) => iff_tags::read_aiff(source, list, findings)?,
        (Format::Mpeg | Format::Adts, _) => ape_tags(source, container, findings)?,
        _ => {}
    }
    if let Some(offset) = container.tail.id3v1 {
        id3v1::read(source, offset, findings)?;
    }
    Ok(())
}

fn ape_tags(source: &mut Source, container: &Container, findings: &mut Findings) -> std::io::Result<()> {
    for tag in container.tail.ape.iter().chain(&container.ape) {
        ape::read(source, tag, findings)?;
    }
    Ok(())
}
