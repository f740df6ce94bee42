//! What is passed over: names of other software, and what ignore files say: `.svcignore` with git's rules for what lies below
//! it, and `.nomedia` for a whole directory.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The name of a file of rules.
pub(super) const RULES: &str = ".svcignore";
/// A directory with a file of this name is passed over, with all below it.
pub(super) const NO_MEDIA: &str = ".nomedia";
/// Bytes of rules that are read.
const MAX_BYTES: u64 = 64 * 1024;

/// Directories that hold other software's data or deleted files, by exact name. Hidden ones are passed over
/// as well.
const IGNORED_NAMES: [&str; 5] = [
    "@eaDir",
    "#recycle",
    "lost+found",
    "$RECYCLE.BIN",
    "System Volume Information",
];

/// The rules that hold in a directory: its own before those above it.
#[derive(Debug, Default, Clone)]
pub(super) struct IgnoreRules(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    rules: Gitignore,
    above: IgnoreRules,
}

impl IgnoreRules {
    /// The rules in the directory at `path`, which is below those of `self`.
    ///
    /// # Errors
    /// As the system reports them; that there is no such file is none. A line that is no rule is passed over.
    pub(super) fn enter(&self, path: &Path) -> io::Result<Self> {
        let file = path.join(RULES);
        // A fifo of that name must not be waited for.
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

    /// Whether an entry is ignored: the nearest rule that speaks of it decides. Mostly there are none, and its path need not
    /// be put together.
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

/// Whether a name is passed over: hidden, or other software's.
pub fn is_ignored(name: &OsStr) -> bool {
    // Titles may start with an ellipsis: one leading dot hides, more do not.
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
    fn nearest_rule_decides() {
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
    fn directory_without_rules_has_those_above() {
        let root = tempfile::tempdir().unwrap();
        let rules = IgnoreRules::default().enter(root.path()).unwrap();
        assert!(!rules.ignores(|| root.path().join("a.mp3"), false));
    }
}
