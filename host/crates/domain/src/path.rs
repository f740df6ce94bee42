//! Paths below a root, as text that loses nothing.
//!
//! Linux names are bytes, the database and JSON want UTF-8. Valid names stay as they are; each byte that is not
//! part of valid UTF-8 becomes one character of a private-use block, and so does any byte of a name that already
//! uses that block, so every name maps to one text and back.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// U+F700 + byte stands for a byte that could not be text.
const ESCAPE_BASE: u32 = 0xF700;

fn is_escape(character: char) -> bool {
    (ESCAPE_BASE..ESCAPE_BASE + 0x100).contains(&u32::from(character))
}

fn push_escaped(text: &mut String, bytes: &[u8]) {
    text.extend(
        bytes
            .iter()
            .filter_map(|&byte| char::from_u32(ESCAPE_BASE + u32::from(byte))),
    );
}

/// A file's or directory's own name as text.
pub fn name_to_text(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_bytes().utf8_chunks() {
        if chunk.valid().chars().any(is_escape) {
            let mut buffer = [0; 4];
            for character in chunk.valid().chars() {
                if is_escape(character) {
                    push_escaped(&mut text, character.encode_utf8(&mut buffer).as_bytes());
                } else {
                    text.push(character);
                }
            }
        } else {
            text.push_str(chunk.valid());
        }
        push_escaped(&mut text, chunk.invalid());
    }
    text
}

/// As [`name_to_text`], of a name that is not needed any more: nearly all are the text that they become.
pub fn name_into_text(name: OsString) -> String {
    match name.into_string() {
        Ok(text) if !text.chars().any(is_escape) => text,
        Ok(text) => name_to_text(OsStr::new(&text)),
        Err(name) => name_to_text(&name),
    }
}

/// The bytes of a name or path that [`name_to_text`] made.
pub fn text_to_os(text: &str) -> OsString {
    if !text.chars().any(is_escape) {
        return OsString::from(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut buffer = [0; 4];
    for character in text.chars() {
        if is_escape(character) {
            bytes.push((u32::from(character) - ESCAPE_BASE) as u8);
        } else {
            bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
    }
    OsString::from_vec(bytes)
}

/// A path below a root: names joined by `/`, empty for the root itself. Never absolute, never with `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RelativePath(String);

impl RelativePath {
    /// The root itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// A path as the store has it.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// A path as a client wrote it: names as [`name_to_text`] makes them, joined by `/`. `None` for what is absolute,
    /// has an empty name, `.`, `..` or NUL in it, and for a text that no name on disk has.
    pub fn parse(text: &str) -> Option<Self> {
        let is_name = |name: &str| {
            // A byte written as an escape that did not need one would be a second text for the same name: `..`, say.
            !["", ".", ".."].contains(&name)
                && !name.contains('\0')
                && name_to_text(&text_to_os(name)) == name
        };
        (text.is_empty() || text.split('/').all(is_name)).then(|| Self(text.to_owned()))
    }

    /// The path of an entry of this directory, by its name on disk.
    #[must_use]
    pub fn join(&self, name: &OsStr) -> Self {
        self.join_text(&name_to_text(name))
    }

    /// The path of an entry of this directory, by its name as text.
    #[must_use]
    pub fn join_text(&self, name: &str) -> Self {
        if self.0.is_empty() {
            Self(name.to_owned())
        } else {
            Self(format!("{}/{name}", self.0))
        }
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last name; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name)
    }

    /// The directory that holds it; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        Some(Self(
            self.0
                .rsplit_once('/')
                .map_or_else(String::new, |(parent, _)| parent.to_owned()),
        ))
    }

    /// The path of a file that lies beside this one, by its name as plugins have it: `a.srt`, `Subs/a.srt`,
    /// `../poster.jpg`. `None` for whatever leads elsewhere.
    pub fn beside(&self, name: &str) -> Option<Self> {
        let folder = self.parent()?;
        let (folder, rest) = match name.strip_prefix("../") {
            Some(rest) => (folder.parent()?, rest),
            None => (folder, name),
        };
        let names = rest.split('/').count();
        let most = if rest.len() == name.len() { 2 } else { 1 };
        let rest = Self::parse(rest).filter(|rest| !rest.0.is_empty() && names <= most)?;
        Some(folder.join_text(&rest.0))
    }

    /// Whether it is `above`, or lies below it.
    pub fn is_below(&self, above: &Self) -> bool {
        let rest = self.0.strip_prefix(&above.0);
        above.0.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The path on disk, below nothing.
    pub fn to_os(&self) -> PathBuf {
        PathBuf::from(text_to_os(&self.0))
    }

    /// The path on disk below `root`.
    pub fn below(&self, root: &Path) -> PathBuf {
        if self.0.is_empty() {
            root.to_owned()
        } else {
            root.join(self.to_os())
        }
    }
}

