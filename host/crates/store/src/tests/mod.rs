//! Tests of every function of the store, on both databases.
//!
//! SQLite runs always, in a directory of its own. PostgreSQL runs when `SVC_TEST_POSTGRES_URL` names a server
//! (`cargo xtask test` sets it), each test in a schema of its own that is dropped at its end.

mod accounts;
mod device_sign_ins;
mod faults;
mod free_text;
mod id_nodes;
mod invitations;
mod item_filter;
mod jobs;
mod kept_readings;
mod kinds;
mod libraries;
mod library;
mod measure;
mod oidc;
mod pages;
mod partial_items;
mod photo_albums;
mod playback_queues;
mod plugin_state;
mod purge_kind;
mod schema;
mod server;
mod unchanged;
mod user_items;
mod video;

use std::path::PathBuf;
use std::sync::Arc;

use crate::{
    FolderDone, Instance, ItemFilter, NewUser, PluginVersion, ScanBatch, ScanWriter, Store, StoreOptions,
    StoredFile,
};
use svc_database::write_queue::{WritePriority, WriteTx};
use svc_domain::extraction::{Extraction, Field, Picture, PictureData, Span, Value};
use svc_domain::id::{DirectoryId, FileId, FolderId, IdGenerator, UserId};
use svc_domain::kind::MediaKind;
use svc_domain::library::MediaScope;
use svc_domain::music::TrackFacts;
use svc_domain::path::RelativePath;
use svc_domain::scan::{FileRecord, ScannedFile};
use svc_domain::time::Timestamp;
use svc_test_support::databases::{Schema, postgres_url, sqlite_url};

/// The time of all tests.
const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

/// The scope of a caller who may see all libraries.
const ALL_MEDIA: &MediaScope = &MediaScope::All;

/// A new store, and what a scan of it needs.
struct TestStore {
    store: Store,
    ids: Arc<IdGenerator>,
    url: String,
    dir: tempfile::TempDir,
}

impl TestStore {
    fn id<T: From<i64>>(&self) -> T {
        self.ids.next(NOW)
    }

    fn writer(&self) -> ScanWriter {
        self.store.index.scan_writer(Arc::clone(&self.ids))
    }

    async fn reopen(&mut self) {
        self.store.database.close().await;
        self.store = Store::open(&self.url, StoreOptions::default()).await.unwrap();
    }

    async fn write(&self, priority: WritePriority) -> WriteTx {
        self.store.database.write(priority).await.unwrap()
    }

    async fn instance(&self) -> Instance {
        let instance = Instance {
            instance_id: "i".into(),
            created_at: NOW,
        };
        let instances = &self.store.instance;
        instances.create_instance_if_absent(&instance).await.unwrap()
    }

    /// An account with these roles.
    async fn user(&self, name: &str, roles: &[&str]) -> UserId {
        self.instance().await;
        let new = NewUser {
            id: self.id(),
            username: name.to_owned(),
            username_key: name.to_owned(),
            display_name: None,
            password_hash: None,
            is_owner: false,
            is_guest: false,
            created_at: NOW,
        };
        let mut change = self.store.identity.change_identity().await.unwrap();
        assert!(change.insert_user(&new).await.unwrap());
        for role in roles {
            change.assign_role(new.id, role, NOW).await.unwrap();
        }
        change.commit().await.unwrap();
        new.id
    }

    /// Deletes all media, as a reset of the index does.
    async fn delete_media(&self) {
        let mut change = self.store.identity.change_identity().await.unwrap();
        change.delete_media().await.unwrap();
        change.commit_without_invalidation().await.unwrap();
    }

    /// A configured directory with one folder.
    async fn folder(&self, kind: MediaKind, path: &str) -> (DirectoryId, FolderId) {
        let root = PathBuf::from(format!("/media/{kind}"));
        let directories = self
            .store
            .directories
            .sync_directories(&[(kind, root)], &self.ids, NOW)
            .await
            .unwrap();
        let directory = directories[0].id;
        let folder = self.id();
        self.store
            .index
            .add_folders(directory, &[(folder, RelativePath::root().join_text(path))])
            .await
            .unwrap();
        (directory, folder)
    }

