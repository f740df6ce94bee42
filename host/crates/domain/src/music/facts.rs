//! The metadata of one music file, and the key by which tracks belong to the same release.

use crate::extraction::{Extraction, Picture};
use crate::fields::{Fields, free_text};
use crate::music::{Credit, CreditRole, ReplayGain};
use crate::path::{RelativePath, stem};
use crate::text::{fold, search_words, sort_key};

/// The metadata of a track's file about the release.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseFacts {
    /// Identifies the release across files.
    pub key: String,
    /// As written in the file.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// In the order of the file; empty if the file has no album artists and is part of a compilation.
    pub artists: Vec<Credit>,
    /// In lower case, such as `album`, `single`, `compilation`.
    pub release_type: Option<String>,
    /// Year of this release.
    pub year: Option<i32>,
    /// Year of the first release.
    pub original_year: Option<i32>,
    /// MusicBrainz release id.
    pub mb_release_id: Option<String>,
    /// MusicBrainz release group id.
    pub mb_release_group_id: Option<String>,
}

/// The metadata of a music file, as the scan stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFacts {
    /// From the tags, or the file's name without extension.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// Starts at 1.
    pub track_number: Option<i32>,
    /// Starts at 1.
    pub disc_number: Option<i32>,
    /// Milliseconds.
    pub duration_ms: Option<i64>,
    /// Bits per second.
    pub bitrate: Option<i32>,
    /// Hz.
    pub sample_rate: Option<i32>,
    /// Bits per sample.
    pub bit_depth: Option<i32>,
    /// Number of channels.
    pub channels: Option<i32>,
    /// Name of the codec such as `mp3`, `flac`.
    pub codec: Option<String>,
    /// Year of the release.
    pub year: Option<i32>,
    /// ISRC of the recording.
    pub isrc: Option<String>,
    /// MusicBrainz recording id.
    pub mb_recording_id: Option<String>,
    /// Comment and texts of the plugin's own, for search; their beginnings.
    pub free_text: Option<String>,
    /// From the file's tags.
    pub replay_gain: ReplayGain,
    /// Credits by role, in the order of the file.
    pub credits: Vec<Credit>,
    /// In the order of the file.
    pub genres: Vec<String>,
    /// `None` if the file names no release.
    pub release: Option<ReleaseFacts>,
    /// The front cover or the first picture, with its index in the file.
    pub picture: Option<(u32, Picture)>,
}

/// The credits of one role.
fn credits_of<'a>(
    fields: &Fields<'a>,
    role: CreditRole,
    names: &str,
    sort_names: &str,
    mb_ids: &str,
) -> Vec<Credit> {
    let (names, sort_names, mb_ids) = (
        fields.texts(names),
        fields.texts(sort_names),
        fields.texts(mb_ids),
    );
    // Sort names and ids correspond to the names only if the lists have the same length.
    let parallel =
        |list: &'a [String], at: usize| (list.len() == names.len()).then(|| list.get(at)).flatten();
    names
        .iter()
        .enumerate()
        .map(|(at, name)| Credit {
            role,
            name: name.clone(),
            sort_name: parallel(sort_names, at).map_or_else(|| sort_key(name), |sort| fold(sort)),
            mb_artist_id: parallel(mb_ids, at).cloned(),
        })
        .collect()
}

