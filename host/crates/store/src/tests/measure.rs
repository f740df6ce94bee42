//! Measures the time to store a track and a photo, and their bytes in the database. Not run by default:
//! `cargo test --release -p svc-host --lib store::tests::measure -- --ignored --nocapture --test-threads=1`

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::tests::kinds::{comics, item, stored};
use crate::tests::*;
use crate::{FacetFilter, KindItemFilter, KindItemOrder, StoredKind, TrackFilter, TrackOrder};
use svc_domain::extraction::{PartialDate, Rational};
use svc_domain::item_kind::{FieldSchema, FieldType, KindSchema};
use svc_domain::list::{ListRequest, Order, Pagination};
use svc_domain::photo::PhotoFacts;

const TRACKS: usize = 10_000;
const PHOTOS: usize = 5_000;
const BATCH: usize = 1000;

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

/// A pseudo-random number below `of` that depends only on the arguments.
fn pick(seed: usize, of: usize) -> usize {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize % of
}

const WORDS: [&str; 24] = [
    "golden", "river", "night", "silver", "broken", "morning", "house", "stone", "dance", "winter", "heart",
    "ocean", "paper", "engine", "quiet", "summer", "shadow", "letter", "garden", "thunder", "mirror",
    "hollow", "north", "light",
];

fn phrase(seed: usize) -> String {
    let words: Vec<&str> = (0..2 + pick(seed, 3))
        .map(|at| WORDS[pick(seed * 7 + at, WORDS.len())])
        .collect();
    format!("{} {}", words.join(" "), pick(seed, 900))
}

fn person(seed: usize) -> String {
    let name = |seed: usize, of: usize| {
        let word = WORDS[pick(seed, WORDS.len())];
        format!(
            "{}{word}{}",
            ["Ma", "Jo", "El", "Ka", "Ri", "So"][pick(seed, 6)],
            pick(seed + 1, of)
        )
    };
    format!("{} {}", name(seed, 6), name(seed + 9, 9))
}

fn uuid(seed: usize) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        pick(seed, 1 << 31),
        seed % 65_536,
        seed % 4096,
        7,
        seed
    )
}

/// A well tagged track: 10 tracks per release, 4 releases per artist, composers on half of the tracks.
fn synthetic_track(number: usize, has_free_text: bool) -> TrackFacts {
    let (album, artist) = (number / 10, number / 40);
    let texts = |text: String| Value::Texts(vec![text]);
    let mut fields = vec![
        ("music.artists", texts(person(artist))),
        ("music.album-artists", texts(person(artist))),
        ("music.album", Value::Text(phrase(album + 100_000))),
        ("music.track-number", Value::Integer(number as i64 % 10 + 1)),
        ("music.disc-number", Value::Integer(1)),
        ("music.genres", texts(WORDS[pick(album, 20)].to_owned())),
        (
            "music.isrc",
            Value::Text(format!("USA{:09}", pick(number, 1_000_000_000))),
        ),
        ("music.mb-release-id", Value::Text(uuid(album))),
        ("music.mb-artist-ids", texts(uuid(artist))),
        (
            "music.replaygain-track-gain",
            Value::Real(pick(number, 1300) as f64 / 100.0 - 11.0),
        ),
        (
            "music.replaygain-track-peak",
            Value::Real(pick(number, 1_000_000) as f64 / 1e6),
        ),
        (
            "audio.bitrate",
            Value::Integer(192_000 + pick(number, 90_000) as i64),
        ),
        ("audio.sample-rate", Value::Integer(44_100)),
        ("audio.channels", Value::Integer(2)),
        ("audio.codec", Value::Text("flac".into())),
    ];
    if number.is_multiple_of(2) {
        fields.push(("music.composers", texts(person(pick(number, 5_000) + 70_000))));
    }
    if has_free_text {
        fields.push(("music.comment", Value::Text(phrase(number + 900_000))));
        fields.push(("x.moods.mood", texts(phrase(number + 950_000))));
    }
    let date = PartialDate {
        year: 1958 + pick(album, 66) as u16,
        month: None,
        day: None,
        time_ms: None,
        offset_minutes: None,
    };
    fields.push(("music.date", Value::Date(date)));
    let picture = Picture {
        purpose: "front".into(),
        mime: "image/jpeg".into(),
        data: PictureData::At(Span {
            offset: 4096,
            length: 50_000 + album as u64,
        }),
    };
    let extraction = Extraction {
        title: Some(phrase(number)),
        duration_ms: Some(120_000 + pick(number, 200_000) as u64),
        fields: fields
            .into_iter()
            .map(|(key, value)| Field {
                key: key.into(),
                value,
            })
            .collect(),
        pictures: if pick(album, 100) < 45 {
            vec![picture]
        } else {
            vec![]
        },
        ..Extraction::default()
    };
    TrackFacts::from_extraction(&extraction, &RelativePath::root(), "x.flac")
}

