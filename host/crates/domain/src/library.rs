//! Libraries: named parts of the media with grants, and the access that grants give to callers.

use std::sync::Arc;

use crate::id::{LibraryId, UserId};
use crate::kind::MediaKind;
use crate::path::RelativePath;
use crate::time::Timestamp;

/// The access class of folders that are in no library.
pub const NO_LIBRARY: i64 = 0;

/// Who may access a restricted library.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grant {
    /// An account.
    User(UserId),
    /// All accounts with this role.
    Role(String),
}

/// A named part of the media of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Id.
    pub id: LibraryId,
    /// Unique within the kind.
    pub name: String,
    /// All its media are of this kind.
    pub kind: MediaKind,
    /// Directories below every root of the kind; the empty path is the whole root.
    pub paths: Vec<RelativePath>,
    /// Only accounts with a grant have access. Remains set when the last grant is deleted.
    pub restricted: bool,
    /// Sorted.
    pub grants: Vec<Grant>,
    /// When the library was created.
    pub created_at: Timestamp,
}

/// Number of files in a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LibraryCounts {
    /// Indexed and present.
    pub files: i64,
    /// Indexed and missing.
    pub missing: i64,
}

/// The media that a caller may access. An item is accessible if one of its files is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaScope {
    /// All media: no library is restricted for the caller.
    All,
    /// Files in folders of these access classes only. The list names accessible classes rather than hidden ones: a
    /// new class is hidden until the scope is computed again.
    Classes(Arc<[i64]>),
}

impl MediaScope {
    /// The given classes, and the folders that are in no library.
    pub fn classes(classes: impl IntoIterator<Item = i64>) -> Self {
        let mut classes: Vec<i64> = classes.into_iter().chain([NO_LIBRARY]).collect();
        classes.sort_unstable();
        classes.dedup();
        Self::Classes(classes.into())
    }

    /// Whether the caller may access files in folders of this access class.
    pub fn can_see_file(&self, class: i64) -> bool {
        match self {
            Self::All => true,
            Self::Classes(classes) => classes.binary_search(&class).is_ok(),
        }
    }
}

/// Which folders of a kind a caller may browse: those in no library, and those in a library that the caller may
/// access.
#[derive(Debug, Clone, Default)]
pub struct VisibleFolders(Vec<(Vec<RelativePath>, bool)>);

impl VisibleFolders {
    /// From the folders of each library of the kind, and whether the caller may access it.
    pub fn new(libraries: Vec<(Vec<RelativePath>, bool)>) -> Self {
        Self(libraries)
    }

    /// Whether the files directly in this folder are shown.
    pub fn contains_files_of(&self, folder: &RelativePath) -> bool {
        let holding = |paths: &Vec<RelativePath>| paths.iter().any(|path| folder.is_below(path));
        let mut holders = self.0.iter().filter(|(paths, _)| holding(paths)).peekable();
        holders.peek().is_none() || holders.any(|(_, admitted)| *admitted)
    }

    /// Whether the folder itself is shown: its files are, or it contains a shown folder.
    pub fn contains(&self, folder: &RelativePath) -> bool {
        let leads_to = |paths: &Vec<RelativePath>| paths.iter().any(|path| path.is_below(folder));
        self.contains_files_of(folder)
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
    fn folders_are_shown_by_access_to_their_libraries() {
        let path = |text: &str| RelativePath::parse(text).unwrap();
        let shown = VisibleFolders::new(vec![
            (vec![path("Closed"), path("Deep/Closed")], false),
            (vec![path("Closed/Mine"), path("Open")], true),
        ]);
        // (folder, its files are shown, the folder is shown)
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
                (shown.contains_files_of(&folder), shown.contains(&folder)),
                (files, itself),
                "{folder}"
            );
        }
        let all_closed = VisibleFolders::new(vec![(vec![RelativePath::root()], false)]);
        assert!(!all_closed.contains(&RelativePath::root()));
        assert!(VisibleFolders::default().contains_files_of(&RelativePath::root()));
    }

    #[test]
    fn scope_hides_classes_that_it_does_not_list() {
        let scope = MediaScope::classes([7, 3, 7]);
        let seen: Vec<i64> = (0..9).filter(|class| scope.can_see_file(*class)).collect();
        assert_eq!(seen, [NO_LIBRARY, 3, 7]);
        assert!(MediaScope::All.can_see_file(4));
    }
}