impl TrackFacts {
    /// Interprets the extraction of the file `name` in `folder`.
    pub fn from_extraction(extraction: &Extraction, folder: &RelativePath, name: &str) -> Self {
        let fields = Fields::of(extraction);
        let title = extraction.title.clone().unwrap_or_else(|| stem(name).to_owned());
        let mut credits = Vec::new();
        for role in CreditRole::ALL {
            let artist = role == CreditRole::Artist;
            let sort_key = if artist { "music.artists-sort" } else { "" };
            let mb_key = if artist { "music.mb-artist-ids" } else { "" };
            credits.extend(credits_of(&fields, role, role.key(), sort_key, mb_key));
        }
        let front = extraction
            .pictures
            .iter()
            .position(|picture| picture.purpose == "front")
            .unwrap_or(0);
        let picture = extraction
            .pictures
            .get(front)
            .cloned()
            .zip(u32::try_from(front).ok());
        Self {
            sort_title: fields
                .text("title-sort")
                .map_or_else(|| sort_key(&title), |sort| fold(&sort)),
            title,
            track_number: fields.number("music.track-number"),
            disc_number: fields.number("music.disc-number"),
            duration_ms: extraction.duration_ms.and_then(|ms| i64::try_from(ms).ok()),
            bitrate: fields.number("audio.bitrate"),
            sample_rate: fields.number("audio.sample-rate"),
            bit_depth: fields.number("audio.bit-depth"),
            channels: fields.number("audio.channels"),
            codec: fields.text("audio.codec"),
            year: fields
                .year("music.date")
                .or_else(|| fields.year("music.original-date")),
            isrc: fields.text("music.isrc"),
            mb_recording_id: fields.text("music.mb-recording-id"),
            free_text: free_text(extraction, "music.comment"),
            replay_gain: ReplayGain {
                track_gain: fields.real("music.replaygain-track-gain"),
                track_peak: fields.real("music.replaygain-track-peak"),
                album_gain: fields.real("music.replaygain-album-gain"),
                album_peak: fields.real("music.replaygain-album-peak"),
            },
            genres: fields.texts("music.genres").to_vec(),
            release: release_facts(&fields, &credits, folder),
            credits,
            picture: picture.map(|(picture, at)| (at, picture)),
        }
    }

    /// The words of the search index: title, credits, release and free text.
    pub fn search_text(&self) -> String {
        let mut text = self.title.clone();
        for part in self
            .credits
            .iter()
            .map(|credit| &credit.name)
            .chain(self.release.iter().map(|r| &r.title))
            .chain(&self.free_text)
        {
            text.push(' ');
            text.push_str(part);
        }
        search_words(&text)
    }
}

fn release_facts(fields: &Fields<'_>, credits: &[Credit], folder: &RelativePath) -> Option<ReleaseFacts> {
    let title = fields.text("music.album")?;
    let compilation = fields.boolean("music.compilation");
    let mut artists = credits_of(
        fields,
        CreditRole::Artist,
        "music.album-artists",
        "music.album-artists-sort",
        "music.mb-album-artist-ids",
    );
    let mb_release_id = fields.text("music.mb-release-id");
    let key = release_key(&title, &artists, mb_release_id.as_deref(), folder);
    if artists.is_empty() && !compilation {
        artists = credits
            .iter()
            .filter(|credit| credit.role == CreditRole::Artist)
            .cloned()
            .collect();
    }
    let release_type = fields
        .texts("music.release-types")
        .first()
        .map(|text| text.to_lowercase());
    Some(ReleaseFacts {
        key,
        sort_title: fields
            .text("music.album-sort")
            .map_or_else(|| sort_key(&title), |sort| fold(&sort)),
        title,
        artists,
        release_type: release_type.or_else(|| compilation.then(|| "compilation".to_owned())),
        year: fields.year("music.date"),
        original_year: fields.year("music.original-date"),
        mb_release_id,
        mb_release_group_id: fields.text("music.mb-release-group-id"),
    })
}

/// The key is the MusicBrainz release id, else title and album artists, else title and folder. With the folder,
/// tracks of a compilation without album artists stay together and equal titles elsewhere stay apart.
fn release_key(
    title: &str,
    album_artists: &[Credit],
    mb_release_id: Option<&str>,
    folder: &RelativePath,
) -> String {
    if let Some(id) = mb_release_id {
        return format!("m/{}", id.to_ascii_lowercase());
    }
    let title = fold(title);
    if album_artists.is_empty() {
        return format!("f/{}/{title}", release_folder(folder));
    }
    let names: Vec<String> = album_artists.iter().map(Credit::artist_key).collect();
    format!("a/{}/{title}", names.join("+"))
}

/// The folder of a release: `Album` for both `Album` and `Album/CD 2`.
fn release_folder(folder: &RelativePath) -> &str {
    let path = folder.as_str();
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_ascii_lowercase();
    let number = ["cd", "disc", "disk"]
        .iter()
        .find_map(|word| name.strip_prefix(word));
    match number.map(|rest| rest.trim_matches([' ', '-', '_', '.'])) {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => parent,
        _ => path,
    }
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
