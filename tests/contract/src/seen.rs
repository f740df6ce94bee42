//! Records the declared statuses that tests receive.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

/// The environment variable of the directory; without it nothing is recorded.
const VARIABLE: &str = "SVC_OPENAPI_SEEN";

/// Lines `GET /api/v1/photos 200`, each once.
#[derive(Debug)]
pub(crate) struct Seen(Option<Mutex<(File, HashSet<String>)>>);

impl Seen {
    /// A file of this process's own in the directory that the environment names.
    pub(crate) fn from_environment() -> Self {
        let directory = std::env::var_os(VARIABLE).map(PathBuf::from);
        Self(directory.map(|directory| {
            let path = directory.join(format!("{}.txt", std::process::id()));
            let file = OpenOptions::new().create(true).append(true).open(&path);
            let file = file.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Mutex::new((file, HashSet::new()))
        }))
    }

    pub(crate) fn note(&self, method: &str, path: &str, status: u16) {
        let Some(seen) = &self.0 else {
            return;
        };
        let mut seen = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let line = format!("{method} {path} {status}\n");
        if !seen.1.contains(&line) {
            seen.0
                .write_all(line.as_bytes())
                .expect("the file of what was seen");
            seen.1.insert(line);
        }
    }
}
