//! A library on disk with the real indexer, in one process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rusqlite::Connection;
use svc_domain::id::IdGenerator;
use svc_domain::kind::MediaKind;
use svc_domain::list::{Order, OrderedPagination, Pagination};
use svc_domain::path::RelativePath;
use svc_domain::scan::{Run, RunLogEntry, RunOptions, RunPath, RunType};
use svc_domain::time::{Clock, SystemClock, Timestamp};
use svc_events::{EventLimits, Events};
use svc_fixtures::{Clip, Format, Track, VideoFormat};
use svc_identity::audit::BackgroundLog;
use svc_identity::error::ServiceError;
use svc_indexer::indexing::{Indexing, StartRun};
use svc_indexer::scan::Scanner;
use svc_platform::tasks::Tasks;
use svc_plugin_host::{BuiltIn, Component, LimitCaps, Plugins};
use svc_store::{RunLogFilter, Store, StoreOptions};

use crate::sandbox::{component, plugin_settings};

/// The four plugins, compiled once for all tests.
static PLUGINS: LazyLock<Plugins> = LazyLock::new(|| plugins(&[]));

/// The four plugins; those named have another digest and the same code.
pub fn plugins(changed: &[&str]) -> Plugins {
    load(changed, LimitCaps::default())
}

/// The plugins with so little memory that the music plugin fails at every file.
pub fn starved_plugins() -> Plugins {
    const PAGE: u64 = 65_536;
    let starved = (1..1024).map(|pages| {
        let mut caps = LimitCaps::default();
        (caps.extract.default_memory, caps.extract.max_memory) = (pages * PAGE, pages * PAGE);
        load(&[], caps)
    });
    let mut begun = starved.filter(|plugins| plugins.for_file(&MediaKind::music(), "mp3").is_some());
    begun.next().unwrap()
}

fn load(changed: &[&str], caps: LimitCaps) -> Plugins {
    let name = if changed.is_empty() {
        "indexed".to_owned()
    } else {
        format!("indexed-{}", changed.join("-"))
    };
    let settings = plugin_settings(&name, caps);
    let built_in = MediaKind::BUILT_IN.map(|name| {
        let mut bytes = component(name).to_vec();
        if changed.contains(&name) {
            // A custom section of one byte, called `v`.
            bytes.extend([0, 3, 1, b'v', 2]);
        }
        BuiltIn {
            name,
            component: Component::Plain(bytes.leak()),
        }
    });
    Plugins::load(&settings, &built_in).unwrap()
}

/// Roots on disk, their index and indexer.
pub struct Library {
    folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    store: Store,
    indexing: Indexing,
}

impl Library {
    /// Empty roots: `music`, `music2`, `photos`, `movies`, `tv`.
    pub fn new() -> Self {
        Self::with_plugins(PLUGINS.clone())
    }

