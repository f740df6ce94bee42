//! Libraries: parts of the media with names and grants, and what a caller sees by them.

use std::sync::Arc;

use crate::id::{LibraryId, UserId};
use crate::kind::MediaKind;
use crate::path::RelativePath;
use crate::time::Timestamp;

/// The access class of folders that are in no library.
pub const NO_LIBRARY: i64 = 0;

/// Who is let into a library.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grant {
    /// An account.
    User(UserId),
    /// Whoever has this role.
    Role(String),
}

/// A part of the media of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Identifier.
    pub id: LibraryId,
    /// Its name, no other library's of the kind.
    pub name: String,
    /// What it holds.
    pub kind: MediaKind,
    /// Its folders below every root directory of the kind; the root itself is all.
    pub paths: Vec<RelativePath>,
    /// Those with a grant alone are let in. Stays when the last of them is deleted.
    pub restricted: bool,
    /// Who is let in, sorted.
    pub grants: Vec<Grant>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How many files a library has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LibraryCounts {
    /// Indexed and there.
    pub files: i64,
    /// Known, but not there.
    pub missing: i64,
}

/// What a caller sees of the media. An item is seen if one of its files is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaScope {
    /// Everything: no library is closed to the caller.
    All,
    /// Files in folders of these access classes, and no others. A list of what is seen, so that a class which is new
    /// is hidden until somebody has looked what it holds.
    Classes(Arc<[i64]>),
}

impl MediaScope {
    /// Folders of these access classes, and those that are in no library.
    pub fn classes(classes: impl IntoIterator<Item = i64>) -> Self {
        let mut classes: Vec<i64> = classes.into_iter().chain([NO_LIBRARY]).collect();
        classes.sort_unstable();
        classes.dedup();
        Self::Classes(classes.into())
    }

    /// Whether files in folders of this access class are seen.
    pub fn may_see_file(&self, class: i64) -> bool {
        match self {
            Self::All => true,
            Self::Classes(classes) => classes.binary_search(&class).is_ok(),
        }
    }
}

/// Which folders of a kind are shown to a caller who looks at the disk: those in no library, and those in one that the
/// caller is let into.
#[derive(Debug, Clone, Default)]
pub struct ShownFolders(Vec<(Vec<RelativePath>, bool)>);

impl ShownFolders {
    /// By the folders of each library of the kind, and whether the caller is let into it.
    pub fn new(libraries: Vec<(Vec<RelativePath>, bool)>) -> Self {
        Self(libraries)
    }

    /// Whether the files of this folder are shown.
    pub fn shows_files_of(&self, folder: &RelativePath) -> bool {
        let holding = |paths: &Vec<RelativePath>| paths.iter().any(|path| folder.is_below(path));
        let mut holders = self.0.iter().filter(|(paths, _)| holding(paths)).peekable();
        holders.peek().is_none() || holders.any(|(_, admitted)| *admitted)
    }

    /// Whether this folder is shown: its files are, or it is on the way to some that are.
    pub fn shows(&self, folder: &RelativePath) -> bool {
        let leads_to = |paths: &Vec<RelativePath>| paths.iter().any(|path| path.is_below(folder));
        self.shows_files_of(folder)
            || self
                .0
                .iter()
                .any(|(paths, admitted)| *admitted && leads_to(paths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_shown_to_whom_a_library_of_theirs_lets_in() {
        let path = |text: &str| RelativePath::parse(text).unwrap();
        let shown = ShownFolders::new(vec![
            (vec![path("Closed"), path("Deep/Closed")], false),
            (vec![path("Closed/Mine"), path("Open")], true),
        ]);
        // (folder, its files, the folder)
        for (folder, files, itself) in [
            ("", true, true),
            ("Closed", false, true),
            ("Closed/Other", false, false),
            ("Closed/Mine", true, true),
            ("Closed/Mine/Below", true, true),
            ("Deep", true, true),
            ("Deep/Closed", false, false),
            ("Open", true, true),
            ("Closedness", true, true),
        ] {
            let folder = path(folder);
            assert_eq!(
                (shown.shows_files_of(&folder), shown.shows(&folder)),
                (files, itself),
                "{folder}"
            );
        }
        let all_closed = ShownFolders::new(vec![(vec![RelativePath::root()], false)]);
        assert!(!all_closed.shows(&RelativePath::root()));
        assert!(ShownFolders::default().shows_files_of(&RelativePath::root()));
    }

    #[test]
    fn a_scope_hides_classes_that_it_does_not_name() {
        let scope = MediaScope::classes([7, 3, 7]);
        let seen: Vec<i64> = (0..9).filter(|class| scope.may_see_file(*class)).collect();
        assert_eq!(seen, [NO_LIBRARY, 3, 7]);
        assert!(MediaScope::All.may_see_file(4));
    }
}
