//! Paths in the repository.

use std::path::{Path, PathBuf};

/// The root of the repository. The crate is run from where it was compiled, as `cargo xtask` does.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// The directory for all files that commands leave behind; `cargo clean` removes it.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    }
}

/// The plugins' own workspace.
pub(crate) fn plugins() -> PathBuf {
    root().join("plugins")
}

/// A path relative to the root of the repository, for messages.
pub(crate) fn shown(path: &Path) -> std::path::Display<'_> {
    path.strip_prefix(root()).unwrap_or(path).display()
}
