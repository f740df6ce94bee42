//! `svc plugin repro`: builds a plugin twice in different places, and compares the files.

use std::fmt;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::build::build_folder;
use crate::error::KitError;
use crate::language::Language;
use crate::project::{Project, written_files};

/// What compilers look for in the folder of a plugin, and tools make.
const TOOLS: [&str; 3] = ["node_modules", ".venv", ".cargo"];

/// Two builds of a plugin, or a build and a file that somebody else built.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reproduction {
    /// SHA-256 of the first file in hexadecimal.
    pub first: String,
    /// SHA-256 of the second file in hexadecimal.
    pub second: String,
    /// The first byte that differs; `None` if the files are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs_at: Option<usize>,
}

impl Reproduction {
    /// Whether the files are equal.
    pub fn is_equal(&self) -> bool {
        self.differs_at.is_none()
    }
}

/// Builds the plugin of a folder in two folders of different names, or in one to compare with a file.
///
/// # Errors
/// The folder cannot be copied or built, or the file not be read.
pub fn repro(
    folder: &Path,
    language: Option<Language>,
    other: Option<&Path>,
) -> Result<Reproduction, KitError> {
    let folder = folder.canonicalize().map_err(KitError::file(folder))?;
    let first = build_copy(&folder, "first", language)?;
    let second = match other {
        Some(file) => fs::read(file).map_err(KitError::file(file))?,
        None => build_copy(&folder, "a-second-place-with-a-longer-name", language)?,
    };
    let digest = |bytes: &[u8]| HEXLOWER.encode(&Sha256::digest(bytes));
    let same = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
    Ok(Reproduction {
        first: digest(&first),
        second: digest(&second),
        differs_at: (first != second).then_some(same),
    })
}

/// Builds a copy of the folder, without what earlier builds left. The copy lies beside it, so that paths to folders
/// beside it stay right.
fn build_copy(folder: &Path, name: &str, language: Option<Language>) -> Result<Vec<u8>, KitError> {
    let parent = folder.parent().unwrap_or(folder);
    let copy = tempfile::Builder::new().prefix(name).tempdir_in(parent);
    let copy = copy.map_err(KitError::file(parent))?;
    let copy = copy.path();
    for file in written_files(folder)? {
        let to: PathBuf = copy.join(file.strip_prefix(folder).unwrap_or(&file));
        let parent = to.parent().unwrap_or(copy);
        fs::create_dir_all(parent).map_err(KitError::file(parent))?;
        fs::copy(&file, &to).map_err(KitError::file(&file))?;
    }
    for tools in TOOLS {
        let tools = folder.join(tools);
        if let Some(name) = tools.file_name().filter(|_| tools.exists()) {
            symlink(&tools, copy.join(name)).map_err(KitError::file(&tools))?;
        }
    }
    build_folder(copy, language, None)?;
    let component = Project::open(copy)?.component();
    fs::read(&component).map_err(KitError::file(&component))
}

impl fmt::Display for Reproduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.differs_at {
            None => write!(f, "both builds are the same file: {}", self.first),
            Some(at) => write!(
                f,
                "the builds differ from byte {at} on:\n  {}\n  {}\nnext: pin the versions of compiler and dependencies, and \
                 leave out times and paths",
                self.first, self.second
            ),
        }
    }
}
