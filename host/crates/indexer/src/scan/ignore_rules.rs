//! Ignored paths: names of other software, `.svcignore` files with git's rules, and `.nomedia`, which excludes its
//! directory.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The name of ignore files.
pub(super) const RULES: &str = ".svcignore";
/// A directory with a file of this name is ignored with everything below it.
pub(super) const NO_MEDIA: &str = ".nomedia";
/// Maximum size of an ignore file in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Directories for data of other software or deleted files, by exact name. Hidden ones are ignored as well.
const IGNORED_NAMES: [&str; 5] = [
    "@eaDir",
    "#recycle",
    "lost+found",
    "$RECYCLE.BIN",
    "System Volume Information",
];

/// The rules that apply in a directory; its own precede those of its parents.
#[derive(Debug, Default, Clone)]
pub(super) struct IgnoreRules(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    rules: Gitignore,
    above: IgnoreRules,
}

impl IgnoreRules {
    /// Adds the rules of the directory at `path`, a child of that of `self`.
    ///
    /// # Errors
    /// I/O errors; a missing ignore file is no error. Invalid lines are skipped.
    pub(super) fn enter(&self, path: &Path) -> io::Result<Self> {
        let file = path.join(RULES);
        // Opening a fifo of that name would block.
        match std::fs::symlink_metadata(&file) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Ok(self.clone()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self.clone()),
            Err(error) => return Err(error),
        }
        let mut bytes = Vec::new();
        File::open(&file)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
        let mut builder = GitignoreBuilder::new(path);
        for line in String::from_utf8_lossy(&bytes).lines() {
            if let Err(error) = builder.add_line(Some(file.clone()), line) {
                tracing::warn!(target: "svc::scan", file = %file.display(), "invalid ignore rule: {error}");
            }
        }
        let rules = builder.build().map_err(io::Error::other)?;
        Ok(Self(Some(Arc::new(Level {
            rules,
            above: self.clone(),
        }))))
    }

    /// Whether an entry is ignored; the nearest matching rule decides. `path` is a closure because most directories
    /// have no rules.
    pub(super) fn ignores<P: AsRef<Path>>(&self, path: impl FnOnce() -> P, is_directory: bool) -> bool {
        let mut level = self.0.as_deref();
        if level.is_none() {
            return false;
        }
        let path = path();
        while let Some(Level { rules, above }) = level {
            let verdict = rules.matched(&path, is_directory);
            if !verdict.is_none() {
                return verdict.is_ignore();
            }
            level = above.0.as_deref();
        }
        false
    }
}

/// Whether a name is ignored: hidden, or reserved by other software.
pub fn is_ignored(name: &OsStr) -> bool {
    // A title may start with an ellipsis, so only a single leading dot hides.
    let hidden = matches!(name.as_encoded_bytes(), [b'.', second, ..] if *second != b'.');
    hidden || IGNORED_NAMES.iter().any(|ignored| name == *ignored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_software_are_ignored() {
        for name in [".git", ".hidden.mp3", "@eaDir", "lost+found"] {
            assert!(is_ignored(OsStr::new(name)), "{name}");
        }
        assert!(!is_ignored(OsStr::new("...Like a Title")));
    }

    #[test]
    fn nearest_ignore_rule_decides() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("keep")).unwrap();
        std::fs::write(root.path().join(RULES), "*.flac\n/private/\n# a comment\n[\n").unwrap();
        std::fs::write(root.path().join("keep").join(RULES), "!a.flac\n").unwrap();
        let top = IgnoreRules::default().enter(root.path()).unwrap();
        let keep = top.enter(&root.path().join("keep")).unwrap();
        assert!(top.ignores(|| root.path().join("a.flac"), false));
        assert!(top.ignores(|| root.path().join("private"), true));
        assert!(!top.ignores(|| root.path().join("private"), false));
        assert!(!top.ignores(|| root.path().join("a.mp3"), false));
        assert!(!keep.ignores(|| root.path().join("keep/a.flac"), false));
        assert!(keep.ignores(|| root.path().join("keep/b.flac"), false));
    }

    #[test]
    fn directory_without_rules_inherits_those_of_its_parent() {
        let root = tempfile::tempdir().unwrap();
        let rules = IgnoreRules::default().enter(root.path()).unwrap();
        assert!(!rules.ignores(|| root.path().join("a.mp3"), false));
    }
}
