//! Stores the photos of a batch of scanned files.

use crate::db::search_index::SearchIndex;
use crate::photos::edits;
use crate::scan_writer::ids::for_ids;
use crate::scan_writer::{PersistOutcome, ScanWriter, StoredFile, rows};
use crate::text::bounded_words;
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::in_lists;
use svc_domain::id::PhotoId;
use svc_domain::photo::PhotoFacts;
use svc_domain::photo_bucket::day_of;
use svc_domain::scan::{FileRecord, ScannedFile};

/// Nanoseconds per millisecond.
const NANOS: i64 = 1_000_000;
const CLASSES: &str = "SELECT p.photo_id, o.access_class FROM photos p JOIN files f ON f.file_id = p.photo_id \
    JOIN folders o ON o.folder_id = f.folder_id WHERE p.photo_id";

pub(super) async fn remove_from_search(tx: &mut Tx, photos: &[i64]) -> Result<()> {
    for_ids(tx, SearchIndex::Photos.remove(tx.engine()), photos, "").await
}

/// The subset of these files that are photos, with the access class of their folders.
pub(super) async fn with_class(tx: &mut Tx, files: &[i64]) -> Result<Vec<(PhotoId, i64)>> {
    let mut photos = Vec::new();
    for (sql, values) in in_lists(tx.engine(), CLASSES, files, "") {
        let rows: Vec<(i64, i64)> = tx.fetch_all(sql, &values).await?;
        photos.extend(rows.into_iter().map(|(id, class)| (PhotoId::from(id), class)));
    }
    Ok(photos)
}

impl ScanWriter {
    pub(super) async fn store_photos(
        &mut self,
        tx: &mut Tx,
        files: &[&StoredFile],
        outcome: &mut PersistOutcome,
    ) -> Result<()> {
        let (mut photos, mut words, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for StoredFile { file, .. } in files {
            if let FileRecord::Photo(facts) = &file.record {
                photos.extend(photo_values(file, facts));
                words.extend([
                    Arg::from(file.id.get()),
                    Arg::from(bounded_words(facts.search_text(&file.name))),
                ]);
                known.extend(file.known.then_some(file.id.get()));
            }
        }
        remove_from_search(tx, &known).await?;
        self.texts.execute(tx, &rows::PHOTOS, &photos).await?;
        edits::renew(tx, &known).await?;
        outcome.updated_photos.extend(with_class(tx, &known).await?);
        self.texts
            .execute(tx, SearchIndex::Photos.add(tx.engine()), &words)
            .await
    }
}

fn photo_values<'a>(file: &ScannedFile, facts: &'a PhotoFacts) -> [Arg<'a>; 23] {
    args![
        file.id.get(),
        facts.taken_at,
        facts.taken_at_source as i16,
        facts.utc_offset_minutes,
        file.mtime_ns.div_euclid(NANOS),
        facts.width,
        facts.height,
        facts.orientation,
        facts.mime_type.as_deref(),
        facts.make.as_deref(),
        facts.model.as_deref(),
        facts.lens.as_deref(),
        facts.iso,
        facts.aperture,
        facts.exposure_time.map(|time| time.numerator),
        facts.exposure_time.map(|time| time.denominator),
        facts.focal_length,
        facts.place.map(|place| place.latitude),
        facts.place.map(|place| place.longitude),
        facts.place.and_then(|place| place.altitude),
        facts.rating,
        file.size,
        day_of(facts.taken_at),
    ]
}
