//! Digests of extracted records. A file whose record is unchanged leaves its items as they are: no change is
//! published, cached responses stay valid, and a full scan writes little.

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

use crate::index::{IndexRepository, RECORD_SCHEMA};
use svc_database::Result;
use svc_database::bulk::in_lists;
use svc_domain::id::FileId;
use svc_domain::scan::ScannedFile;

/// Missing files are always stored, because they are published as restored.
const DIGESTS: &str =
    "SELECT file_id, record_digest FROM files WHERE status <> 2 AND record_digest IS NOT NULL AND file_id";

struct HashWriter(Sha256);

impl fmt::Write for HashWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// Digest of the stored data of a file without its id and plugin. It covers the derived `Debug` text: where another
/// version of the server prints it differently, files are stored once more when they are extracted again.
pub fn digest_of(file: &ScannedFile) -> i64 {
    let ScannedFile {
        folder,
        name,
        size,
        mtime_ns,
        record,
        ..
    } = file;
    let mut sink = HashWriter(Sha256::new());
    let stored = (RECORD_SCHEMA, folder, name, size, mtime_ns, record);
    // Writing to the sink cannot fail.
    let _ = write!(sink, "{stored:?}");
    let digest: [u8; 32] = sink.0.finalize().into();
    let (head, _) = digest.split_first_chunk().unwrap_or((&[0; 8], &[]));
    i64::from_le_bytes(*head)
}

impl IndexRepository {
    /// The subset of these files, each with its digest, whose stored digest is equal. Only the one scan writes
    /// digests, so the result holds until the scan stores the files.
    pub async fn unchanged_files(&self, read: &HashSet<(FileId, i64)>) -> Result<HashSet<FileId>> {
        let ids: Vec<i64> = read.iter().map(|(id, _)| id.get()).collect();
        let mut same = HashSet::new();
        for (sql, values) in in_lists(self.db.pools().engine(), DIGESTS, &ids, "") {
            let stored: Vec<(i64, i64)> = self.db.pools().fetch_page(sql, &values).await?;
            let stored = stored.into_iter().map(|(id, digest)| (FileId::from(id), digest));
            same.extend(stored.filter(|row| read.contains(row)).map(|(id, _)| id));
        }
        Ok(same)
    }
}
