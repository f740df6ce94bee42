//! `svc plugin dev`: swaps a plugin into a running server whenever it changes: its folder, which is built first, or a
//! component that another tool builds. In between it follows what the server says of the plugin.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;

use crate::build::build_folder;
use crate::error::KitError;
use crate::follow::{Follower, News};
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
    /// Milliseconds of the build, unless another tool built it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_ms: Option<u128>,
    /// Milliseconds until the server had the new version in use.
    pub swap_ms: u128,
    /// The plugin as the server has it now.
    pub plugin: ManagedPlugin,
}

/// What is reported.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// A new version is in use.
    Swap(Box<Swap>),
    /// The server says something of the plugin.
    News(News),
}

/// The files of a plugin: when each changed last.
type Files = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// What is watched.
#[derive(Debug, Clone, Copy)]
pub enum Watched<'a> {
    /// The folder of a plugin, in this language unless its files tell.
    Folder(&'a Path, Option<Language>),
    /// A component.
    Component(&'a Path),
}

/// Builds a folder and swaps the plugin into a server, or swaps a component, and again after each change. All that the
/// plugin asks for is granted. `report` receives each swap, each error, and in between what the server says of the plugin;
/// it ends the loop by returning false.
///
/// # Errors
/// The folder cannot be read.
pub fn dev(
    server: &Server,
    watched: Watched<'_>,
    mut report: impl FnMut(Result<Report, KitError>) -> bool,
) -> Result<(), KitError> {
    let mut swapped = None;
    let mut follower = Follower::new(server);
    loop {
        for news in follower.look() {
            if !report(news.map(Report::News)) {
                return Ok(());
            }
        }
        let files = settled(watched)?;
        // Tools that write a component may delete it first.
        if !files.is_empty() && swapped.as_ref() != Some(&files) {
            let swap = swap(server, watched);
            if let Ok(swap) = &swap {
                follower.swapped(&swap.plugin);
            }
            if !report(swap.map(|swap| Report::Swap(Box::new(swap)))) {
                return Ok(());
            }
            swapped = Some(files);
        }
        pause(LOOK_EVERY);
    }
}

fn swap(server: &Server, watched: Watched<'_>) -> Result<Swap, KitError> {
    let (file, build_ms) = match watched {
        Watched::Folder(folder, language) => {
            let started = Instant::now();
            let built = build_folder(folder, language, None)?;
            (built.file, Some(started.elapsed().as_millis()))
        }
        Watched::Component(file) => (file.to_owned(), None),
    };
    let started = Instant::now();
    let (mut plugin, digest) = server.upload(&file, false)?;
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
fn settled(watched: Watched<'_>) -> Result<Files, KitError> {
    let mut before = look(watched)?;
    loop {
        pause(LOOK_EVERY / 3);
        let now = look(watched)?;
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

fn look(watched: Watched<'_>) -> Result<Files, KitError> {
    let mut files = Files::new();
    let paths = match watched {
        Watched::Folder(folder, _) => written_files(folder)?,
        Watched::Component(file) => vec![file.to_owned()],
    };
    for path in paths {
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
        let folder = Watched::Folder(dir.path(), None);
        let before = look(folder).unwrap();
        write("dist/a.wasm", "a");
        write("target/debug/a", "a");
        write("src/.lib.rs.swp", "a");
        assert_eq!(look(folder).unwrap(), before);
        write("src/lib.rs", "ab");
        assert_ne!(look(folder).unwrap(), before);
    }

    #[test]
    fn component_is_watched_even_where_it_is_missing_at_times() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("dist/a.wasm");
        fs::create_dir(dir.path().join("dist")).unwrap();
        let watched = Watched::Component(&file);
        assert!(look(watched).unwrap().is_empty());
        fs::write(&file, "a").unwrap();
        fs::write(dir.path().join("dist/b.wasm"), "b").unwrap();
        assert_eq!(look(watched).unwrap().len(), 1);
    }
}