fn synthetic_photo(number: usize, name: &str) -> PhotoFacts {
    let rational = |numerator, denominator| {
        Value::Rational(Rational {
            numerator,
            denominator,
        })
    };
    let date = PartialDate {
        year: 2010 + pick(number, 15) as u16,
        month: Some(1 + pick(number, 12) as u8),
        day: Some(1 + pick(number, 28) as u8),
        time_ms: Some(pick(number, 86_400_000) as u32),
        offset_minutes: Some(60),
    };
    let fields = [
        ("photo.taken-at", Value::Date(date)),
        ("photo.make", Value::Text("NIKON CORPORATION".into())),
        (
            "photo.model",
            Value::Text(format!("NIKON D{}", pick(number, 9) * 100)),
        ),
        (
            "photo.lens",
            Value::Text("AF-S NIKKOR 24-70mm f/2.8E ED VR".into()),
        ),
        ("photo.mime-type", Value::Text("image/jpeg".into())),
        ("photo.orientation", Value::Integer(1)),
        ("photo.iso", Value::Integer(400)),
        ("photo.aperture", rational(28, 10)),
        ("photo.focal-length", rational(350, 10)),
        ("photo.exposure-time", rational(1, 250)),
        (
            "photo.gps-latitude",
            Value::Real(pick(number, 180_000) as f64 / 1000.0 - 90.0),
        ),
        (
            "photo.gps-longitude",
            Value::Real(pick(number + 1, 360_000) as f64 / 1000.0 - 180.0),
        ),
        ("photo.gps-altitude", Value::Real(120.5)),
    ];
    let extraction = Extraction {
        width: Some(6000),
        height: Some(4000),
        fields: fields
            .into_iter()
            .map(|(key, value)| Field {
                key: key.into(),
                value,
            })
            .collect(),
        ..Extraction::default()
    };
    PhotoFacts::from_extraction(&extraction, name, NOW)
}

/// Folders of ten files, each with a batch's worth of records.
async fn batches(
    test_store: &TestStore,
    kind: MediaKind,
    total: usize,
    make: impl Fn(usize) -> (String, FileRecord),
) -> Vec<ScanBatch> {
    let (directory, _) = test_store.folder(kind, "first").await;
    let mut batches = Vec::new();
    for start in (0..total).step_by(BATCH) {
        let folders: Vec<(FolderId, RelativePath)> = (start / 10..(start + BATCH) / 10)
            .map(|number| {
                let path = format!(
                    "{}/{} ({})",
                    person(number / 4),
                    phrase(number + 100_000),
                    1958 + number % 60
                );
                (test_store.id(), RelativePath::root().join_text(&path))
            })
            .collect();
        test_store
            .store
            .index
            .add_folders(directory, &folders)
            .await
            .unwrap();
        let files = (start..start + BATCH)
            .map(|number| {
                let (name, record) = make(number);
                test_store.file(folders[(number - start) / 10].0, &name, record)
            })
            .collect();
        let folders_done = folders.iter().map(|(id, _)| done(*id, 7, 10)).collect();
        batches.push(ScanBatch {
            now: NOW,
            files,
            folders_done,
            ..ScanBatch::default()
        });
    }
    batches
}

async fn measure(name: &str, test_store: &mut TestStore, batches: &mut [ScanBatch], total: usize) {
    let mut writer = test_store.writer();
    let before = cpu();
    for batch in batches.iter() {
        writer.persist(batch).await.unwrap();
    }
    let persisted = cpu();
    writer.recompute_aggregates(NOW).await.unwrap();
    let settled = cpu();
    let sqlite = test_store.url.starts_with("sqlite");
    if sqlite {
        test_store.reopen().await;
        let size = std::fs::metadata(test_store.dir.path().join("svc.db"))
            .unwrap()
            .len();
        eprintln!("{name}: {} bytes of database each", size / total as u64);
    } else {
        let sql = "SELECT CAST(sum(pg_total_relation_size(c.oid)) AS BIGINT) FROM pg_class c \
                   JOIN pg_namespace n ON n.oid = c.relnamespace \
                   WHERE n.nspname = current_schema() AND c.relkind = 'r'";
        let size = test_store.store.database.pools().count(sql, &[]).await.unwrap();
        eprintln!("{name}: {} bytes of database each", size / total as u64);
    }
    for file in batches.iter_mut().flat_map(|batch| &mut batch.files) {
        file.file.known = true;
    }
    let mut writer = test_store.writer();
    let unchanged = cpu();
    for batch in batches.iter() {
        writer.persist(batch).await.unwrap();
    }
    let again = cpu();
    let per = |from: Duration, to: Duration| (to - from).as_secs_f64() * 1e6 / total as f64;
    eprintln!(
        "{name}: persist {:.1} µs, settle {:.1} µs, all of them changed {:.1} µs each",
        per(before, persisted),
        per(persisted, settled),
        per(unchanged, again)
    );
}

