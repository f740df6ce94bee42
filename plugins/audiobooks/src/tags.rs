//! The tags of all formats under common names.

use lofty::id3::v2::Frame;
use lofty::mp4::{Atom, AtomData, AtomIdent};

/// Values of a file that are kept.
const MAX_VALUES: usize = 500;

/// Values by common name, in the order of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(&'static str, String)>);

/// Names of ID3 frames.
const FRAMES: [(&str, &str); 17] = [
    ("TIT2", "title"),
    ("TIT1", "grouping"),
    ("GRP1", "grouping"),
    ("TIT3", "subtitle"),
    ("TALB", "album"),
    ("TPE1", "artist"),
    ("TPE2", "album-artist"),
    ("TCOM", "composer"),
    ("TRCK", "track"),
    ("TPOS", "disc"),
    ("TCON", "genre"),
    ("TDRC", "date"),
    ("TDRL", "date"),
    ("TPUB", "publisher"),
    ("TLAN", "language"),
    ("MVNM", "series"),
    ("MVIN", "series-number"),
];

/// Names of MP4 atoms.
const ATOMS: [(&[u8; 4], &str); 19] = [
    (b"\xa9nam", "title"),
    (b"\xa9alb", "album"),
    (b"\xa9ART", "artist"),
    (b"\xa9aut", "author"),
    (b"aART", "album-artist"),
    (b"\xa9wrt", "composer"),
    (b"\xa9nrt", "narrator"),
    (b"\xa9gen", "genre"),
    (b"\xa9day", "date"),
    (b"rldt", "date"),
    (b"\xa9pub", "publisher"),
    (b"\xa9grp", "grouping"),
    (b"\xa9mvn", "series"),
    (b"\xa9mvi", "series-number"),
    (b"ldes", "description"),
    (b"\xa9des", "description"),
    (b"desc", "description"),
    (b"\xa9cmt", "comment"),
    (b"\xa9st3", "subtitle"),
];

/// Free names in upper case without punctuation: `TXXX` frames, free-form atoms, Vorbis comments, APE items.
const NAMES: [(&str, &[&str]); 19] = [
    ("title", &["TITLE"]),
    ("subtitle", &["SUBTITLE"]),
    ("album", &["ALBUM"]),
    ("artist", &["ARTIST"]),
    ("album-artist", &["ALBUMARTIST"]),
    ("author", &["AUTHOR", "WRITTENBY"]),
    ("composer", &["COMPOSER"]),
    ("narrator", &["NARRATOR", "NARRATEDBY", "READER", "READBY"]),
    ("track", &["TRACKNUMBER", "TRACK"]),
    ("disc", &["DISCNUMBER", "DISC"]),
    ("genre", &["GENRE"]),
    ("date", &["DATE", "YEAR", "RELEASEDATE", "RELEASETIME"]),
    ("publisher", &["PUBLISHER", "LABEL"]),
    ("language", &["LANGUAGE"]),
    ("description", &["DESCRIPTION", "SYNOPSIS", "LONGDESCRIPTION"]),
    (
        "series",
        &["SERIES", "SERIESNAME", "SERIESTITLE", "MOVEMENTNAME", "MVNM"],
    ),
    (
        "series-number",
        &[
            "SERIESPART",
            "SERIESINDEX",
            "SERIESNUMBER",
            "SERIESSEQUENCE",
            "MVIN",
        ],
    ),
    ("asin", &["ASIN", "AUDIBLEASIN", "CDEK"]),
    ("isbn", &["ISBN"]),
];

impl Tags {
    /// Adds the values of a text, which some formats separate by NUL.
    pub fn add(&mut self, name: &'static str, text: &str) {
        for part in text.split('\0').map(str::trim).filter(|part| !part.is_empty()) {
            if self.0.len() < MAX_VALUES {
                self.0.push((name, part.to_owned()));
            }
        }
    }

    /// Adds a value by its free name, if that is known.
    pub fn add_named(&mut self, name: &str, text: &str) {
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(40)
            .map(|c| c.to_ascii_uppercase())
            .collect();
        if let Some((known, _)) = NAMES.iter().find(|(_, names)| names.contains(&plain.as_str())) {
            self.add(known, text);
        }
    }

    /// Adds an ID3 frame, if it is known.
    pub fn add_frame(&mut self, frame: &Frame<'_>) {
        let known = |id: &str| FRAMES.iter().find(|(own, _)| *own == id).map(|(_, name)| *name);
        let name = known(frame.id().as_str());
        match (frame, name) {
            (Frame::Text(text), Some(name)) => self.add(name, &text.value),
            (Frame::Timestamp(time), Some(name)) => self.add(name, &time.timestamp.to_string()),
            (Frame::UserText(text), _) => self.add_named(&text.description, &text.content),
            // A description says what else the comment is, such as a sound check.
            (Frame::Comment(comment), _) if comment.description.is_empty() => {
                self.add("comment", &comment.content);
            }
            _ => {}
        }
    }

    /// Adds an MP4 atom, if it is known.
    pub fn add_atom(&mut self, atom: &Atom<'_>) {
        for data in atom.data() {
            let text = match data {
                AtomData::UTF8(text) | AtomData::UTF16(text) => text.clone(),
                AtomData::SignedInteger(number) => number.to_string(),
                AtomData::UnsignedInteger(number) => number.to_string(),
                // `trkn` and `disk`: two bytes that are 0, the number, the total.
                AtomData::Unknown { data, .. } => match (data.get(2), data.get(3)) {
                    (Some(high), Some(low)) => u16::from_be_bytes([*high, *low]).to_string(),
                    _ => continue,
                },
                _ => continue,
            };
            match atom.ident() {
                AtomIdent::Fourcc([b't', b'r', b'k', b'n']) => self.add("track", &text),
                AtomIdent::Fourcc([b'd', b'i', b's', b'k']) => self.add("disc", &text),
                AtomIdent::Fourcc(name) => {
                    if let Some((_, name)) = ATOMS.iter().find(|(own, _)| *own == name) {
                        self.add(name, &text);
                    }
                }
                AtomIdent::Freeform { name, .. } => self.add_named(name, &text),
            }
        }
    }

    /// The first value.
    pub fn first(&self, name: &'static str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values in order.
    pub fn all(&self, name: &'static str) -> impl Iterator<Item = &str> {
        let own = self.0.iter().filter(move |(other, _)| *other == name);
        own.map(|(_, text)| text.as_str())
    }

    /// The number that a value starts with: `3/12`, `03`; not 0.
    pub fn number(&self, name: &'static str) -> Option<i64> {
        let text = self.first(name)?;
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text.get(..end)?.parse().ok().filter(|number| *number > 0)
    }
}