    /// A file of that name with this record, not known before.
    fn file(&self, folder: FolderId, name: &str, record: FileRecord) -> StoredFile {
        let file = ScannedFile {
            id: self.id(),
            folder,
            name: name.to_owned(),
            size: 1000,
            mtime_ns: 1_600_000_000_123_456_789,
            fingerprint: None,
            sidecar_digest: None,
            known: false,
            record,
        };
        StoredFile {
            file,
            plugin: Some(plugin()),
            // Tests modify files after they have created them.
            digest: None,
            unchanged: false,
            kept_group: None,
        }
    }

    async fn persist(&self, files: Vec<StoredFile>) -> Vec<FileId> {
        let ids = files.iter().map(|file| file.file.id).collect();
        let mut writer = self.writer();
        writer
            .persist(&ScanBatch {
                now: NOW,
                files,
                ..ScanBatch::default()
            })
            .await
            .unwrap();
        writer.recompute_aggregates(NOW).await.unwrap();
        ids
    }
}

fn plugin() -> Arc<PluginVersion> {
    Arc::new(PluginVersion {
        id: "music".into(),
        version: "0.1.0".into(),
        digest: "ab12".into(),
        component: "ab12".into(),
    })
}

fn done(id: FolderId, digest: u8, file_count: i64) -> FolderDone {
    FolderDone {
        id,
        digest: Some([digest; 16]),
        file_count,
    }
}

fn added_since(moment: Timestamp) -> ItemFilter {
    ItemFilter {
        added_since: Some(moment),
        ..ItemFilter::default()
    }
}

/// The metadata of a track.
fn track(title: &str, artists: &[&str], album: &str, number: i64) -> TrackFacts {
    track_of(title, artists, album, number, &[])
}

fn track_of(title: &str, artists: &[&str], album: &str, number: i64, more: &[(&str, Value)]) -> TrackFacts {
    let texts = |texts: &[&str]| Value::Texts(texts.iter().map(|&text| text.to_owned()).collect());
    let mut fields = vec![
        ("music.artists", texts(artists)),
        ("music.album-artists", texts(&artists[..1])),
        ("music.album", Value::Text(album.to_owned())),
        ("music.track-number", Value::Integer(number)),
    ];
    fields.extend(more.iter().cloned());
    let fields = fields
        .into_iter()
        .map(|(key, value)| Field {
            key: key.to_owned(),
            value,
        })
        .collect();
    let picture = Picture {
        purpose: "front".into(),
        mime: "image/png".into(),
        data: PictureData::At(Span {
            offset: 100,
            length: 200,
        }),
    };
    let extraction = Extraction {
        title: Some(title.to_owned()),
        duration_ms: Some(60_000 + number.unsigned_abs()),
        fields,
        pictures: if number == 2 { vec![picture] } else { vec![] },
        ..Extraction::default()
    };
    TrackFacts::from_extraction(&extraction, &RelativePath::root(), "x.mp3")
}

fn record(facts: TrackFacts) -> FileRecord {
    FileRecord::Track(Box::new(facts))
}

async fn test_store(url: String, dir: tempfile::TempDir) -> TestStore {
    let store = Store::open(
        &url,
        StoreOptions {
            postgres_connections: 4,
        },
    )
    .await
    .unwrap();
    TestStore {
        store,
        ids: Arc::new(IdGenerator::new(1)),
        url,
        dir,
    }
}

async fn sqlite_test_store() -> TestStore {
    let dir = tempfile::tempdir().unwrap();
    test_store(sqlite_url(&dir), dir).await
}

/// Runs `test` on SQLite, and on PostgreSQL if there is a server.
async fn on_each_database(test: impl AsyncFn(&mut TestStore)) {
    let mut sqlite = sqlite_test_store().await;
    test(&mut sqlite).await;
    sqlite.store.database.check_integrity().await.unwrap();
    sqlite.store.database.close().await;
    let Some(server) = postgres_url() else { return };
    on_postgres(&server, test).await;
}

async fn on_postgres(server: &str, test: impl AsyncFn(&mut TestStore)) {
    let schema = Schema::create(server).await;
    let mut postgres = test_store(schema.url.clone(), tempfile::tempdir().unwrap()).await;
    test(&mut postgres).await;
    postgres.store.database.close().await;
    schema.drop().await;
}
