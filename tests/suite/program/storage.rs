//! A full data disk fails the run with a reason; stored data stays readable, and the next run recovers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::event_client::EventClient;
use svc_tests::indexed;
use svc_tests::program::{Server, serve, svc};

/// Size of the disk, and free space at the start of the scan: less than it needs.
const DISK: &str = "40m";
const LEFT: u64 = 600 * 1024;
const TRACKS: usize = 1500;
const PHOTOS: usize = 300;

/// Mounts a small disk in a mount namespace of its own, and executes a command there.
const ON_A_SMALL_DISK: &str = r#"mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@""#;

fn unshared() -> Command {
    let mut command = Command::new("unshare");
    command
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            ON_A_SMALL_DISK,
            "sh",
        ])
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .stdin(Stdio::null());
    command
}

/// Whether unprivileged mount namespaces are available.
fn can_unshare(place: &Path) -> bool {
    let probe = unshared()
        .args([DISK, place.to_str().unwrap(), "true"])
        .stderr(Stdio::null())
        .status();
    probe.is_ok_and(|status| status.success())
}

/// The command of a server with its data on a small disk.
fn serve_on_small_disk(data: &Path, arguments: &[&str], log: &Path) -> Command {
    let inner = serve(data, arguments);
    let mut command = unshared();
    command
        .args([DISK, data.to_str().unwrap()])
        .arg(inner.get_program())
        .args(inner.get_args())
        .env("SVC_LOG", "info")
        .stderr(std::fs::File::create(log).unwrap());
    command
}

/// Fills the disk except for this many bytes.
fn fill(disk: &Path, left: u64) -> PathBuf {
    let free = rustix::fs::statvfs(disk).unwrap();
    let free = free.f_bavail * free.f_frsize;
    let ballast = disk.join("ballast");
    std::fs::write(&ballast, vec![1; usize::try_from(free - left).unwrap()]).unwrap();
    ballast
}

/// A copy of the index: SQLite cannot open the path outside of the mount namespace.
fn open(data: &Path) -> Connection {
    let copy = tempfile::tempdir().unwrap();
    for name in ["svc.db", "svc.db-wal"] {
        if data.join(name).exists() {
            std::fs::copy(data.join(name), copy.path().join(name)).unwrap();
        }
    }
    let database = Connection::open(copy.path().join("svc.db")).unwrap();
    let check: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    let broken: i64 = database
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(broken, 0, "rows that point nowhere");
    database
}

fn total(server: &Server, path: &str) -> i64 {
    let answer = server.get(path);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()[1].as_i64().unwrap()
}

#[covers("code storage_full")]
#[test]
fn disk_that_runs_full_in_a_scan_fails_the_run_alone_and_the_next_one_with_room_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (music, photos, data) = (root.join("music"), root.join("photos"), root.join("data"));
    std::fs::create_dir(&data).unwrap();
    if !can_unshare(&data) {
        svc_tests::skipped("a full disk: unshare is not allowed here");
        return;
    }
    svc_fixtures::many_files(&music, TRACKS, 11).unwrap();
    svc_fixtures::many_photos(&photos, PHOTOS, 11).unwrap();
    let roots = [
        "--music-dir",
        music.to_str().unwrap(),
        "--photos-dir",
        photos.to_str().unwrap(),
    ];
    let log = root.join("log");
    let server = Server::spawn_as_owner(&mut serve_on_small_disk(&data, &roots, &log));
    // The disk within the server's mount namespace.
    let seen = PathBuf::from(format!("/proc/{}/root{}", server.pid(), data.display()));
    assert!(!data.join("svc.db").exists() && seen.join("svc.db").exists());
    let mut event_client = EventClient::open(&server);
    let ballast = fill(&seen, LEFT);

    let run = server.index("quick");
    assert_eq!(run["status"], "failed", "{run}");
    let warnings = run["warnings"].to_string();
    assert!(warnings.contains("no space is left"), "{run}");
    let ended = loop {
        let event = event_client.next_event().expect("the stream goes on");
        if ["indexing.stopped", "indexing.completed"].contains(&event["type"].as_str().unwrap()) {
            break event;
        }
    };
    assert_eq!(
        (
            &ended["type"],
            &ended["payload"]["status"],
            &ended["payload"]["runId"]
        ),
        (&json!("indexing.stopped"), &json!("failed"), &run["runId"])
    );
    // Stored data is readable; writes fail with an error.
    let stored = total(&server, "/api/v1/music/tracks") + total(&server, "/api/v1/photos");
    assert!(stored < (TRACKS + PHOTOS) as i64, "{stored} fit");
    println!("{stored} of {} files fit", TRACKS + PHOTOS);
    assert_eq!(server.get("/api/v1/health").status, 200);
    let page = server.get("/api/v1/music/tracks?take=10").json();
    for track in page[0].as_array().unwrap() {
        let stream = format!("/api/v1/music/stream/{}", track["musicTrackId"].as_str().unwrap());
        assert_eq!(server.get(&stream).status, 200);
    }
    drop(open(&seen));
    let mut refused = Vec::new();
    for number in 0..200 {
        let album = json!({ "name": format!("Album {number}"), "description": "x".repeat(2000) });
        let made = server.post("/api/v1/photo-albums", &album);
        if made.status != 201 {
            refused.push((made.status, made.json()["code"].clone()));
        }
    }
    let full: Value = "storage_full".into();
    assert!(!refused.is_empty(), "all albums fit on a full disk");
    assert!(
        refused.iter().all(|refusal| *refusal == (503, full.clone())),
        "{refused:?}"
    );
    println!("{} of 200 albums were refused", refused.len());
    // Still full: the run fails again, and the server becomes idle.
    let again = server.post("/api/v1/index/run", &json!({ "type": "quick" }));
    let is_full = again.json()["code"] == full;
    assert_eq!(again.status, if is_full { 503 } else { 201 }, "{again:?}");
    svc_tests::program::wait_for("the end of the run", || {
        server.get("/api/v1/index/state").json()["state"] == "idle"
    });

    std::fs::remove_file(&ballast).unwrap();
    let run = server.index("quick");
    assert_eq!(run["status"], "completed", "{run}");
    let clean = root.join("clean");
    let indexed = svc(&["index", "--data-dir", clean.to_str().unwrap()])
        .args(roots)
        .output()
        .unwrap();
    assert!(indexed.status.success(), "{indexed:?}");
    let content = indexed::content(&open(&seen));
    assert_eq!(content.len(), TRACKS + PHOTOS);
    assert_eq!(content, indexed::content(&open(&clean)));
    assert_eq!(total(&server, "/api/v1/music/tracks"), TRACKS as i64);
    let album = json!({ "name": "There is room" });
    assert_eq!(server.post("/api/v1/photo-albums", &album).status, 201);
    assert!(server.stop().success());
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(!log.contains("panicked"), "{log}");
    assert!(log.contains("no space is left for the database"), "{log}");
}
