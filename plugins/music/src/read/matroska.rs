//! Matroska audio: maps the result of the `video` crate to music tags.

use svc_plugin_api::{ExtractError, Source};
use video::{Kind, SimpleTag, Video};

use super::Parsed;
use crate::audio::Audio;
use crate::tags::{Key, Tags};

/// Target levels of tags: a track of a release, the release, a set of releases.
const TRACK: u64 = 30;
const RELEASE: u64 = 50;
const SET: u64 = 60;

/// # Errors
/// `Refused` or `Invalid` if the file is not Matroska or has no audio, `Io` if a read failed.
pub(super) fn read(source: &mut Source) -> Result<Parsed, ExtractError> {
    let video = video::read_matroska(source)?;
    let sound = video.streams.iter().find(|stream| stream.kind == Kind::Audio);
    let Some(sound) = sound else {
        return Err(ExtractError::invalid(None, "no audio in the Matroska file"));
    };
    let audio = Audio {
        container: video.container,
        codec: codec(&sound.codec),
        duration_ms: video.duration_ms.unwrap_or(0),
        sample_rate: sound.sample_rate.unwrap_or(0),
        bit_depth: 0,
        channels: sound.channels.unwrap_or(0),
    };
    Ok((tags(&video), audio, Vec::new()))
}

/// The contract's name of a codec; `None` for an unknown one.
fn codec(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 14] = [
        "mp1", "mp2", "mp3", "aac", "alac", "flac", "vorbis", "opus", "wavpack", "ac3", "eac3", "dts",
        "truehd", "tta",
    ];
    if name.starts_with("pcm_") {
        return Some("pcm");
    }
    NAMES.into_iter().find(|known| *known == name)
}

/// The tags of the file, then those of the stream, then the title of the segment.
fn tags(video: &Video) -> Vec<Tags> {
    let (of_stream, of_file): (Vec<_>, Vec<_>) = video.simple_tags.iter().partition(|tag| tag.is_of_track);
    // Programs without support for levels write all tags with the level of the release.
    let has_levels = of_file.iter().any(|tag| tag.level <= TRACK);
    let mut title = Tags::default();
    title.add(Key::Title, video.tags.title.clone().unwrap_or_default());
    let mut tags = vec![collect(&of_file, has_levels), collect(&of_stream, false), title];
    tags.retain(|tags| !tags.is_empty());
    tags
}

fn collect(simple_tags: &[&SimpleTag], has_levels: bool) -> Tags {
    let mut tags = Tags::default();
    for SimpleTag {
        level, name, value, ..
    } in simple_tags
    {
        let is_of_release = *level >= RELEASE && has_levels;
        let key = match name.as_str() {
            _ if *level >= SET => None,
            "TITLE" if is_of_release => Some(Key::Album),
            "ARTIST" if is_of_release => Some(Key::AlbumArtist),
            "PART_NUMBER" if is_of_release => Some(Key::DiscNumber),
            "PART_NUMBER" => Some(Key::TrackNumber),
            "TOTAL_PARTS" => Some(Key::TrackTotal),
            "DATE_RELEASED" | "DATE_RECORDED" => Some(Key::Date),
            "REMIXED_BY" => Some(Key::Remixer),
            "LEAD_PERFORMER" => Some(Key::Artist),
            name => crate::tags::key_of_name(name),
        };
        if let Some(key) = key {
            tags.add(key, value.as_str());
        }
    }
    tags
}
