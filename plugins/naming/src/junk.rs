//! The vocabulary of releases: what the words behind a title say about the file and not about the film.

use crate::token::{Bracket, Token, leading_bracket, tokens};

/// What a word is for the end of a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of no title: the title ends before it.
    Strong,
    /// Ends the title where nothing but such words follows.
    Weak,
    /// May be in a title ("The French Dispatch"); ends it only where a strong word follows.
    Context,
    Word,
}

const STRONG: &[&str] = &[
    "10bit",
    "12bit",
    "8bit",
    "4k",
    "8k",
    "aac",
    "ac3",
    "atmos",
    "av1",
    "bdmv",
    "bdremux",
    "bdrip",
    "bluray",
    "brrip",
    "camrip",
    "ddp",
    "divx",
    "dsrip",
    "dts",
    "dtshd",
    "dtsx",
    "dvb",
    "dvbrip",
    "dvd5",
    "dvd9",
    "dvdr",
    "dvdrip",
    "dvdscr",
    "eac3",
    "h264",
    "h265",
    "h266",
    "hdcam",
    "hddvd",
    "hdr",
    "hdr10",
    "hdr10plus",
    "hdrip",
    "hdtv",
    "hdtvrip",
    "hevc",
    "hi10p",
    "hq",
    "iptvrip",
    "ma10p",
    "pdtv",
    "ppvrip",
    "remux",
    "satrip",
    "screener",
    "sdtv",
    "telecine",
    "telesync",
    "truehd",
    "tvrip",
    "uhd",
    "ultrahd",
    "vc1",
    "vhsrip",
    "vodrip",
    "vp9",
    "webcap",
    "webdl",
    "webrip",
    "x264",
    "x265",
    "x266",
    "xvid",
    "yify",
    "yts",
];

const WEAK: &[&str] = &[
    "dubbed",
    "hc",
    "hdc",
    "multi",
    "multisub",
    "multisubs",
    "nfofix",
    "ntsc",
    "proper",
    "readnfo",
    "repack",
    "rerip",
    "stv",
    "subbed",
    "vostfr",
    "vff",
    "truefrench",
    "subfrench",
    "dvd",
    "complete",
    "batch",
];

const CONTEXT: &[&str] = &[
    "3d",
    "amzn",
    "atvp",
    "audio",
    "avc",
    "bd",
    "blu",
    "cam",
    "cr",
    "danish",
    "dc",
    "dirfix",
    "dl",
    "docu",
    "dsnp",
    "dsr",
    "dual",
    "dubs",
    "dutch",
    "dv",
    "english",
    "eng",
    "extended",
    "festival",
    "finnish",
    "flac",
    "french",
    "fs",
    "ger",
    "german",
    "hbo",
    "hmax",
    "hsbs",
    "hou",
    "hulu",
    "hybrid",
    "imax",
    "internal",
    "ita",
    "italian",
    "itunes",
    "jap",
    "japanese",
    "korean",
    "latino",
    "limited",
    "max",
    "nf",
    "nordic",
    "norwegian",
    "opus",
    "ou",
    "pal",
    "pcok",
    "plsub",
    "polish",
    "portuguese",
    "r5",
    "real",
    "remastered",
    "retail",
    "rus",
    "russian",
    "sbs",
    "scr",
    "sdr",
    "spanish",
    "sub",
    "subs",
    "swedish",
    "swesub",
    "synced",
    "tc",
    "theatrical",
    "ts",
    "uncensored",
    "uncut",
    "unrated",
    "web",
    "ws",
];

/// Two words that are one: sources and codecs that are written with a separator.
const PAIRS: &[(&str, &str)] = &[
    ("web", "dl"),
    ("web", "rip"),
    ("blu", "ray"),
    ("bd", "rip"),
    ("br", "rip"),
    ("dvd", "rip"),
    ("hd", "tv"),
    ("hd", "dvd"),
    ("h", "264"),
    ("h", "265"),
    ("x", "264"),
    ("x", "265"),
    ("dts", "hd"),
    ("ultra", "hd"),
    ("10", "bit"),
    ("8", "bit"),
    ("multiple", "subtitle"),
];

/// Heights that follow nothing but a resolution when a `p` or an `i` stands behind them.
const HEIGHTS: &[&str] = &[
    "240", "288", "360", "432", "480", "540", "576", "720", "1080", "1440", "2160", "4320",
];

