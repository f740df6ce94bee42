//! The files of the plugin directory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::limits;
use crate::settings::PluginHostError;
use crate::signature::signature_path;

/// The extension of plugin files, in any case.
const EXTENSION: &str = "wasm";

/// What tells whether the directory changed: path, inode, size and modification time in nanoseconds of each plugin
/// file and its signature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectoryState(Vec<(PathBuf, u64, u64, i128)>);

/// The plugin files in alphabetical order. Compiled code with this extension is rejected by the loader, since it does
/// not start like a component.
pub(super) fn plugin_files(dir: Option<&Path>) -> Result<Vec<PathBuf>, PluginHostError> {
    let Some(dir) = dir else { return Ok(Vec::new()) };
    let unreadable = |source| PluginHostError::PluginDir {
        path: dir.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| extension.eq_ignore_ascii_case(EXTENSION)) {
            files.push(path);
        } else {
            tracing::debug!(path = %path.display(), "not a plugin: its name does not end in `.wasm`");
        }
        if files.len() > limits::PLUGIN_FILES {
            return Err(PluginHostError::TooManyPlugins { path: dir.to_owned() });
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a component, at most one byte above the limit: the loader reports the size.
pub(super) fn read_component(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(limits::COMPONENT_BYTES + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl DirectoryState {
    /// The current state of a directory.
    pub(super) fn of(dir: Option<&Path>) -> Result<Self, PluginHostError> {
        let files = plugin_files(dir)?.into_iter();
        let files = files.flat_map(|path| [signature_path(&path), path]);
        let state = files.map(|path| {
            // A file that vanished, or cannot be read, differs from the same file when it can.
            let metadata = fs::metadata(&path).ok();
            let (inode, size) = metadata.as_ref().map_or((0, 0), |file| (file.ino(), file.size()));
            let modified = metadata.map_or(0, |file| {
                i128::from(file.mtime()) * 1_000_000_000 + i128::from(file.mtime_nsec())
            });
            (path, inode, size, modified)
        });
        Ok(Self(state.collect()))
    }
}
