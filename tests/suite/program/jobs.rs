//! Jobs of the real program: interrupted and continued, and a backup that is restored.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::program::{Server, wait_for};

fn server(dir: &Path, data: &str) -> Server {
    let media = dir.join("media");
    Server::start_as_owner(&dir.join(data), &["--music-dir", media.to_str().unwrap()])
}

fn library(dir: &Path, files: usize) -> usize {
    let media = dir.join("media");
    std::fs::create_dir(&media).unwrap();
    svc_fixtures::many_files(&media, files, 20_261_121).unwrap().len()
}

fn ask(server: &Server, body: &Value) -> String {
    let made = server.post("/api/v1/jobs", body);
    assert_eq!(made.status, 201, "{made:?}");
    format!("/api/v1/jobs/{}", made.json()["jobId"].as_str().unwrap())
}

/// Waits for the end of a job.
fn ended(server: &Server, job: &str) -> Value {
    wait_for("the end of the job", || {
        let status = server.get(job).json()["status"].clone();
        status != "queued" && status != "running"
    });
    server.get(job).json()
}

/// Numbers of files marked for re-reading and of all files.
fn marked(data: &Path) -> (i64, i64) {
    let connection = rusqlite::Connection::open(data.join("svc.db")).unwrap();
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get(0)).unwrap();
    (
        count("SELECT count(*) FROM files JOIN plugins_seen USING (plugin_ref) WHERE digest = ''"),
        count("SELECT count(*) FROM files"),
    )
}

#[covers("GET /api/v1/jobs/{jobId}")]
#[test]
fn job_of_a_killed_server_continues_until_all_items_are_done() {
    let dir = tempfile::tempdir().unwrap();
    let files = library(dir.path(), 600);
    let first = server(dir.path(), "data");
    first.index("quick");
    let job = ask(
        &first,
        &json!({"type": "reextract", "parameters": {"mediaKind": "music"}}),
    );
    let data = dir.path().join("data");
    let mut running = first;
    for wait in [30, 200, 400] {
        std::thread::sleep(Duration::from_millis(wait));
        running.kill();
        running = server(dir.path(), "data");
    }
    let done = ended(&running, &job);
    assert_eq!(done["status"], "completed", "{done}");
    assert!(done["totalTasks"].as_u64().unwrap() >= files as u64, "{done}");
    assert_eq!(marked(&data), (0, files as i64), "all are read again");
    let verified = ended(&running, &ask(&running, &json!({"type": "verify"})));
    assert_eq!(verified["result"]["database"], "ok");
    assert_eq!(
        (&verified["completedTasks"], &verified["failedTasks"]),
        (&json!(files), &json!(0))
    );
}

#[test]
fn terminated_server_leaves_its_jobs_and_ends_soon() {
    let dir = tempfile::tempdir().unwrap();
    library(dir.path(), 300);
    let first = server(dir.path(), "data");
    first.index("quick");
    let job = ask(
        &first,
        &json!({"type": "reextract", "parameters": {"mediaKind": "music"}}),
    );
    let begun = std::time::Instant::now();
    assert!(first.stop().success());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let second = server(dir.path(), "data");
    let done = ended(&second, &job);
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(marked(&dir.path().join("data")).0, 0);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn restored_backup_is_the_same_server() {
    let dir = tempfile::tempdir().unwrap();
    let files = library(dir.path(), 20);
    let before = server(dir.path(), "data");
    before.index("quick");
    let tracks = before.get("/api/v1/music/tracks?take=100").json();
    assert_eq!(tracks[1], files);
    let instance = before.get("/api/v1/instance").json();
    let token = before.token().to_owned();
    let job = ended(&before, &ask(&before, &json!({"type": "backup"})));
    assert_eq!(job["status"], "completed", "{job}");
    before.kill();
    let backup = dir
        .path()
        .join("data/backups")
        .join(job["result"]["name"].as_str().unwrap());
    copy(&backup, &dir.path().join("restored"));
    // The old password works, and the setup is closed.
    let after = server(dir.path(), "restored");
    assert_eq!(after.get("/api/v1/instance").json(), instance);
    assert_eq!(after.get("/api/v1/music/tracks?take=100").json(), tracks);
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let known = after.request("GET", "/api/v1/users/current", &headers, None);
    assert_eq!(known.status, 200, "the key that signs is the same");
    let run = after.index("quick");
    assert_eq!(run["filesOpened"], 0, "nothing is read again");
}
