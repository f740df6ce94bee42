//! Paths below a root as text, without loss.
//!
//! Linux file names are bytes; the database and JSON require UTF-8. Valid UTF-8 is kept. Each byte outside of valid
//! UTF-8 becomes one character of a private-use block, and so do the bytes of characters of that block in a name. The
//! mapping between names and texts is therefore one to one.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A byte that is not text is represented by U+F700 + byte.
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

/// Converts the name of a file or directory to text.
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

/// As [`name_to_text`] for an owned name; without a copy for nearly all names.
pub fn name_into_text(name: OsString) -> String {
    match name.into_string() {
        Ok(text) if !text.chars().any(is_escape) => text,
        Ok(text) => name_to_text(OsStr::new(&text)),
        Err(name) => name_to_text(&name),
    }
}

/// Reverses [`name_to_text`], for a name or path.
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

/// A path below a root: names joined by `/`, empty for the root. Never absolute; without `.` and `..`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RelativePath(String);

impl RelativePath {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// A path from the store, not checked.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Parses a client's path: names in the form of [`name_to_text`], joined by `/`. `None` for absolute paths, empty
    /// names, `.`, `..`, NUL, and texts that no file name maps to.
    pub fn parse(text: &str) -> Option<Self> {
        let is_name = |name: &str| {
            // An unnecessarily escaped byte would be a second text for the same name, for example for `..`.
            !["", ".", ".."].contains(&name)
                && !name.contains('\0')
                && name_to_text(&text_to_os(name)) == name
        };
        (text.is_empty() || text.split('/').all(is_name)).then(|| Self(text.to_owned()))
    }

    /// Appends the name of an entry of this directory.
    #[must_use]
    pub fn join(&self, name: &OsStr) -> Self {
        self.join_text(&name_to_text(name))
    }

    /// Appends the name of an entry of this directory, already converted to text.
    #[must_use]
    pub fn join_text(&self, name: &str) -> Self {
        if self.0.is_empty() {
            Self(name.to_owned())
        } else {
            Self(format!("{}/{name}", self.0))
        }
    }

    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last name; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name)
    }

    /// `None` for the root.
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

    /// Resolves the name of a sidecar from a plugin: `a.srt`, `Subs/a.srt`, `../poster.jpg`. `None` for any other
    /// directory.
    pub fn sibling(&self, name: &str) -> Option<Self> {
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

    /// Whether the path is `above` itself or below it.
    pub fn is_below(&self, above: &Self) -> bool {
        let rest = self.0.strip_prefix(&above.0);
        above.0.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// As a relative path on disk.
    pub fn to_os(&self) -> PathBuf {
        PathBuf::from(text_to_os(&self.0))
    }

    /// As a path on disk below `root`.
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

/// From a client: rejects what [`RelativePath::parse`] rejects.
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
#[path = "path_tests.rs"]
mod tests;
