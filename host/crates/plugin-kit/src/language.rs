//! The languages that `svc plugin new` and `build` know.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;

/// A language with a template and a way to build it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Rust, by cargo.
    Rust,
    /// Python, by componentize-py.
    Python,
    /// JavaScript, by jco.
    Js,
    /// C, by zig or clang.
    C,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Rust, Self::Python, Self::Js, Self::C];

    /// The name of the option `--lang`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Js => "js",
            Self::C => "c",
        }
    }

    /// The language of a folder, by its files. A folder with several is of the first in this order: `Cargo.toml`,
    /// `package.json`, Python files, C files.
    pub fn of_folder(folder: &Path) -> Option<Self> {
        let has = |name: &str| folder.join(name).is_file();
        if has("Cargo.toml") {
            return Some(Self::Rust);
        }
        if has("package.json") {
            return Some(Self::Js);
        }
        let names: Vec<_> = std::fs::read_dir(folder)
            .ok()?
            .flatten()
            .map(|entry| entry.path())
            .collect();
        let any = |wanted: &str| {
            names
                .iter()
                .any(|path| path.extension().is_some_and(|found| found == wanted))
        };
        if any("py") {
            return Some(Self::Python);
        }
        any("c").then_some(Self::C)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::Js => "JavaScript",
            Self::C => "C",
        })
    }
}

/// The text names no language.
#[derive(Debug, thiserror::Error)]
#[error("is not one of rust, python, js, c")]
pub struct UnknownLanguage;

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|language| language.as_str() == text);
        found.ok_or(UnknownLanguage)
    }
}
