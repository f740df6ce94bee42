//! Subtitles in files of their own.

use serde::Serialize;

use super::{Video, parts};
use crate::episode;
use crate::text::{display, key};
use crate::token::{Token, tokens};

/// Endings, and what the formats are called.
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

/// Folders that hold subtitles and say nothing else.
const FOLDERS: &[&str] = &["subs", "sub", "subtitles", "subtitle", "vobsubs"];

/// The most subtitles of one video.
const MAX_SUBTITLES: usize = 200;

/// One file of subtitles. Serialized, it is the record's JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subtitle {
    /// The file, seen from the video's folder.
    pub name: String,
    /// `srt`, `ass`, `ssa`, `vtt`, `vobsub`, `microdvd`, `pgs` or `smi`.
    pub format: &'static str,
    /// BCP 47, with a script or a region if the name has one ("pt-BR").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What else the name says, such as "Commentary".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Shown even where subtitles are off.
    pub forced: bool,
    /// With sounds written out.
    pub hearing_impaired: bool,
    /// Shown unasked.
    pub default: bool,
}

/// The subtitles of a video among these files, in their order.
///
/// ```
/// use naming::sidecars::{Video, subtitles};
/// let found = subtitles(&Video::film(&[], "Heat.mkv"), &["Heat.en.forced.srt", "Other.srt"]);
/// assert_eq!((found.len(), found[0].language.as_deref(), found[0].forced), (1, Some("en"), true));
/// ```
pub fn subtitles(video: &Video, names: &[&str]) -> Vec<Subtitle> {
    let found = names.iter().filter_map(|name| {
        let (folder, front, extension) = parts(name)?;
        let (_, format) = FORMATS.iter().find(|(known, _)| *known == extension)?;
        // The second half of a pair that its index stands for.
        let index = format!("{folder}{front}.idx");
        if extension == "sub" && names.iter().any(|other| other.eq_ignore_ascii_case(&index)) {
            return None;
        }
        let suffix = suffix(video, folder, front)?;
        Some(read(name, format, suffix))
    });
    found.take(MAX_SUBTITLES).collect()
}

/// What the name says beyond the video's own name, or `None` for another video's subtitles.
fn suffix<'n>(video: &Video, folder: &str, front: &'n str) -> Option<&'n str> {
    let mut folders = folder.split('/').filter(|part| !part.is_empty()).peekable();
    while folders.peek() == Some(&"..") {
        // A disc's copy has them a folder above; elsewhere that is another video's folder.
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
        // "Subs/Film.2010/2_English.srt": whose they are is said by the folder.
        [one] => (key(one) == key(video.stem)).then_some(front),
        [] if video.is_show => same_episode(video, front),
        [] if !folder.is_empty() => Some(front),
        [] => of_movie(video, front),
        _ => None,
    }
}

/// The rest of a name with the episode's own number.
fn same_episode<'n>(video: &Video, front: &'n str) -> Option<&'n str> {
    let ours = video.episode.filter(|ours| ours.episode.is_some())?;
    let theirs = episode::episode(&[], front)?;
    let same = theirs.season == ours.season && theirs.episode == ours.episode;
    let at = front.find(&theirs.matched)? + theirs.matched.len();
    (same && !theirs.matched.is_empty())
        .then(|| front.get(at..))
        .flatten()
}

/// A name beside a film that is a language alone ("English"), or the beginning of the film's ("Heat" of
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

/// Whether the word says what subtitles are, and not what they are of.
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
            // The number in front is the track's: "2_English".
            None if token.is_number() && (index == 0 || index + 1 == words.len()) => {}
            // The code for "nobody knows which".
            None if token.is("und") && index + 1 == words.len() => {}
            None => rest.push(token.text),
        }
    }
    subtitle.title = Some(display(&rest.join(" "))).filter(|title| !title.is_empty());
    subtitle
}

/// Which of the words is the language: one behind which is nothing but what is said of subtitles, since "As Told By"
/// begins with one as well; else the first. "hi" beside another is "hearing impaired".
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

/// Puts the script or the region that this word is behind the language, unless it has one of the kind.
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
    // Scripts have four letters, and stand in front of a region.
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
