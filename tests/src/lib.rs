//! The checkout: its root, its Rust sources, media from elsewhere. Shared by tests and benchmarks.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "tests fail by panicking, start programs, wait and tell what they skip"
)]

pub mod cloud;
pub mod connections;
pub mod event_client;
pub mod indexed;
pub mod leaks;
pub mod postgres;
pub mod program;
pub mod races;
pub mod sandbox;
pub mod service;
pub mod tls;

pub use svc_test_support::skipped;

use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests is in the workspace")
        .to_owned()
}

/// The folder of media from elsewhere; `None`, reported as skipped, if absent.
pub fn foreign_media() -> Option<PathBuf> {
    let folder =
        std::env::var_os("SVC_TEST_MEDIA").map_or_else(|| workspace().join("../shared/media"), PathBuf::from);
    if folder.join("truth.jsonl").is_file() {
        return Some(folder);
    }
    skipped(&format!(
        "no truth.jsonl in {}; SVC_TEST_MEDIA names another folder",
        folder.display()
    ));
    None
}

/// A Rust file of this project.
#[derive(Debug)]
pub struct SourceFile {
    /// Relative to the folder passed to [`rust_sources`], with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl SourceFile {
    /// Whether the whole file belongs to tests: in a folder `tests`, or beside the code that it tests.
    pub fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests") || self.path.ends_with("tests.rs")
    }

    /// The text up to its module of tests.
    pub fn without_tests(&self) -> &str {
        let parts = self.text.split_once("#[cfg(test)]\nmod tests {");
        parts.map_or(self.text.as_str(), |(code, _)| code)
    }
}

/// The Rust files below `folder`, without build output.
pub fn rust_sources(folder: &Path) -> Vec<SourceFile> {
    let mut sources = Vec::new();
    collect(folder, folder, &mut sources);
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn collect(base: &Path, folder: &Path, sources: &mut Vec<SourceFile>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(base, &path, sources);
            }
        } else if name.ends_with(".rs") {
            let shown = path.strip_prefix(base).unwrap().to_string_lossy().into_owned();
            sources.push(SourceFile {
                path: shown,
                text: std::fs::read_to_string(&path).unwrap(),
            });
        }
    }
}
