//! A short digest of a file's content, by which a file that moved is known again.

use std::fs::File;
use std::os::unix::fs::FileExt;

use sha2::{Digest, Sha256};

/// Bytes looked at from the head, the middle and the tail. Reading whole files would cost more than all else together;
/// the size and twelve kilobytes tell two files of a library apart.
const PART: usize = 4096;

/// The fingerprint of a file of this size: six bytes, as the store keeps them. `None` if it cannot be read, and for an
/// empty file, which is like any other.
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
        // The parts of a short file are one.
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
    fn fingerprint_tells_size_head_middle_and_tail_apart() {
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