/// Words that begin with one of these and go on with a digit: "DDP5" of "DDP5.1".
const NUMBERED: &[&str] = &["aac", "ddp", "dd", "dts", "eac", "flac", "opus", "truehd", "ma"];

fn class(token: &Token, next: Option<&Token>) -> Class {
    let is_in = |words: &[&str]| words.iter().any(|word| token.is(word));
    let pair = next.is_some_and(|next| {
        PAIRS
            .iter()
            .any(|(first, second)| token.is(first) && next.is(second))
    });
    if pair || is_resolution(token.text) || is_in(STRONG) || is_numbered(token.text) {
        Class::Strong
    } else if is_in(WEAK) {
        Class::Weak
    } else if is_in(CONTEXT) {
        Class::Context
    } else {
        Class::Word
    }
}

/// `1080p`, `576i50`, `1920x1080`.
fn is_resolution(text: &str) -> bool {
    let height = |text: &str| {
        text.split_once(['p', 'i', 'P', 'I'])
            .is_some_and(|(height, rate)| {
                HEIGHTS.contains(&height) && rate.len() < 4 && rate.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    let size = |text: &str| {
        text.split_once(['x', 'X', '×']).is_some_and(|(width, height)| {
            let is_side =
                |side: &str| (3..=4).contains(&side.len()) && side.bytes().all(|b| b.is_ascii_digit());
            is_side(width) && is_side(height)
        })
    };
    height(text) || size(text)
}

fn is_numbered(text: &str) -> bool {
    let digit_at = text.find(|character: char| character.is_ascii_digit());
    digit_at.is_some_and(|at| {
        let (word, digits) = text.split_at(at);
        digits.len() == 1 && NUMBERED.iter().any(|known| word.eq_ignore_ascii_case(known))
    })
}

/// Whether the word at this position, with those behind it, belongs to the release.
fn ends_title(tokens: &[Token], index: usize) -> bool {
    let mut first = Class::Word;
    for (at, token) in tokens.iter().enumerate().skip(index) {
        let class = class(token, tokens.get(at + 1));
        if at == index {
            first = class;
        }
        match class {
            Class::Strong => return true,
            Class::Word => return false,
            Class::Weak | Class::Context => {}
        }
    }
    first == Class::Weak
}

/// Where the release's words begin in these tokens: an index of them. The first word of a name is never one, nor
/// is what stands in a bracket that the name begins with.
pub(crate) fn release_index(text: &str, tokens: &[Token]) -> Option<usize> {
    let group_end = leading_bracket(text).unwrap_or(0);
    let first = tokens.iter().position(|token| token.start >= group_end)? + 1;
    (first..tokens.len()).find(|index| ends_title(tokens, *index))
}

/// The byte offset at which the release's words begin; the length of the text where there are none.
pub(crate) fn release_start(text: &str) -> usize {
    let tokens = tokens(text);
    release_index(text, &tokens)
        .and_then(|index| tokens.get(index))
        .map_or(text.len(), |token| opening(text, token))
}

/// Where a word begins, its opening bracket with it.
pub(crate) fn opening(text: &str, token: &Token) -> usize {
    if token.bracket == Bracket::None {
        return token.start;
    }
    let front = text.get(..token.start).unwrap_or_default();
    front.rfind(['(', '[', '{', '（', '【']).unwrap_or(token.start)
}

#[cfg(test)]
mod tests {
    use super::release_start;

    #[test]
    fn release_words_end_the_title_where_they_cannot_be_of_it() {
        for (name, title) in [
            ("Super movie Multi", "Super movie "),
            ("The French Dispatch", "The French Dispatch"),
            ("Night.German.1080p.BluRay", "Night."),
            ("Night German 1080p", "Night "),
            ("Charlotte's Web", "Charlotte's Web"),
            ("Movie.Web-DL.1080p", "Movie."),
            ("Movie [WEBDL-720p]", "Movie "),
            ("Movie (1920x1080)", "Movie "),
            ("Movie DDP5.1 x", "Movie "),
            ("1080p", "1080p"),
            ("Mr. Holland's Opus", "Mr. Holland's Opus"),
            ("Dragon-HDC", "Dragon-"),
        ] {
            assert_eq!(&name[..release_start(name)], title, "{name}");
        }
    }
}