async fn measure_tracks(test_store: &mut TestStore, total: usize, has_free_text: bool) {
    let name = |number: usize| format!("{:02} - {}.flac", number % 10 + 1, phrase(number));
    let mut batches = batches(test_store, MediaKind::music(), total, |number| {
        (name(number), record(synthetic_track(number, has_free_text)))
    })
    .await;
    measure("tracks", test_store, &mut batches, total).await;
}

async fn measure_photos(test_store: &mut TestStore) {
    let mut batches = batches(test_store, MediaKind::photos(), PHOTOS, |number| {
        let name = format!("DSC_{number:05}.JPG");
        let facts = synthetic_photo(number, &name);
        (name, FileRecord::Photo(Box::new(facts)))
    })
    .await;
    measure("photos", test_store, &mut batches, PHOTOS).await;
}

/// A kind with ten fields, six of which order lists, four of which are facets and three of which are searched.
fn synthetic_kind() -> KindSchema {
    let field = |(key, field_type, sort, facet, search): (&str, _, _, _, _)| FieldSchema {
        key: format!("x.comics.{key}"),
        label: [("en".to_owned(), key.to_owned())].into(),
        field_type,
        search,
        sort,
        facet,
    };
    let fields = [
        ("series", FieldType::Text, true, true, true),
        ("writers", FieldType::Texts, false, true, true),
        ("publisher", FieldType::Text, true, true, false),
        ("genre", FieldType::Texts, false, true, true),
        ("number", FieldType::Integer, true, false, false),
        ("volume", FieldType::Integer, true, false, false),
        ("date", FieldType::Date, true, false, false),
        ("pages", FieldType::Integer, true, false, false),
        ("language", FieldType::Text, false, false, false),
        ("direction", FieldType::Text, false, false, false),
    ];
    KindSchema {
        fields: fields.into_iter().map(field).collect(),
        ..comics()
    }
}

fn synthetic_item(number: usize, schema: &KindSchema) -> FileRecord {
    let series = number / 25;
    let date = PartialDate {
        year: 1958 + pick(series, 66) as u16,
        month: Some(1 + pick(number, 12) as u8),
        day: None,
        time_ms: None,
        offset_minutes: None,
    };
    let fields = [
        ("series", Value::Text(phrase(series + 100_000))),
        (
            "writers",
            Value::Texts(vec![person(pick(series, 900)), person(pick(number, 900))]),
        ),
        ("publisher", Value::Text(person(pick(series, 60)))),
        ("genre", Value::Texts(vec![WORDS[pick(series, 20)].to_owned()])),
        ("number", Value::Integer(number as i64 % 25 + 1)),
        ("volume", Value::Integer(1 + pick(series, 3) as i64)),
        ("date", Value::Date(date)),
        ("pages", Value::Integer(20 + pick(number, 40) as i64)),
        ("language", Value::Text("en".to_owned())),
        ("direction", Value::Text("left-to-right".to_owned())),
    ];
    let fields = fields.map(|(key, value)| (format!("x.comics.{key}"), value));
    let fields: Vec<(&str, Value)> = fields
        .iter()
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect();
    item(schema, &phrase(number), &fields)
}

/// Milliseconds of the best of five calls.
async fn best<T>(mut call: impl AsyncFnMut() -> T) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let before = clock_gettime(ClockId::Monotonic);
        call().await;
        let after = clock_gettime(ClockId::Monotonic);
        let seconds = (after.tv_sec - before.tv_sec) as f64;
        best = best.min(seconds * 1e3 + (after.tv_nsec - before.tv_nsec) as f64 / 1e6);
    }
    best
}

