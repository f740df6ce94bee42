//! `cargo xtask tidy`: lists long files and files without an opening comment. The guard `tidy` enforces the limits.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace;

const THINK_ABOUT_SPLITTING: usize = 400;

/// Prints long source files, and those that do not start with a description.
pub(crate) fn run() -> Result<()> {
    let mut files = Vec::new();
    collect(workspace::root(), &mut files)?;
    files.sort();
    let mut remarks = 0;
    for file in &files {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let lines = text.lines().count();
        if lines > THINK_ABOUT_SPLITTING {
            println!("{}: {lines} lines", workspace::shown(file));
            remarks += 1;
        }
        if !text.starts_with("//! ") {
            println!("{}: does not open with a //! line", workspace::shown(file));
            remarks += 1;
        }
    }
    println!("{} files, {remarks} remarks", files.len());
    Ok(())
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        std::fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !matches!(name, "target" | "data" | "node_modules") {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
