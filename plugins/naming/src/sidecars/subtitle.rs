//! External subtitles: finds those of a video, and parses language, title and flags from their names.

use serde::Serialize;

use super::{Video, parts};
use crate::episode;
use crate::text::{display, key};
use crate::token::{Token, tokens};

/// Extensions and the names of the formats.
const FORMATS: &[(&str, &str)] = &[
    ("srt", "srt"),
    ("ass", "ass"),
    ("ssa", "ssa"),
    ("vtt", "vtt"),
    ("idx", "vobsub"),
    ("sub", "microdvd"),
    ("sup", "pgs"),
    ("smi", "smi"),
];

/// Names of folders with only subtitles.
const FOLDERS: &[&str] = &["subs", "sub", "subtitles", "subtitle", "vobsubs"];

const MAX_SUBTITLES: usize = 200;

/// One subtitle file, serialized to the JSON of `related.subtitles`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subtitle {
    /// Relative to the video's folder.
    pub name: String,
    /// `srt`, `ass`, `ssa`, `vtt`, `vobsub`, `microdvd`, `pgs` or `smi`.
    pub format: &'static str,
    /// BCP 47, with a script or region if the name states one ("pt-BR").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The rest of the name, such as "Commentary".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether players show it even if subtitles are off.
    pub forced: bool,
    /// For the deaf and hard of hearing.
    pub hearing_impaired: bool,
    /// Whether players show it unless the viewer chooses another.
    pub default: bool,
}

/// The subtitles of a video among these files, in their order.
///
/// ```
/// use naming::sidecars::{Video, subtitles};
/// let found = subtitles(&Video::movie(&[], "Heat.mkv"), &["Heat.en.forced.srt", "Other.srt"]);
/// assert_eq!((found.len(), found[0].language.as_deref(), found[0].forced), (1, Some("en"), true));
/// ```
pub fn subtitles(video: &Video, names: &[&str]) -> Vec<Subtitle> {
    let found = names.iter().filter_map(|name| {
        let (folder, front, extension) = parts(name)?;
        let (_, format) = FORMATS.iter().find(|(known, _)| *known == extension)?;
        // A `.sub` file with an `.idx` file: the pair is listed by its index.
        let index = format!("{folder}{front}.idx");
        if extension == "sub" && names.iter().any(|other| other.eq_ignore_ascii_case(&index)) {
            return None;
        }
        let suffix = suffix(video, folder, front)?;
        Some(read(name, format, suffix))
    });
    found.take(MAX_SUBTITLES).collect()
}

/// The rest of the name after the video's; `None` for the subtitles of another video.
fn suffix<'n>(video: &Video, folder: &str, front: &'n str) -> Option<&'n str> {
    let mut folders = folder.split('/').filter(|part| !part.is_empty()).peekable();
    while folders.peek() == Some(&"..") {
        // The folder above belongs to the video only within a copied disc.
        if !video.in_disc_structure() {
            return None;
        }
        folders.next();
    }
    let inner: Vec<&str> = folders
        .filter(|part| !FOLDERS.contains(&part.to_ascii_lowercase().as_str()))
        .collect();
    if let Some(rest) = video.after_own_name(front) {
        return Some(rest);
    }
    match inner.as_slice() {
        // "Subs/Film.2010/2_English.srt": the folder names the video.
        [one] => (key(one) == key(video.stem)).then_some(front),
        [] if video.is_show => same_episode(video, front),
        [] if !folder.is_empty() => Some(front),
        [] => of_movie(video, front),
        _ => None,
    }
}

/// The rest of a name with the episode's number.
fn same_episode<'n>(video: &Video, front: &'n str) -> Option<&'n str> {
    let ours = video.episode.filter(|ours| ours.episode.is_some())?;
    let theirs = episode::episode(&[], front)?;
    let same = theirs.season == ours.season && theirs.episode == ours.episode;
    let at = front.find(&theirs.matched)? + theirs.matched.len();
    (same && !theirs.matched.is_empty())
        .then(|| front.get(at..))
        .flatten()
}