async fn measure_pages(test_store: &TestStore, kind: &StoredKind) {
    let page = Pagination { take: 100, skip: 0 };
    let music = &test_store.store.music;
    for by in [TrackOrder::Title, TrackOrder::Year] {
        let request = ListRequest::new(by, Order::Ascending, page);
        let time = best(async || {
            music
                .list_tracks(ALL_MEDIA, &TrackFilter::default(), &request)
                .await
                .unwrap()
                .total
        });
        eprintln!("page of tracks by {by:?}: {:.1} ms", time.await);
    }
    let kinds = &test_store.store.kinds;
    let no_filter = KindItemFilter::default();
    let facet = |key: &str, value: &str| {
        let field = kind.facet_field(key).unwrap();
        FacetFilter {
            field,
            keys: vec![field.facet_key(value).unwrap()],
        }
    };
    let two = KindItemFilter {
        facets: vec![
            facet("x.comics.publisher", &person(pick(1, 60))),
            facet("x.comics.genre", WORDS[pick(1, 20)]),
        ],
        ..KindItemFilter::default()
    };
    let sorts = ["series", "publisher", "number", "volume", "date", "pages"];
    let by_field = |key: &&str| KindItemOrder::Field(kind.sort_field(&format!("x.comics.{key}")).unwrap());
    let orders = [KindItemOrder::Title, KindItemOrder::CreatedAt]
        .into_iter()
        .chain(sorts.iter().map(by_field));
    for by in orders {
        for (name, filter) in [("no filter", &no_filter), ("two facets", &two)] {
            let request = ListRequest::new(by, Order::Ascending, page);
            let time = best(async || {
                kinds
                    .list_items(ALL_MEDIA, kind, filter, &request)
                    .await
                    .unwrap()
                    .total
            });
            eprintln!("page of items by {by:?}, {name}: {:.1} ms", time.await);
        }
    }
    for key in ["series", "writers", "publisher", "genre"] {
        let field = kind.facet_field(&format!("x.comics.{key}")).unwrap();
        let time = best(async || {
            kinds
                .item_facets(ALL_MEDIA, field, &no_filter, &[], page)
                .await
                .unwrap()
                .total
        });
        eprintln!("facets of {key}: {:.1} ms", time.await);
    }
    let search = KindItemFilter {
        query: Some("gold riv".to_owned()),
        ..KindItemFilter::default()
    };
    let request = ListRequest::new(KindItemOrder::Title, Order::Ascending, page);
    let time = best(async || {
        kinds
            .list_items(ALL_MEDIA, kind, &search, &request)
            .await
            .unwrap()
            .total
    });
    eprintln!("page of items by words: {:.1} ms", time.await);
}

async fn measure_items(test_store: &mut TestStore, total: usize) {
    let schema = synthetic_kind();
    stored(test_store, &schema).await;
    let name = |number: usize| format!("{} {:03}.cbz", phrase(number / 25 + 100_000), number % 25);
    let mut batches = batches(test_store, schema.kind.clone(), total, |number| {
        (name(number), synthetic_item(number, &schema))
    })
    .await;
    measure("items", test_store, &mut batches, total).await;
}

/// Items and as many tracks, in databases of their own for their size, and the times of pages in one with both.
#[tokio::test]
#[ignore = "a measurement, for release builds"]
async fn hundred_thousand_items_stored() {
    const TOTAL: usize = 100_000;
    on_each_database(async |test_store: &mut TestStore| {
        measure_items(test_store, TOTAL).await;
        measure_tracks(test_store, TOTAL, false).await;
        let kind = test_store
            .store
            .kinds
            .kind(&comics().kind)
            .await
            .unwrap()
            .unwrap();
        measure_pages(test_store, &kind).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "a measurement, for release builds"]
async fn tracks_stored() {
    on_each_database(async |test_store: &mut TestStore| measure_tracks(test_store, TRACKS, false).await)
        .await;
}

/// Tracks with a comment and a text of the plugin's own, some four words each.
#[tokio::test]
#[ignore = "a measurement, for release builds"]
async fn tracks_with_free_text_stored() {
    on_each_database(async |test_store: &mut TestStore| measure_tracks(test_store, TRACKS, true).await).await;
}

#[tokio::test]
#[ignore = "a measurement, for release builds"]
async fn ten_times_as_many_tracks_stored() {
    on_each_database(async |test_store: &mut TestStore| measure_tracks(test_store, 10 * TRACKS, false).await)
        .await;
}

#[tokio::test]
#[ignore = "a measurement, for release builds"]
async fn photos_stored() {
    on_each_database(async |test_store: &mut TestStore| measure_photos(test_store).await).await;
}
