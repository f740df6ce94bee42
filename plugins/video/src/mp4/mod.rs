//! MP4 and QuickTime. `moov` describes the file, before or after the frames; in fragmented files the durations are in
//! the fragments.

mod chapters;
mod entry;
mod fragments;
mod samples;
mod tags;
mod track;

use std::io::Result;

use containers::isobmff::{BoxSpan, Boxes};
use svc_plugin_api::{ExtractError, Source};

use crate::video::{Kind, Stream, Video};
use containers::bytes::Bytes;
use fragments::Fragments;
use track::Track;

/// The most tracks that are read; chapters, time codes and hints are tracks too.
const MAX_TRACKS: usize = 256;
/// Brands of pictures in the same structure.
const PICTURES: [&[u8; 4]; 9] = [
    b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis", b"jxl ", b"crx ", b"jp2 ",
];

#[derive(Default)]
struct Movie {
    /// Units per second.
    timescale: u32,
    /// In units.
    duration: u64,
    /// Of a fragmented file, if stated, in units.
    whole_duration: u64,
    tracks: Vec<Track>,
    /// Track and default duration of its frames.
    defaults: Vec<(u32, u32)>,
    is_fragmented: bool,
}

/// # Errors
/// `Refused` for a picture, `Invalid` without `moov`, `Io` if a read failed.
pub(crate) fn read(source: &mut Source) -> std::result::Result<Video, ExtractError> {
    let mut top = Boxes::of_file(source);
    let mut brand = None;
    let mut video = Video::default();
    let mut movie = None;
    let mut fragments = Fragments::default();
    while let Some(found) = top.next(source)? {
        match &found.name {
            b"ftyp" if brand.is_none() => brand = source.array_at::<4>(found.start)?,
            b"moov" if movie.is_none() => {
                let whole = Movie::read(source, &found, &mut video)?;
                let is_fragmented = whole.is_fragmented;
                movie = Some(whole);
                // The rest of the file matters only in fragmented files.
                if !is_fragmented {
                    break;
                }
            }
            b"sidx" => fragments.index(source, &found)?,
            b"moof" => fragments.fragment(source, &found)?,
            _ => {}
        }
        if fragments.is_enough() {
            break;
        }
    }
    let is_picture = brand.is_some_and(|brand| PICTURES.contains(&&brand));
    let Some(movie) = movie else {
        return Err(match is_picture {
            true => ExtractError::Refused("a picture".into()),
            false => ExtractError::invalid(None, "no movie box"),
        });
    };
    // Old QuickTime files have no brand.
    let is_quicktime = brand.is_none_or(|brand| brand == *b"qt  ");
    video.container = if is_quicktime { "mov" } else { "mp4" };
    let chapter_tracks: Vec<u32> = movie
        .tracks
        .iter()
        .flat_map(|track| track.chapters.clone())
        .collect();
    if video.chapters.is_empty()
        && let Some(track) = movie
            .tracks
            .iter()
            .find(|track| chapter_tracks.contains(&track.id))
    {
        video.chapters = chapters::track(source, track)?;
    }
    video.duration_ms = duration(&movie, &fragments);
    video.streams = movie
        .tracks
        .iter()
        .filter(|track| !chapter_tracks.contains(&track.id))
        .filter_map(|track| stream(&movie, track, &fragments))
        .collect();
    Ok(video)
}

impl Movie {
    /// Reads `moov`; tags, pictures and a chapter list are added to `video`.
    fn read(source: &mut Source, span: &BoxSpan, video: &mut Video) -> Result<Self> {
        let mut movie = Self::default();
        let mut parts = span.children();
        while let Some(part) = parts.next(source)? {
            match &part.name {
                b"mvhd" => {
                    let header = part.bytes(source, 32)?;
                    (movie.timescale, movie.duration) = times(&header).unwrap_or_default();
                }
                b"trak" if movie.tracks.len() < MAX_TRACKS => movie.tracks.push(Track::read(source, &part)?),
                b"mvex" => extension(source, &part, &mut movie)?,
                b"udta" => tags::user_data(source, &part, video)?,
                b"meta" => tags::meta(source, &part, video)?,
                _ => {}
            }
        }
        Ok(movie)
    }
}

/// Timescale and duration at the start of `mvhd` and `mdhd`; an unknown duration is all ones.
fn times(bytes: &[u8]) -> Option<(u32, u64)> {
    let mut bytes = Bytes(bytes);
    let is_long = bytes.be32()? >> 24 == 1;
    bytes.skip(if is_long { 16 } else { 8 })?;
    let timescale = bytes.be32()?;
    let duration = if is_long {
        bytes.be64().filter(|duration| *duration != u64::MAX)
    } else {
        bytes
            .be32()
            .filter(|duration| *duration != u32::MAX)
            .map(u64::from)
    };
    Some((timescale, duration.unwrap_or(0)))
}

/// `mvex`, which only fragmented files have.
fn extension(source: &mut Source, span: &BoxSpan, movie: &mut Movie) -> Result<()> {
    movie.is_fragmented = true;
    let mut parts = span.children();
    while let Some(part) = parts.next(source)? {
        let body = part.bytes(source, 16)?;
        let mut bytes = Bytes(&body);
        let version = bytes.be32().unwrap_or(0) >> 24;
        match &part.name {
            b"mehd" if version == 1 => movie.whole_duration = bytes.be64().unwrap_or(0),
            b"mehd" => movie.whole_duration = bytes.be32().unwrap_or(0).into(),
            b"trex" if movie.defaults.len() < MAX_TRACKS => {
                // Track, description, duration.
                if let (Some(track), Some(_), Some(duration)) = (bytes.be32(), bytes.be32(), bytes.be32()) {
                    movie.defaults.push((track, duration));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn milliseconds(duration: u64, timescale: u32) -> Option<u64> {
    let ms = u128::from(duration) * 1000 + u128::from(timescale / 2);
    u64::try_from(ms.checked_div(timescale.into())?)
        .ok()
        .filter(|ms| *ms > 0)
}

fn duration(movie: &Movie, fragments: &Fragments) -> Option<u64> {
    if movie.is_fragmented {
        let whole = milliseconds(movie.whole_duration, movie.timescale);
        let seen = whole.or_else(|| fragments.duration_ms(movie));
        if seen.is_some() {
            return seen.max(milliseconds(movie.duration, movie.timescale));
        }
    }
    milliseconds(movie.duration, movie.timescale).or_else(|| {
        let tracks = movie.tracks.iter();
        tracks
            .filter_map(|track| milliseconds(track.duration, track.timescale))
            .max()
    })
}

fn stream(movie: &Movie, track: &Track, fragments: &Fragments) -> Option<Stream> {
    let mut stream = track.stream.clone()?;
    stream.language.clone_from(&track.language);
    stream.title.clone_from(&track.title);
    stream.is_default = track.is_enabled;
    if stream.kind == Kind::Video {
        stream.rotation = track.rotation;
        let default = movie.defaults.iter().find(|(id, _)| *id == track.id);
        let picture = fragments
            .picture_duration(track.id)
            .or(default.map(|(_, duration)| *duration));
        stream.fps = track.fps.or(stream.fps).or(crate::rate::fraction(
            track.timescale.into(),
            picture.unwrap_or(0).into(),
        ));
    }
    Some(stream)
}
