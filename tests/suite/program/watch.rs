//! Watching retries after a failed run.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;
use svc_fixtures::{Format, Track};
use svc_tests::program::{Server, serve, wait_for};

/// A server that watches its music, with one track in the index.
struct Watching {
    server: Server,
    dir: tempfile::TempDir,
}

impl Watching {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (music, data) = (dir.path().join("music"), dir.path().join("data"));
        track(&music.join("a/1.mp3"), "One");
        let mut command = serve(&data, &["--music-dir", music.to_str().unwrap()]);
        command.stderr(File::create(dir.path().join("log")).unwrap());
        let server = Server::spawn_as_owner(&mut command);
        server.index("quick");
        server.watch(true);
        let watching = Self { server, dir };
        wait_for("the watch", || watching.directory()["watcher"] == "ok");
        watching
    }

    fn directory(&self) -> Value {
        self.server.get("/api/v1/index/directories").json()[0].clone()
    }

    fn newest_run(&self) -> Value {
        self.server.get("/api/v1/index/runs?take=1").json()[0][0].clone()
    }

    fn tracks(&self) -> Value {
        self.server.get("/api/v1/index/counts").json()["musicFiles"].clone()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Makes the database reject inserts into this table.
    fn refuse(&self, table: &str) -> Connection {
        let database = Connection::open(self.at("data/svc.db")).unwrap();
        let trigger = format!(
            "CREATE TRIGGER refused BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'refused'); END"
        );
        database.execute_batch(&trigger).unwrap();
        database
    }
}

fn track(path: &Path, title: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let track = Track::new(title).artist("Ann").release("Blue");
    std::fs::write(path, track.encode(Format::Mp3).unwrap().0).unwrap();
}

#[test]
fn change_for_which_no_run_could_start_is_looked_at_later() {
    let watching = Watching::start();
    let database = watching.refuse("runs");
    track(&watching.at("music/b/2.mp3"), "Two");
    wait_for("a run that could not start", || {
        let log = std::fs::read_to_string(watching.at("log")).unwrap();
        log.contains("could not be started")
    });
    assert_eq!(watching.tracks(), 1);
    database.execute_batch("DROP TRIGGER refused").unwrap();
    wait_for("the track", || watching.tracks() == 2);
}

#[test]
fn change_at_which_a_run_broke_off_is_looked_at_later() {
    let watching = Watching::start();
    let database = watching.refuse("files");
    track(&watching.at("music/b/2.mp3"), "Two");
    wait_for("a run that failed", || {
        watching.newest_run()["status"] == "failed"
    });
    assert_eq!(watching.newest_run()["trigger"], "watch");
    database.execute_batch("DROP TRIGGER refused").unwrap();
    wait_for("the track", || watching.tracks() == 2);
}
