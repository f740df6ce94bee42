//! Converts tags to the fields of the contract (`docs/plugin-keys.md`).

use svc_plugin_api::{ExtractionBuilder, parse_date};

use crate::tags::{Key, Tags};
use crate::values::{boolean, genres, number_and_total, people, r128_gain, real};

/// Fields that list the people of a role.
const ROLES: [(&str, Key); 6] = [
    ("music.composers", Key::Composer),
    ("music.conductors", Key::Conductor),
    ("music.lyricists", Key::Lyricist),
    ("music.remixers", Key::Remixer),
    ("music.performers", Key::Performer),
    ("music.producers", Key::Producer),
];

/// Text fields without conversion.
const TEXTS: [(&str, Key); 9] = [
    ("title-sort", Key::TitleSort),
    ("music.album", Key::Album),
    ("music.album-sort", Key::AlbumSort),
    ("music.isrc", Key::Isrc),
    ("music.mb-recording-id", Key::RecordingId),
    ("music.mb-track-id", Key::TrackId),
    ("music.mb-release-id", Key::ReleaseId),
    ("music.mb-release-group-id", Key::ReleaseGroupId),
    ("music.comment", Key::Comment),
];

const REALS: [(&str, Key); 5] = [
    ("music.replaygain-track-gain", Key::TrackGain),
    ("music.replaygain-album-gain", Key::AlbumGain),
    ("music.replaygain-track-peak", Key::TrackPeak),
    ("music.replaygain-album-peak", Key::AlbumPeak),
    ("music.bpm", Key::Bpm),
];

/// Numbers with their totals.
const NUMBERS: [(&str, Key, &str, Key); 2] = [
    (
        "music.track-number",
        Key::TrackNumber,
        "music.track-total",
        Key::TrackTotal,
    ),
    (
        "music.disc-number",
        Key::DiscNumber,
        "music.disc-total",
        Key::DiscTotal,
    ),
];

/// Writes the fields of a tag that no tag before it has.
pub fn write(tags: &Tags, extraction: &mut ExtractionBuilder) {
    if let Some(title) = tags.first(Key::Title) {
        // Several titles (separated by NUL in ID3v2.4) are variants; the first is used.
        extraction.title(
            title
                .split('\0')
                .find(|part| !part.trim().is_empty())
                .unwrap_or_default(),
        );
    }
    for (key, text) in TEXTS
        .iter()
        .filter_map(|(key, tag)| Some((key, tags.first(*tag)?)))
    {
        extraction.text(
            key,
            text.split('\0')
                .find(|part| !part.trim().is_empty())
                .unwrap_or_default(),
        );
    }
    write_people(tags, extraction);
    write_dates(tags, extraction);
    for (number_key, number, total_key, total) in NUMBERS {
        let (value, of) = tags.first(number).map_or((None, None), number_and_total);
        let of = tags.first(total).and_then(|text| number_and_total(text).0).or(of);
        extraction
            .positive(number_key, value.unwrap_or(0))
            .positive(total_key, of.unwrap_or(0));
    }
    for (key, tag) in REALS {
        if let Some(value) = tags.first(tag).and_then(real) {
            // Programs write a tempo of 0 for "unknown".
            if tag != Key::Bpm || value > 0.0 {
                extraction.real(key, value);
            }
        }
    }
    for (key, tag) in [
        ("music.replaygain-track-gain", Key::R128TrackGain),
        ("music.replaygain-album-gain", Key::R128AlbumGain),
    ] {
        if let Some(gain) = tags.first(tag).and_then(r128_gain) {
            extraction.real(key, gain);
        }
    }
    extraction.texts("music.genres", tags.all(Key::Genre).flat_map(genres));
    let types = tags
        .all(Key::ReleaseType)
        .flat_map(|text| text.split(['\0', ';', ',', '/']));
    extraction.texts(
        "music.release-types",
        types.map(|part| part.trim().to_lowercase()),
    );
    if let Some(compilation) = tags.first(Key::Compilation).and_then(boolean) {
        extraction.boolean("music.compilation", compilation);
    }
}

fn write_people(tags: &Tags, extraction: &mut ExtractionBuilder) {
    let split = |key: Key| tags.all(key).flat_map(|text| people(text, tags.joins_with_slash));
    // A tag with one value for each artist takes precedence over the credited text.
    let list = |several: Key, credited: Key| {
        let several: Vec<&str> = tags
            .all(several)
            .flat_map(|text| text.split(['\0', ';']))
            .collect();
        if several.iter().any(|name| !name.trim().is_empty()) {
            several
        } else {
            split(credited).collect()
        }
    };
    extraction
        .texts("music.artists", list(Key::Artists, Key::Artist))
        .texts("music.artists-sort", split(Key::ArtistSort))
        .texts("music.album-artists", list(Key::AlbumArtists, Key::AlbumArtist))
        .texts("music.album-artists-sort", split(Key::AlbumArtistSort));
    for (key, role) in ROLES {
        extraction.texts(key, split(role));
    }
    for (key, ids) in [
        ("music.mb-artist-ids", Key::ArtistId),
        ("music.mb-album-artist-ids", Key::AlbumArtistId),
    ] {
        extraction.texts(
            key,
            tags.all(ids).flat_map(|text| text.split(['\0', ';', '/', ','])),
        );
    }
}

fn write_dates(tags: &Tags, extraction: &mut ExtractionBuilder) {
    // The most precise of the dates: some files have both "2016" and "2016-12-09".
    let best = |keys: &[Key]| {
        keys.iter().find_map(|key| {
            tags.all(*key)
                .flat_map(|text| text.split('\0'))
                .filter_map(parse_date)
                .max_by_key(|date| (date.month.is_some(), date.day.is_some(), date.time_ms.is_some()))
        })
    };
    if let Some(date) = best(&[Key::Date, Key::Year, Key::ReleaseDate]) {
        extraction.date("music.date", date);
    }
    if let Some(date) = best(&[Key::OriginalDate, Key::OriginalYear]) {
        extraction.date("music.original-date", date);
    }
}
