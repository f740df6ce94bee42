//! The directory digest: a hash of the files of a directory.

use sha2::{Digest, Sha256};

use crate::scan::entries::FoundFile;
use crate::scan::sidecars::SidecarFile;
use svc_domain::scan::DirectoryDigest;

/// Hashes the sorted lists of media files and sidecars.
pub(super) fn directory_digest(files: &[FoundFile], related: &[SidecarFile]) -> DirectoryDigest {
    let mut digest = Sha256::new();
    let mut add = |name: &str, size: [u8; 8], mtime_ns: i64| {
        digest.update(name.as_bytes());
        digest.update([0]);
        digest.update(size);
        digest.update(mtime_ns.to_le_bytes());
    };
    for file in files {
        add(&file.name, file.size.to_le_bytes(), file.mtime_ns);
    }
    for file in related {
        add(&file.name, file.size.to_le_bytes(), file.mtime_ns);
    }
    let mut bytes = DirectoryDigest::default();
    for (to, from) in bytes.iter_mut().zip(digest.finalize()) {
        *to = from;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, size: i64, mtime_ns: i64) -> FoundFile {
        FoundFile {
            name: name.into(),
            size,
            mtime_ns,
        }
    }

    #[test]
    fn directory_digest_changes_with_every_property_of_every_file() {
        let base = directory_digest(&[file("a", 1, 2), file("b", 3, 4)], &[]);
        assert_eq!(base, directory_digest(&[file("a", 1, 2), file("b", 3, 4)], &[]));
        let sidecars = SidecarFile {
            name: "a.nfo".into(),
            size: 1,
            mtime_ns: 1,
        };
        assert_ne!(
            base,
            directory_digest(&[file("a", 1, 2), file("b", 3, 4)], &[sidecars])
        );
        for other in [
            vec![file("a", 1, 2)],
            vec![file("a", 1, 2), file("c", 3, 4)],
            vec![file("a", 1, 2), file("b", 4, 4)],
            vec![file("a", 1, 2), file("b", 3, 5)],
        ] {
            assert_ne!(base, directory_digest(&other, &[]));
        }
    }
}