/// A name in the movie's folder that is only a language ("English") or starts like the movie's ("Heat" for
/// "Heat.1995.1080p").
fn of_movie<'n>(video: &Video, front: &'n str) -> Option<&'n str> {
    let words = tokens(front);
    if !words.is_empty() && words.iter().all(|token| token.is_number() || is_attribute(token)) {
        return Some(front);
    }
    let own: Vec<_> = tokens(video.stem);
    let shared = words
        .iter()
        .zip(&own)
        .take_while(|(one, other)| one.is(other.text))
        .count();
    let rest = words.get(shared..)?;
    let covers = shared > 0 && rest.iter().all(is_attribute);
    let at = shared
        .checked_sub(1)
        .and_then(|last| words.get(last))
        .map_or(0, |token| token.end);
    covers.then(|| front.get(at..)).flatten()
}

/// Whether the word describes the subtitles and not the video.
fn is_attribute(token: &Token) -> bool {
    language::word(token.text).is_some()
        || Flag::of(token.text).is_some()
        || language::region("", token.text, false).is_some()
}

enum Flag {
    Forced,
    HearingImpaired,
    Default,
}

impl Flag {
    fn of(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "forced" | "foreign" => Self::Forced,
            "sdh" | "cc" | "hi" => Self::HearingImpaired,
            "default" => Self::Default,
            _ => return None,
        })
    }
}

fn read(name: &str, format: &'static str, suffix: &str) -> Subtitle {
    let mut subtitle = Subtitle {
        name: name.to_owned(),
        format,
        language: None,
        title: None,
        forced: false,
        hearing_impaired: false,
        default: false,
    };
    let words = tokens(suffix);
    let spoken = spoken(&words);
    let mut rest: Vec<&str> = Vec::new();
    for (index, token) in words.iter().enumerate() {
        if Some(index) == spoken {
            subtitle.language = language::word(token.text).map(str::to_owned);
            continue;
        }
        match Flag::of(token.text) {
            Some(Flag::Forced) => subtitle.forced = true,
            Some(Flag::HearingImpaired) => subtitle.hearing_impaired = true,
            Some(Flag::Default) => subtitle.default = true,
            None if add_region(&mut subtitle, suffix, &words, index) => {}
            // A leading number is the track's: "2_English".
            None if token.is_number() && (index == 0 || index + 1 == words.len()) => {}
            // The code for an undetermined language.
            None if token.is("und") && index + 1 == words.len() => {}
            None => rest.push(token.text),
        }
    }
    subtitle.title = Some(display(&rest.join(" "))).filter(|title| !title.is_empty());
    subtitle
}

/// The index of the language: the first word after which all words describe subtitles, because "As Told By" also
/// begins with a language; else the first language. "hi" next to another language means "hearing impaired".
fn spoken(words: &[Token]) -> Option<usize> {
    let languages = words.iter().enumerate();
    let mut languages: Vec<usize> = languages
        .filter(|(_, token)| language::word(token.text).is_some())
        .map(|(index, _)| index)
        .collect();
    let is_hindi = |index: &usize| words.get(*index).is_some_and(|token| token.is("hi"));
    if !languages.iter().all(is_hindi) {
        languages.retain(|index| !is_hindi(index));
    }
    let ends = |index: &&usize| {
        let following = words.get(**index..).unwrap_or_default();
        following
            .iter()
            .all(|token| token.is_number() || is_attribute(token))
    };
    languages.iter().find(ends).or(languages.first()).copied()
}

/// Appends the script or region of this word to the language, unless it has one.
fn add_region(subtitle: &mut Subtitle, suffix: &str, words: &[Token], index: usize) -> bool {
    let (Some(language), Some(token)) = (&mut subtitle.language, words.get(index)) else {
        return false;
    };
    let before = index.checked_sub(1).and_then(|before| words.get(before));
    let between = before.and_then(|before| suffix.get(before.end..token.start));
    let attached = matches!(between, Some("-" | "_"));
    let Some(part) = language::region(language, token.text, attached) else {
        return false;
    };
    let parts = || language.split('-').skip(1);
    // A script has four letters and precedes a region.
    let is_script = part.len() == 4;
    let has_room = match is_script {
        true => parts().count() == 0,
        false => parts().all(|known| known.len() == 4),
    };
    let is_known = parts().any(|known| known == part);
    if has_room && !is_known {
        language.push('-');
        language.push_str(part);
    }
    has_room || is_known
}
