//! The folder of a plugin: `plugin.toml`, the code, `fixtures/`, and the component in `dist/`.

use std::fs;
use std::path::{Path, PathBuf};

use svc_plugin_host::Manifest;

use crate::error::KitError;

/// Name of the manifest's file.
pub const MANIFEST_FILE: &str = "plugin.toml";
/// The folder of files with their expected records.
pub const FIXTURES: &str = "fixtures";

/// Folders that hold what tools make.
const MADE: [&str; 4] = ["dist", "target", "node_modules", "__pycache__"];

/// The files below a folder that people write: all but those that tools make, and hidden ones.
pub(crate) fn written_files(folder: &Path) -> Result<Vec<PathBuf>, KitError> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(KitError::file(&folder))? {
            let entry = entry.map_err(KitError::file(&folder))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') || MADE.contains(&&*name) {
                continue;
            }
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The folder of a plugin.
#[derive(Debug)]
pub struct Project {
    /// The folder.
    pub folder: PathBuf,
    /// The manifest in `plugin.toml`.
    pub manifest: Manifest,
}

impl Project {
    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// There is no `plugin.toml`, or it is not valid.
    pub fn open(folder: &Path) -> Result<Self, KitError> {
        if !folder.join(MANIFEST_FILE).is_file() {
            return Err(KitError::NoProject {
                path: folder.to_owned(),
            });
        }
        let (manifest, _) = read_manifest(&folder.join(MANIFEST_FILE))?;
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
        })
    }

    /// Where `svc plugin build` leaves the component.
    pub fn component(&self) -> PathBuf {
        self.folder
            .join("dist")
            .join(format!("{}.wasm", self.manifest.id))
    }

    /// The folder of fixtures.
    pub fn fixtures(&self) -> PathBuf {
        self.folder.join(FIXTURES)
    }
}

/// The manifest of a file, and its bytes.
pub(crate) fn read_manifest(path: &Path) -> Result<(Manifest, Vec<u8>), KitError> {
    let bytes = fs::read(path).map_err(KitError::file(path))?;
    let manifest = Manifest::parse(&bytes).map_err(|source| KitError::Manifest {
        path: path.to_owned(),
        source,
    })?;
    Ok((manifest, bytes))
}

/// A plugin's file and its fixtures: `path` is a component, whose fixtures lie in the folder `fixtures` beside it or
/// beside its folder, or the folder of a plugin.
///
/// # Errors
/// The folder is not a plugin's.
pub fn component_and_fixtures(path: &Path) -> Result<(PathBuf, Option<PathBuf>), KitError> {
    if path.is_dir() {
        let project = Project::open(path)?;
        return Ok((project.component(), Some(project.fixtures())));
    }
    let folders = path.ancestors().skip(1).take(2);
    let fixtures = folders
        .map(|folder| folder.join(FIXTURES))
        .find(|folder| folder.is_dir());
    Ok((path.to_owned(), fixtures))
}
