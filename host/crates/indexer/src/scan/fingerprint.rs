//! The fingerprint: a short hash of a file's content that identifies moved files.

use std::fs::File;
use std::os::unix::fs::FileExt;

use sha2::{Digest, Sha256};

/// Bytes hashed at the start, middle and end. Reading whole files would dominate the scan; size and twelve kilobytes
/// distinguish the files of a library.
const PART: usize = 4096;

/// Hashes size and parts of the file to six bytes. `None` if the file cannot be read or is empty.
pub(super) fn fingerprint(file: &File, size: u64) -> Option<i64> {
    if size == 0 {
        return None;
    }
    let mut digest = Sha256::new();
    digest.update(size.to_le_bytes());
    let mut part = [0; PART];
    let tail = size.saturating_sub(PART as u64);
    let mut ends_at = 0;
    for offset in [0, tail / 2, tail] {
        // The parts of a short file overlap, so the whole file is hashed.
        if offset < ends_at && ends_at >= size {
            break;
        }
        let read = read_part(file, &mut part, offset)?;
        digest.update(part.get(..read)?);
        ends_at = offset + read as u64;
    }
    let mut number = [0; 8];
    let digest = digest.finalize();
    number.get_mut(..6)?.copy_from_slice(digest.get(..6)?);
    Some(i64::from_le_bytes(number))
}

fn read_part(file: &File, part: &mut [u8], offset: u64) -> Option<usize> {
    let mut read = 0;
    while read < part.len() {
        match file.read_at(part.get_mut(read..)?, offset + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn of(bytes: &[u8]) -> Option<i64> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        fingerprint(&file, bytes.len() as u64)
    }

    #[test]
    fn fingerprint_depends_on_size_head_middle_and_tail() {
        let base = vec![7_u8; 100_000];
        let prints: std::collections::HashSet<_> = [0, 50_000, 99_999]
            .into_iter()
            .map(|at| {
                let mut changed = base.clone();
                changed[at] = 8;
                of(&changed).unwrap()
            })
            .chain([of(&base).unwrap(), of(&base[1..]).unwrap()])
            .collect();
        assert_eq!(prints.len(), 5);
        assert_eq!(of(&base), of(&base.clone()));
        assert_eq!(of(b""), None);
        assert_ne!(of(b"a"), of(b"b"));
    }
}
