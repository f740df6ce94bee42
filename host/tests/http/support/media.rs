//! Media files on disk, with their records in the store.

use std::sync::Arc;

use super::TestServer;
use svc_domain::extraction::{Extraction, Field, Picture, PictureData, Span, Value as FieldValue};
use svc_domain::id::{FileId, FolderId, MediaId};
use svc_domain::kind::MediaKind;
use svc_domain::music::TrackFacts;
use svc_domain::path::RelativePath;
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::{FileRecord, ScannedFile};
use svc_domain::time::{Clock as _, SystemClock, Timestamp};
use svc_domain::video::VideoFacts;
use svc_store::{ScanBatch, StoredFile};
use svc_test_support::databases::number;

impl TestServer {
    pub(crate) async fn folder(&self, kind: MediaKind) -> FolderId {
        self.folder_at(kind, "Album").await
    }

    /// Adds a folder as a scan does.
    pub(crate) async fn folder_at(&self, kind: MediaKind, name: &str) -> FolderId {
        let now = SystemClock.now();
        let directories = self
            .store
            .directories
            .sync_directories(&[(kind, self.root.clone())], &self.ids, now)
            .await
            .unwrap();
        let folder = self.id();
        let place = RelativePath::root().join_text(name);
        self.store
            .index
            .add_folders(directories[0].id, &[(folder, place)])
            .await
            .unwrap();
        std::fs::create_dir_all(self.root.join(name)).unwrap();
        folder
    }

    /// Puts a file on disk and its record in the store.
    pub(crate) async fn file(
        &self,
        folder: FolderId,
        name: &str,
        content: &[u8],
        record: FileRecord,
    ) -> FileId {
        std::fs::write(self.root.join("Album").join(name), content).unwrap();
        self.record(folder, name, content.len() as i64, record).await
    }

    /// Stores the record of a file.
    pub(crate) async fn record(&self, folder: FolderId, name: &str, size: i64, record: FileRecord) -> FileId {
        let id = self.id();
        let file = ScannedFile {
            id,
            folder,
            name: name.to_owned(),
            size,
            mtime_ns: 1_600_000_000_123_456_789,
            fingerprint: None,
            sidecar_digest: None,
            known: false,
            record,
        };
        let files = vec![StoredFile {
            file,
            plugin: None,
            digest: None,
            unchanged: false,
            kept_group: None,
        }];
        let mut writer = self.store.index.scan_writer(Arc::clone(&self.ids));
        writer
            .persist(&ScanBatch {
                now: SystemClock.now(),
                files,
                ..ScanBatch::default()
            })
            .await
            .unwrap();
        writer.recompute_aggregates(SystemClock.now()).await.unwrap();
        id
    }

    /// A track with a picture at the bytes 2 to 5 of its file.
    pub(crate) async fn track(&self, folder: FolderId, name: &str, title: &str, content: &[u8]) -> FileId {
        let field = |key: &str, value| Field {
            key: key.to_owned(),
            value,
        };
        let extraction = Extraction {
            title: Some(title.to_owned()),
            duration_ms: Some(1500),
            fields: vec![
                field("music.album", FieldValue::Text("Blue".into())),
                field(
                    "music.artists",
                    FieldValue::Texts(vec!["Ann".into(), "Bob".into()]),
                ),
                field("music.genres", FieldValue::Texts(vec!["Jazz".into()])),
                field("audio.codec", FieldValue::Text("mp3".into())),
            ],
            pictures: vec![Picture {
                purpose: "front".into(),
                mime: "image/png".into(),
                data: PictureData::At(Span { offset: 2, length: 4 }),
            }],
            ..Extraction::default()
        };
        let place = RelativePath::root().join_text("Album");
        let facts = TrackFacts::from_extraction(&extraction, &place, name);
        self.file(folder, name, content, FileRecord::Track(Box::new(facts)))
            .await
    }

    pub(crate) async fn photo(&self, folder: FolderId, name: &str, content: &[u8]) -> FileId {
        let extraction = Extraction {
            width: Some(640),
            height: Some(480),
            ..Extraction::default()
        };
        let facts = PhotoFacts::from_extraction(&extraction, name, Timestamp::from_millis(1_600_000_000_000));
        self.file(folder, name, content, FileRecord::Photo(Box::new(facts)))
            .await
    }