    fn with_plugins(plugins: Plugins) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for root in ["music", "music2", "photos", "movies", "tv"] {
            std::fs::create_dir(folder.path().join(root)).unwrap();
        }
        Self::open(folder, plugins)
    }

    fn open(folder: tempfile::TempDir, plugins: Plugins) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let url = format!("sqlite:{}", folder.path().join("index.db").display());
        let ids = Arc::new(IdGenerator::new(5));
        let store = runtime.block_on(async {
            let store = Store::open(&url, StoreOptions::default()).await.unwrap();
            let root = |kind: MediaKind, name: &str| (kind, folder.path().join(name));
            let roots = [
                root(MediaKind::music(), "music"),
                root(MediaKind::music(), "music2"),
                root(MediaKind::photos(), "photos"),
                root(MediaKind::movies(), "movies"),
                root(MediaKind::tv(), "tv"),
            ];
            store
                .directories
                .sync_directories(&roots, &ids, SystemClock.now())
                .await
                .unwrap();
            store
        });
        let scanner = Scanner {
            index: store.index.clone(),
            directories: store.directories.clone(),
            plugins,
            ids,
            clock: Arc::new(SystemClock),
            threads: 2,
            tasks: Tasks::default(),
        };
        let log = BackgroundLog::new(
            store.audit.clone(),
            store.users.clone(),
            Arc::clone(&scanner.ids),
            Arc::clone(&scanner.clock),
        );
        let indexing = Indexing::new(
            scanner,
            store.runs.clone(),
            log,
            Events::new(EventLimits::default()),
        );
        Self {
            folder,
            runtime,
            store,
            indexing,
        }
    }

    /// Reopens the library with other plugins, as after an update.
    #[must_use]
    pub fn reopen(self, plugins: Plugins) -> Self {
        let Self {
            folder,
            runtime,
            store,
            ..
        } = self;
        runtime.block_on(store.database.close());
        drop(runtime);
        Self::open(folder, plugins)
    }

    /// A path below the roots, such as `music/Album/01.mp3`.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file, with the directories above it.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Writes a track of this title.
    pub fn track(&self, path: &str, title: &str) {
        let track = Track::new(title)
            .artist("Ann")
            .release_artist("Ann")
            .release("Blue");
        self.write(path, track.encode(Format::Mp3).unwrap().0);
    }

    /// Writes a video with unique contents.
    pub fn video(&self, path: &str) {
        let mut bytes = Clip::movie("", 1000).encode(VideoFormat::Mp4);
        // A box that plugins ignore.
        bytes.extend(u32::try_from(8 + path.len()).unwrap().to_be_bytes());
        bytes.extend(b"free");
        bytes.extend(path.as_bytes());
        self.write(path, bytes);
    }

    /// Moves a file or a directory.
    pub fn rename(&self, from: &str, to: &str) {
        let to = self.at(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(self.at(from), to).unwrap();
    }

    /// Removes a file or a directory.
    pub fn remove(&self, path: &str) {
        let path = self.at(path);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }

    /// A quick run over everything.
    pub fn index(&self) -> Run {
        self.run(StartRun::of_all(RunType::Quick))
    }

    /// A quick run over one directory.
    pub fn index_part(&self, kind: MediaKind, path: &str) -> Run {
        let path = RelativePath::parse(path).unwrap();
        let paths = vec![RunPath { root_dir: kind, path }];
        self.index_with(RunOptions {
            paths,
            ..RunOptions::default()
        })
    }

    /// Whether a run over this path finds it.
    pub fn has_part(&self, kind: MediaKind, path: &str) -> bool {
        let path = RelativePath::parse(path).unwrap();
        let options = RunOptions {
            paths: vec![RunPath { root_dir: kind, path }],
            ..RunOptions::default()
        };
        let request = StartRun {
            options,
            ..StartRun::of_all(RunType::Quick)
        };
        self.runtime.block_on(async {
            let started = self.indexing.start(request, None).await;
            self.indexing.wait_until_idle().await;
            match started {
                Ok(_) => true,
                Err(ServiceError::Unknown(_)) => false,
                Err(error) => panic!("{error}"),
            }
        })
    }

    /// A quick run with these options.
    pub fn index_with(&self, options: RunOptions) -> Run {
        self.run(StartRun {
            options,
            ..StartRun::of_all(RunType::Quick)
        })
    }

    /// A run to its end.
    pub fn run(&self, request: StartRun) -> Run {
        self.runtime.block_on(async {
            let run = self.indexing.start(request, None).await.unwrap();
            self.indexing.wait_until_idle().await;
            self.indexing.run(run.id).await.unwrap()
        })
    }

    /// Starts a full run, pauses it at once, calls `meanwhile`, and resumes it.
    pub fn run_interrupted(&self, meanwhile: impl FnOnce()) -> Run {
        self.runtime.block_on(async {
            use svc_indexer::indexing::IndexAction;
            let run = self
                .indexing
                .start(StartRun::of_all(RunType::Full), None)
                .await
                .unwrap();
            // The run may have completed already.
            let _ = self.indexing.act(IndexAction::Pause).await;
            tokio::task::block_in_place(meanwhile);
            let _ = self.indexing.act(IndexAction::Resume).await;
            self.indexing.wait_until_idle().await;
            self.indexing.run(run.id).await.unwrap()
        })
    }

    /// Starts a full run, pauses it after the first file, calls `meanwhile`, and resumes it.
    pub fn run_held(&self, meanwhile: impl FnOnce(&Run)) -> Run {
        use svc_indexer::indexing::{IndexAction, IndexState};
        let indexing = &self.indexing;
        let soon = || tokio::time::sleep(Duration::from_millis(1));
        self.runtime.block_on(async {
            let run = indexing
                .start(StartRun::of_all(RunType::Full), None)
                .await
                .unwrap();
            while indexing.run(run.id).await.unwrap().files_opened == 0 {
                soon().await;
            }
            indexing.act(IndexAction::Pause).await.unwrap();
            while indexing.state().0 != IndexState::Paused {
                soon().await;
            }
            let held = indexing.run(run.id).await.unwrap();
            tokio::task::block_in_place(|| meanwhile(&held));
            indexing.act(IndexAction::Resume).await.unwrap();
            indexing.wait_until_idle().await;
            indexing.run(run.id).await.unwrap()
        })
    }

    /// Starts a run and calls `meanwhile` concurrently.
    pub fn run_beside(&self, run_type: RunType, meanwhile: impl FnOnce()) -> Run {
        self.runtime.block_on(async {
            let run = self
                .indexing
                .start(StartRun::of_all(run_type), None)
                .await
                .unwrap();
            tokio::task::block_in_place(meanwhile);
            self.indexing.wait_until_idle().await;
            self.indexing.run(run.id).await.unwrap()
        })
    }

    /// A run that purges missing files.
    pub fn purge(&self) -> Run {
        let later = Timestamp::from_millis(SystemClock.now().millis() + 1000);
        self.run(StartRun {
            purge_before: Some(later),
            ..StartRun::of_all(RunType::Quick)
        })
    }

    /// The lines of a run's log, as event and path.
    pub fn log(&self, run: &Run) -> Vec<RunLogEntry> {
        let part = OrderedPagination {
            order: Order::Ascending,
            page: Pagination { take: 1000, skip: 0 },
        };
        let filter = RunLogFilter::default();
        let lines = self
            .runtime
            .block_on(self.store.runs.list_run_logs(run.id, &filter, part))
            .unwrap();
        lines.items
    }

    /// A second connection to the database.
    pub fn database(&self) -> Connection {
        open_database(&self.at("index.db"))
    }

    /// Rows of two columns, as texts.
    pub fn rows(&self, sql: &str) -> Vec<(String, String)> {
        rows(&self.database(), sql)
    }

    /// One number.
    pub fn number(&self, sql: &str) -> i64 {
        self.database().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// File ids by path below the roots, of files that are not missing.
    pub fn ids(&self) -> BTreeMap<String, i64> {
        let sql = "SELECT replace(d.path, rtrim(d.path, replace(d.path, '/', '')), '') || '/' || \
                   CASE o.path WHEN '' THEN '' ELSE o.path || '/' END || f.name, CAST(f.file_id AS TEXT) \
                   FROM files f JOIN folders o USING (folder_id) JOIN directories d USING (directory_id) \
                   WHERE f.status <> 2";
        let rows = self.rows(sql).into_iter();
        rows.map(|(path, id)| (path, id.parse().unwrap())).collect()
    }

    /// The index without ids: equal for two indexes of the same tree.
    pub fn content(&self) -> Vec<(String, String)> {
        content(&self.database())
    }

    /// The contents of a new index of the same directories.
    pub fn content_of_a_clean_scan(&self) -> Vec<(String, String)> {
        let other = tempfile::tempdir().unwrap();
        for root in ["music", "music2", "photos", "movies", "tv"] {
            std::os::unix::fs::symlink(self.at(root), other.path().join(root)).unwrap();
        }
        let clean = Self::open(other, PLUGINS.clone());
        clean.index();
        clean.content()
    }

    /// Whether the directory of this name is available.
    pub fn is_available(&self, root: &str) -> bool {
        let sql = format!("SELECT available FROM directories WHERE path LIKE '%/{root}'");
        self.number(&sql) == 1
    }
}

impl Default for Library {
    fn default() -> Self {
        Self::new()
    }
}

fn open_database(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

fn rows(database: &Connection, sql: &str) -> Vec<(String, String)> {
    let mut query = database.prepare(sql).unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// The index without ids: equal for two indexes of the same tree.
pub fn content(database: &Connection) -> Vec<(String, String)> {
    rows(
        database,
        "SELECT d.media_kind || ':' || o.path || '/' || f.name, \
         f.status || ' ' || f.size || ' ' || coalesce(f.failure_code, '') || ' ' || coalesce(t.title, '') || ' ' \
         || coalesce(r.title || r.track_count, '') || ' ' || coalesce(m.title || m.source_count, '') || ' ' \
         || coalesce(e.key, '') || ' ' || coalesce(s.title || s.episode_count, '') \
         FROM files f JOIN folders o USING (folder_id) JOIN directories d USING (directory_id) \
         LEFT JOIN music_tracks t ON t.track_id = f.file_id LEFT JOIN music_releases r USING (release_id) \
         LEFT JOIN video_sources v ON v.source_id = f.file_id LEFT JOIN movies m USING (movie_id) \
         LEFT JOIN tv_episodes e USING (episode_id) LEFT JOIN tv_shows s ON s.show_id = e.show_id \
         WHERE f.status <> 2 ORDER BY 1",
    )
}
