//! Libraries: parts of the media with names and grants, and what a caller sees by them.

use std::sync::Arc;

use super::id::{LibraryId, UserId};
use super::kind::MediaKind;
use super::path::RelativePath;
use super::time::Timestamp;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_hides_classes_that_it_does_not_name() {
        let scope = MediaScope::classes([7, 3, 7]);
        let seen: Vec<i64> = (0..9).filter(|class| scope.may_see_file(*class)).collect();
        assert_eq!(seen, [NO_LIBRARY, 3, 7]);
        assert!(MediaScope::All.may_see_file(4));
    }
}
