//! What one file says about its track, and by what two tracks are on the same release.

use crate::extraction::{Extraction, Picture};
use crate::fields::Fields;
use crate::music::{Credit, CreditRole, ReplayGain};
use crate::path::{RelativePath, stem};
use crate::text::{fold, search_words, sort_key};

/// What one file says about the release that its track is on.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseFacts {
    /// What makes two tracks be on the same release.
    pub key: String,
    /// Title as written.
    pub title: String,
    /// How it sorts.
    pub sort_title: String,
    /// Artists in order; empty if the file names none for the whole release.
    pub artists: Vec<Credit>,
    /// Such as `album`, `single`, `compilation`.
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

/// What one file says about its track: the record that the scan stores.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFacts {
    /// Title, or the file's name without extension.
    pub title: String,
    /// How it sorts.
    pub sort_title: String,
    /// 1 and up.
    pub track_number: Option<i32>,
    /// 1 and up.
    pub disc_number: Option<i32>,
    /// Milliseconds.
    pub duration_ms: Option<i64>,
    /// Bits a second.
    pub bitrate: Option<i32>,
    /// Hz.
    pub sample_rate: Option<i32>,
    /// Bits a sample.
    pub bit_depth: Option<i32>,
    /// Number of channels.
    pub channels: Option<i32>,
    /// Such as `mp3`, `flac`.
    pub codec: Option<String>,
    /// Year of the release.
    pub year: Option<i32>,
    /// Recording code.
    pub isrc: Option<String>,
    /// MusicBrainz recording id.
    pub mb_recording_id: Option<String>,
    /// Loudness.
    pub replay_gain: ReplayGain,
    /// People, by role and in order.
    pub credits: Vec<Credit>,
    /// Genres in order.
    pub genres: Vec<String>,
    /// The release, if the file names one.
    pub release: Option<ReleaseFacts>,
    /// The picture to show for it, with its position among the file's pictures.
    pub picture: Option<(u32, Picture)>,
}

/// The people of one role.
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
    // Parallel lists belong together only if they are equally long.
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
    /// The facts of the file `name` in `folder`, from what the plugin read.
    pub fn from_extraction(extraction: &Extraction, folder: &RelativePath, name: &str) -> Self {
        let fields = Fields::of(extraction);
        let title = extraction.title.clone().unwrap_or_else(|| stem(name).to_owned());
        let mut credits = Vec::new();
        for (role, key) in CreditRole::KEYS {
            let artist = role == CreditRole::Artist;
            let sort_key = if artist { "music.artists-sort" } else { "" };
            let mb_key = if artist { "music.mb-artist-ids" } else { "" };
            credits.extend(credits_of(&fields, role, key, sort_key, mb_key));
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

    /// The words under which the track is found: its title, people and release.
    pub fn search_text(&self) -> String {
        let mut text = self.title.clone();
        for part in self
            .credits
            .iter()
            .map(|credit| &credit.name)
            .chain(self.release.iter().map(|r| &r.title))
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

/// A MusicBrainz release id decides; else title and album artists; else title and folder, so that the tracks of a
/// compilation without an album artist stay together and equal titles elsewhere stay apart.
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

/// The folder that holds a release: `Album` for both `Album` and `Album/CD 2`.
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
mod tests {
    use super::*;
    use crate::extraction::{Field, Value};

    fn texts(key: &str, values: &[&str]) -> Field {
        Field {
            key: key.into(),
            value: Value::Texts(values.iter().map(|&v| v.into()).collect()),
        }
    }

    fn text(key: &str, value: &str) -> Field {
        Field {
            key: key.into(),
            value: Value::Text(value.into()),
        }
    }

    fn key_of(fields: Vec<Field>, folder: &str) -> Option<String> {
        let extraction = Extraction {
            fields,
            ..Extraction::default()
        };
        let facts = TrackFacts::from_extraction(
            &extraction,
            &RelativePath::from_stored(folder.into()),
            "01 Song.mp3",
        );
        facts.release.map(|release| release.key)
    }

    #[test]
    fn release_of_one_album_artist_meets_across_folders_and_case() {
        let first = key_of(
            vec![
                text("music.album", "Blue"),
                texts("music.album-artists", &["Joni"]),
            ],
            "a/cd1",
        );
        let second = key_of(
            vec![
                text("music.album", "BLUE"),
                texts("music.album-artists", &["joni"]),
            ],
            "b",
        );
        assert_eq!(first, second);
    }

    #[test]
    fn release_without_album_artist_stays_in_its_folder_but_joins_discs() {
        let album = || vec![text("music.album", "Hits"), texts("music.artists", &["X"])];
        assert_eq!(key_of(album(), "pop/CD 1"), key_of(album(), "pop/CD 2"));
        assert_ne!(key_of(album(), "pop"), key_of(album(), "rock"));
    }

    #[test]
    fn facts_of_a_file_without_tags_take_the_file_name() {
        let facts =
            TrackFacts::from_extraction(&Extraction::default(), &RelativePath::root(), "The Song.mp3");
        assert_eq!(
            (facts.title.as_str(), facts.sort_title.as_str()),
            ("The Song", "song")
        );
        assert_eq!(facts.release, None);
    }

    #[test]
    fn parallel_lists_of_other_length_are_not_matched_to_names() {
        let extraction = Extraction {
            fields: vec![
                texts("music.artists", &["A", "B"]),
                texts("music.mb-artist-ids", &["1"]),
            ],
            ..Extraction::default()
        };
        let facts = TrackFacts::from_extraction(&extraction, &RelativePath::root(), "x.mp3");
        assert!(facts.credits.iter().all(|credit| credit.mb_artist_id.is_none()));
    }
}
