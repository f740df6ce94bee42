//! `svc plugin dev`: rebuilds a plugin when its files change, and swaps it into a running server.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;

use crate::build::build_folder;
use crate::error::KitError;
use crate::language::Language;
use crate::managed::ManagedPlugin;
use crate::project::written_files;
use crate::server::Server;

/// Interval of looks at the files.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What happened after a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Swap {
    /// Milliseconds of the build.
    pub build_ms: u128,
    /// Milliseconds until the server had the new version in use.
    pub swap_ms: u128,
    /// The plugin as the server has it now.
    pub plugin: ManagedPlugin,
}

/// The files of a plugin: when each changed last.
type Files = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// Builds a folder and swaps the plugin into a server, and again after each change of its files. All that the plugin asks
/// for is granted. `report` receives each swap and each error; it ends the loop by returning false.
///
/// # Errors
/// The folder cannot be read.
pub fn dev(
    server: &Server,
    folder: &Path,
    language: Option<Language>,
    mut report: impl FnMut(Result<Swap, KitError>) -> bool,
) -> Result<(), KitError> {
    let mut swapped = None;
    loop {
        let files = settled(folder)?;
        if swapped.as_ref() != Some(&files) {
            if !report(swap(server, folder, language)) {
                return Ok(());
            }
            swapped = Some(files);
        }
        pause(LOOK_EVERY);
    }
}

fn swap(server: &Server, folder: &Path, language: Option<Language>) -> Result<Swap, KitError> {
    let started = Instant::now();
    let built = build_folder(folder, language, None)?;
    let build_ms = started.elapsed().as_millis();
    let started = Instant::now();
    let (mut plugin, digest) = server.upload(&built.file, false)?;
    if plugin.candidate.is_some() || plugin.state == "waiting" {
        plugin = server.grant_all(&plugin.plugin_id, Some(&digest))?;
    }
    Ok(Swap {
        build_ms,
        swap_ms: started.elapsed().as_millis(),
        plugin,
    })
}

/// The files, once two looks find the same: an editor may write several.
fn settled(folder: &Path) -> Result<Files, KitError> {
    let mut before = look(folder)?;
    loop {
        pause(LOOK_EVERY / 3);
        let now = look(folder)?;
        if now == before {
            return Ok(now);
        }
        before = now;
    }
}

#[expect(clippy::disallowed_methods, reason = "looks at files until a person ends it")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

fn look(folder: &Path) -> Result<Files, KitError> {
    let mut files = Files::new();
    for path in written_files(folder)? {
        // A file that vanished meanwhile is seen as gone by the next look.
        if let Ok(metadata) = fs::metadata(&path) {
            files.insert(path, (metadata.modified().ok(), metadata.len()));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_people_write_count() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("plugin.toml", "a");
        write("src/lib.rs", "a");
        let before = look(dir.path()).unwrap();
        write("dist/a.wasm", "a");
        write("target/debug/a", "a");
        write("src/.lib.rs.swp", "a");
        assert_eq!(look(dir.path()).unwrap(), before);
        write("src/lib.rs", "ab");
        assert_ne!(look(dir.path()).unwrap(), before);
    }
}
