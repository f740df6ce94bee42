//! Pictures of a video, by the file names that Kodi, Plex and Jellyfin define.

use serde::Serialize;

use super::{Video, parts};

const EXTENSIONS: &[&str] = &["jpg", "jpeg", "png", "webp", "tbn"];

/// Words in file names, and the purpose of the picture.
const PURPOSES: &[(&str, &str)] = &[
    ("poster", "poster"),
    ("folder", "poster"),
    ("cover", "poster"),
    ("movie", "poster"),
    ("default", "poster"),
    ("keyart", "poster"),
    ("fanart", "backdrop"),
    ("backdrop", "backdrop"),
    ("background", "backdrop"),
    ("art", "backdrop"),
    ("banner", "banner"),
    ("logo", "logo"),
    ("clearlogo", "logo"),
    ("thumb", "thumb"),
    ("landscape", "thumb"),
];

const MAX_ARTWORK: usize = 64;

/// One picture, serialized to the JSON of `related.artwork`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artwork {
    /// Relative to the video's folder.
    pub name: String,
    /// `poster`, `backdrop`, `banner`, `logo`, `thumb`, `season-poster`, `show-poster` or `show-backdrop`.
    pub purpose: &'static str,
}

/// The pictures of a video among these files, in their order; those of the video itself before those of its season
/// and show.
///
/// ```
/// use naming::sidecars::{Video, artwork};
/// let found = artwork(&Video::movie(&[], "Heat.mkv"), &["folder.jpg", "Heat-fanart.jpg", "holiday.jpg"]);
/// assert_eq!(found.iter().map(|one| one.purpose).collect::<Vec<_>>(), ["poster", "backdrop"]);
/// ```
pub fn artwork(video: &Video, names: &[&str]) -> Vec<Artwork> {
    let mut found: Vec<Artwork> = names
        .iter()
        .filter_map(|name| {
            let (folder, front, extension) = parts(name)?;
            let picture = EXTENSIONS.contains(&extension.as_str());
            let purpose = picture.then(|| purpose(video, folder, front)).flatten()?;
            Some(Artwork {
                name: (*name).to_owned(),
                purpose,
            })
        })
        .collect();
    found.sort_by_key(|one| one.purpose.contains('-'));
    found.truncate(MAX_ARTWORK);
    found
}

fn purpose(video: &Video, folder: &str, front: &str) -> Option<&'static str> {
    let above = match folder {
        "" => false,
        "../" => true,
        _ => return None,
    };
    let own = video.after_own_name(front).filter(|_| !above);
    match own.map(|rest| rest.trim_start_matches(['-', '.', '_', ' '])) {
        Some("") => Some(if video.is_show { "thumb" } else { "poster" }),
        Some(rest) => plain(rest),
        None if video.is_show => of_show(video, above, front),
        None if above && !video.in_disc_structure() => None,
        None => plain(front),
    }
}

/// The purpose of a word. A number after it distinguishes pictures of the same purpose ("fanart2").
fn plain(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_'));
    PURPOSES
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, purpose)| *purpose)
}

/// A picture of the season or the show, in the season's folder or in the show's.
fn of_show(video: &Video, above: bool, front: &str) -> Option<&'static str> {
    if let Some(rest) = front.to_ascii_lowercase().strip_prefix("season") {
        return of_season(video, rest);
    }
    let in_season = video.in_season_folder();
    // The folder above a show's folder contains all shows.
    if above && !in_season {
        return None;
    }
    match (plain(front)?, in_season && !above) {
        ("poster", true) => Some("season-poster"),
        ("poster", false) => Some("show-poster"),
        ("backdrop", _) => Some("show-backdrop"),
        // A plain `thumb` is the folder's and not the episode's.
        ("thumb", _) => None,
        (other, _) => Some(other),
    }
}

/// `season01-poster`, `season-specials-poster`, `season01`, if it is the season of the episode.
fn of_season(video: &Video, rest: &str) -> Option<&'static str> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, kind) = match rest.strip_prefix("-specials") {
        Some(kind) => (Some(0), kind),
        None => (rest.get(..digits)?.parse().ok(), rest.get(digits..)?),
    };
    let is_poster = matches!(kind, "" | "-poster");
    (is_poster && number.is_some() && number == video.season()).then_some("season-poster")
}