impl serde::Serialize for RelativePath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// As a client may write it: what is no such path is refused.
impl<'de> serde::Deserialize<'de> for RelativePath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("is not a path below a media directory"))
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The extension of a file name in lower case, without the dot; empty if there is none.
pub fn extension(name: &str) -> Cow<'_, str> {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => {
            if extension.bytes().any(|byte| byte.is_ascii_uppercase()) {
                Cow::Owned(extension.to_ascii_lowercase())
            } else {
                Cow::Borrowed(extension)
            }
        }
        _ => Cow::Borrowed(""),
    }
}

/// A file name without its extension.
pub fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_below_compares_whole_names() {
        let path = |text: &str| RelativePath::from_stored(text.to_owned());
        assert!(path("a/b").is_below(&path("a")));
        assert!(path("a").is_below(&path("a")));
        assert!(path("a").is_below(&path("")));
        assert!(!path("ab").is_below(&path("a")));
    }

    #[test]
    fn every_name_survives_the_way_to_text_and_back() {
        let names: [&[u8]; 6] = [
            b"plain.mp3",
            b"caf\xe9.mp3",
            "caf\u{e9}.mp3".as_bytes(),
            b"\xff\xfe",
            "\u{f7e9}".as_bytes(),
            b"a\nb",
        ];
        let mut texts = std::collections::HashSet::new();
        for name in names {
            let text = name_to_text(OsStr::from_bytes(name));
            assert_eq!(name_into_text(OsString::from_vec(name.to_vec())), text);
            assert_eq!(text_to_os(&text).as_bytes(), name);
            assert!(texts.insert(text), "two names with one text");
        }
    }

    #[test]
    fn paths_of_clients_are_plain_names_below_the_root() {
        for good in [
            "",
            "a",
            "a/b.flac",
            "...",
            "..a/b..",
            "a\\b",
            "\u{f7e9}t\u{f7e9}",
            "C:",
        ] {
            assert_eq!(
                RelativePath::parse(good).as_ref().map(RelativePath::as_str),
                Some(good)
            );
        }
        for bad in [
            "/",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "a/../b",
            "a/./b",
            "../a",
            "a\0b",
            "\u{f72e}\u{f72e}",
            "a\u{f72f}..\u{f72f}b",
            "a\u{f700}",
            "\u{f761}",
        ] {
            assert_eq!(RelativePath::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn names_of_plugins_lead_beside_the_file_and_nowhere_else() {
        let film = RelativePath::from_stored("Films/Heat/Heat.mkv".to_owned());
        for (name, path) in [
            ("Heat.srt", Some("Films/Heat/Heat.srt")),
            ("Subs/en.srt", Some("Films/Heat/Subs/en.srt")),
            ("../poster.jpg", Some("Films/poster.jpg")),
            ("..poster.jpg", Some("Films/Heat/..poster.jpg")),
            ("", None),
            ("..", None),
            ("../", None),
            ("../..", None),
            ("../../secret.jpg", None),
            ("../Other/secret.jpg", None),
            ("Subs/../../secret.jpg", None),
            ("a/b/c.srt", None),
            ("/etc/secret.jpg", None),
            ("Subs//en.srt", None),
            ("a\0.srt", None),
            ("\u{f72e}\u{f72e}/secret.jpg", None),
        ] {
            let found = film.beside(name);
            assert_eq!(found.as_ref().map(RelativePath::as_str), path, "{name:?}");
        }
        let top = RelativePath::from_stored("Heat.mkv".to_owned());
        assert_eq!(
            top.beside("Heat.srt").map(|path| path.0),
            Some("Heat.srt".to_owned())
        );
        assert_eq!(top.beside("../poster.jpg"), None, "above the root is nothing");
        assert_eq!(RelativePath::root().beside("a"), None);
    }

    #[test]
    fn parent_and_name_split_at_the_last_slash() {
        let path = RelativePath::root().join_text("a").join_text("b.flac");
        assert_eq!(path.as_str(), "a/b.flac");
        assert_eq!(path.file_name(), "b.flac");
        assert_eq!(
            path.parent().and_then(|parent| parent.parent()),
            Some(RelativePath::root())
        );
        assert_eq!(RelativePath::root().parent(), None);
        assert_eq!((&*extension("x.FLAC"), &*extension(".hidden")), ("flac", ""));
    }
}