    /// Adds a video of one minute on disk and in the index.
    pub(crate) async fn video(
        &self,
        (folder, place): (FolderId, &str),
        (kind, name): (MediaKind, &str),
        content: &[u8],
        fields: &[(&str, FieldValue)],
    ) -> FileId {
        std::fs::write(self.root.join(place).join(name), content).unwrap();
        let field = |(key, value): &(&str, FieldValue)| Field {
            key: (*key).to_owned(),
            value: value.clone(),
        };
        let extraction = Extraction {
            duration_ms: Some(60_000),
            fields: fields.iter().map(field).collect(),
            ..Extraction::default()
        };
        let path = RelativePath::root().join_text(place);
        let facts = VideoFacts::from_extraction(&extraction, &kind, &path, name);
        let record = FileRecord::Video(Box::new(facts));
        self.record(folder, name, content.len() as i64, record).await
    }

    /// Adds a sidecar file, such as a poster.
    pub(crate) fn beside(&self, path: &str, content: &[u8]) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

/// A text field of a plugin.
pub(crate) fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

/// A text list of a plugin.
pub(crate) fn texts(texts: &[&str]) -> FieldValue {
    FieldValue::Texts(texts.iter().map(|&text| text.to_owned()).collect())
}

fn extraction(title: &str, seconds: u64, fields: Vec<(&str, FieldValue)>) -> Extraction {
    let fields = fields.into_iter().map(|(key, value)| Field {
        key: key.to_owned(),
        value,
    });
    Extraction {
        title: Some(title.to_owned()),
        duration_ms: Some(seconds * 1000),
        fields: fields.collect(),
        ..Extraction::default()
    }
}

/// Adds a track of four minutes.
pub(crate) async fn song(
    server: &TestServer,
    folder: FolderId,
    title: &str,
    artist: &str,
    genre: &str,
) -> FileId {
    let texts = |text: &str| FieldValue::Texts(vec![text.to_owned()]);
    let fields = vec![
        ("music.album", FieldValue::Text(format!("{artist}'s"))),
        ("music.artists", texts(artist)),
        ("music.genres", texts(genre)),
    ];
    let facts = TrackFacts::from_extraction(&extraction(title, 240, fields), &RelativePath::root(), "x.mp3");
    server
        .record(
            folder,
            &format!("{title}.mp3"),
            10,
            FileRecord::Track(Box::new(facts)),
        )
        .await
}

async fn video(
    server: &TestServer,
    folder: FolderId,
    kind: MediaKind,
    title: &str,
    fields: Vec<(&str, FieldValue)>,
) {
    let extraction = extraction(title, 6000, fields);
    let facts = VideoFacts::from_extraction(&extraction, &kind, &RelativePath::root(), title);
    server
        .record(
            folder,
            &format!("{title}.mkv"),
            10,
            FileRecord::Video(Box::new(facts)),
        )
        .await;
}

/// Adds a movie of a hundred minutes; returns its id.
pub(crate) async fn movie(server: &TestServer, title: &str) -> String {
    let folder = server.folder_at(MediaKind::movies(), "Movies").await;
    let fields = vec![("movie.title", FieldValue::Text(title.to_owned()))];
    video(server, folder, MediaKind::movies(), title, fields).await;
    let sql = format!("SELECT movie_id FROM movies WHERE title = '{title}'");
    MediaId::from(number(&server.database_url, &sql).await).to_string()
}

/// Adds episodes of a hundred minutes; returns their ids.
pub(crate) async fn episodes(server: &TestServer, show: &str, count: i64) -> Vec<String> {
    let folder = server.folder_at(MediaKind::tv(), show).await;
    let mut ids = Vec::new();
    for episode in 1..=count {
        let title = format!("{show} {episode}");
        let fields = vec![
            ("tv.show", FieldValue::Text(show.to_owned())),
            ("tv.season", FieldValue::Integer(1)),
            ("tv.episode", FieldValue::Integer(episode)),
        ];
        video(server, folder, MediaKind::tv(), &title, fields).await;
        let sql = format!("SELECT episode_id FROM tv_episodes WHERE title = '{title}'");
        ids.push(MediaId::from(number(&server.database_url, &sql).await).to_string());
    }
    ids
}
