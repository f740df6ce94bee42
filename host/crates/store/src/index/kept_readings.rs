//! Readings of a plugin's other version that are kept for a rollback, as the scan finds them.

use std::collections::HashMap;

use crate::index::IndexRepository;
use svc_database::Result;
use svc_database::bulk::in_lists;
use svc_domain::extraction::{Picture, PictureData, Span};
use svc_domain::id::{FileId, ItemId};
use svc_domain::item::FileContent;

/// A marked file is to be read even if a reading is kept.
const FIND: &str = "SELECT k.file_id, k.version_ref, k.size, k.mtime_ns, k.related_stamp, k.record_digest, \
    f.fingerprint, k.group_id, coalesce(k.record, x.record) AS record, \
    CASE WHEN k.record IS NULL THEN x.picture_index ELSE k.picture_index END AS picture_index, \
    CASE WHEN k.record IS NULL THEN x.picture_offset ELSE k.picture_offset END AS picture_offset, \
    CASE WHEN k.record IS NULL THEN x.picture_length ELSE k.picture_length END AS picture_length \
    FROM kept_readings k JOIN item_files x ON x.file_id = k.file_id JOIN files f ON f.file_id = k.file_id \
    JOIN plugins_seen s ON s.plugin_ref = f.plugin_ref AND s.digest <> '' WHERE k.file_id";

/// What a version of a plugin read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptReading {
    /// The version.
    pub version: KeptVersion,
    /// Bytes of the file that was read.
    pub size: i64,
    /// Its modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its fingerprint.
    pub fingerprint: Option<i64>,
    /// Digest of its sidecars.
    pub sidecar_digest: Option<i64>,
    /// [`digest_of`](crate::digest_of) the file.
    pub record_digest: i64,
    /// The group that the file was in.
    pub group: Option<ItemId>,
    /// The metadata.
    pub content: FileContent,
    /// The picture of the item, with its index in the file.
    pub picture: Option<(u32, Picture)>,
}

/// A version of a plugin with kept readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeptVersion(i64);

#[derive(sqlx::FromRow)]
struct KeptRow {
    file_id: i64,
    version_ref: i64,
    size: i64,
    mtime_ns: i64,
    related_stamp: Option<i64>,
    record_digest: i64,
    fingerprint: Option<i64>,
    group_id: Option<i64>,
    record: String,
    picture_index: Option<i32>,
    picture_offset: Option<i64>,
    picture_length: Option<i64>,
}

impl KeptRow {
    fn into_reading(self) -> KeptReading {
        let content = FileContent::parse(&self.record);
        KeptReading {
            version: KeptVersion(self.version_ref),
            size: self.size,
            mtime_ns: self.mtime_ns,
            fingerprint: self.fingerprint,
            sidecar_digest: self.related_stamp,
            record_digest: self.record_digest,
            group: self.group_id.map(ItemId::from),
            picture: self.picture(&content),
            content,
        }
    }

    fn picture(&self, content: &FileContent) -> Option<(u32, Picture)> {
        let index = u32::try_from(self.picture_index?).ok()?;
        let picture = content.pictures.get(usize::try_from(index).ok()?)?;
        let number = |stored: Option<i64>| u64::try_from(stored?).ok();
        let span = number(self.picture_offset).zip(number(self.picture_length));
        let picture = Picture {
            purpose: picture.purpose.clone(),
            mime: picture.mime.clone(),
            data: span.map_or(PictureData::OnRequest, |(offset, length)| {
                PictureData::At(Span { offset, length })
            }),
        };
        Some((index, picture))
    }
}

impl IndexRepository {
    /// The versions with kept readings among these, each an id of a plugin with a digest.
    pub async fn kept_versions(
        &self,
        current: &[(String, String)],
    ) -> Result<HashMap<KeptVersion, (String, String)>> {
        let sql = "SELECT version_ref, plugin_id, digest FROM kept_versions";
        let rows: Vec<(i64, String, String)> = self.db.pools().fetch_all(sql, &[]).await?;
        let versions = rows
            .into_iter()
            .map(|(number, id, digest)| (KeptVersion(number), (id, digest)));
        Ok(versions
            .filter(|(_, version)| current.contains(version))
            .collect())
    }

    /// The kept readings of these files.
    pub async fn kept_readings(&self, files: &[FileId]) -> Result<HashMap<FileId, KeptReading>> {
        let numbers: Vec<i64> = files.iter().map(|file| file.get()).collect();
        let mut readings = HashMap::new();
        for (sql, values) in in_lists(self.db.pools().engine(), FIND, &numbers, "") {
            let rows: Vec<KeptRow> = self.db.pools().fetch_all(sql, &values).await?;
            readings.extend(
                rows.into_iter()
                    .map(|row| (FileId::from(row.file_id), row.into_reading())),
            );
        }
        Ok(readings)
    }
}
