//! A plugin is upgraded and rolled back while clients read: nothing is lost, the preview comes true, and the records of
//! the version before come back from the database.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_test_support::archives::{Packed, zip};
use svc_test_support::databases;
use svc_tests::postgres::{Schema, block_on};
use svc_tests::program::{Server, program};

const FILES: usize = 10_000;
const FILES_PER_FOLDER: usize = 200;
/// A run over all files of a server that was built for tests.
const LONGEST_RUN: Duration = Duration::from_secs(600);

/// The plugin for comics as a plugin of its own, for the kind `strips`. It takes the writers from this element of
/// `ComicInfo.xml`.
fn plugin(version: &str, element: &str) -> Vec<u8> {
    let path = svc_tests::workspace().join("target/plugins/comics.wasm");
    let mut bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let version = format!("version = \"{version}\"");
    let writers = format!("x.strips.writers{element}");
    for (from, to) in [
        ("comics", "strips"),
        ("version = \"0.1.0\"", &version),
        ("x.strips.writerswriter", &writers),
    ] {
        let (from, to) = (from.as_bytes(), to.as_bytes());
        assert_eq!(from.len(), to.len(), "sections keep their sizes");
        let places: Vec<usize> = (0..bytes.len() - from.len())
            .filter(|&at| bytes[at..].starts_with(from))
            .collect();
        assert!(!places.is_empty(), "{}", String::from_utf8_lossy(from));
        for at in places {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

/// A comic of two pages. Versions that read writers and authors differ in two of three.
fn comic(number: usize, title: &str) -> Vec<u8> {
    let author = match number % 3 {
        0 => String::new(),
        1 => format!("<Author>Writer {}</Author>", number % 50),
        _ => format!("<Author>Author {}</Author>", number % 40),
    };
    let info = format!(
        "<?xml version=\"1.0\"?><ComicInfo><Title>{title}</Title><Series>Series {}</Series><Number>{number}</Number>\
         <Writer>Writer {}</Writer>{author}<Genre>Fantasy</Genre></ComicInfo>",
        number % 20,
        number % 50
    );
    let (first, second) = (page(number, 1), page(number, 2));
    zip(&[
        Packed::stored("ComicInfo.xml", info.as_bytes()),
        Packed::stored("1.png", &first),
        Packed::deflated("2.png", &second),
    ])
}

/// A page, which the server does not decode.
fn page(number: usize, page: u8) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x14\0\0\0\x1e\x08\x02\0\0\0".to_vec();
    bytes.extend(format!("{number} {page}").bytes());
    bytes
}

fn place(root: &Path, number: usize) -> PathBuf {
    root.join(format!("{:03}/{number:05}.cbz", number / FILES_PER_FOLDER))
}

fn list(server: &Server) -> Vec<Value> {
    let mut items = Vec::new();
    let mut path = "/api/v1/items?kind=strips&take=500".to_owned();
    loop {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{answer:?}");
        items.extend(answer.json()[0].as_array().unwrap().iter().cloned());
        let next = answer
            .header("link")
            .and_then(|link| link.split(['<', '>']).nth(1));
        match next {
            Some(next) => path = next.to_owned(),
            None => return items,
        }
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key}: {value}"))
}

/// What clients see of all items: the list by id, and of every hundredth the details with parts and bytes of the artwork
/// and of the pages.
fn seen(server: &Server) -> BTreeMap<String, (Value, Option<Vec<Vec<u8>>>)> {
    let of = |(at, item): (usize, Value)| {
        let id = text(&item, "itemId").to_owned();
        let rest = (at % 100 == 0).then(|| {
            let parts = ["", "/parts", "/artwork", "/pages", "/pages/1", "/pages/2"];
            let answers = parts.map(|part| server.get(&format!("/api/v1/items/{id}{part}")));
            assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
            answers.into_iter().map(|answer| answer.bytes).collect()
        });
        (id, (item, rest))
    };
    let mut items = list(server);
    items.sort_by(|a, b| text(a, "itemId").cmp(text(b, "itemId")));
    items.into_iter().enumerate().map(of).collect()
}

/// What the database has of files and items: all but the plugin that read a file.
const STORED: [&str; 5] = [
    "SELECT file_id, folder_id, name, size, mtime_ns, status, missing_since, failure_code, fingerprint, \
     related_stamp, record_digest FROM files",
    "SELECT * FROM item_files",
    "SELECT * FROM items",
    "SELECT * FROM item_values",
    "SELECT * FROM user_items",
];

/// The rows of `STORED`, each table in a fixed order.
fn stored_in_sqlite(data: &Path) -> Vec<Vec<String>> {
    let database = rusqlite::Connection::open(data.join("svc.db")).unwrap();
    let rows = STORED.map(|sql| {
        let mut statement = database.prepare(sql).unwrap();
        let columns = statement.column_count();
        let found = statement.query_map([], |row| {
            let values = (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at));
            Ok(format!("{:?}", values.collect::<Result<Vec<_>, _>>()?))
        });
        let mut rows: Vec<String> = found.unwrap().map(Result::unwrap).collect();
        rows.sort_unstable();
        rows
    });
    rows.into()
}

/// The same of a schema on PostgreSQL.
fn stored_in_postgres(url: &str) -> Vec<Vec<String>> {
    let rows = STORED.map(|sql| block_on(databases::postgres_rows(url, sql)));
    rows.into()
}

fn newest_run(server: &Server) -> Value {
    server.get("/api/v1/index/runs?take=1").json()[0][0].clone()
}

/// Waits for the end of the run that follows `before`.
fn run_after(server: &Server, before: &Value) -> Value {
    let deadline = Instant::now() + LONGEST_RUN;
    loop {
        let run = newest_run(server);
        if run["runId"] != before["runId"] && !matches!(text(&run, "status"), "running" | "paused") {
            assert_eq!(run["status"], "completed", "{run}");
            return run;
        }
        assert!(Instant::now() < deadline, "no end of the run: {run}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Lists items and reads pages until `end`; every answer is a success, and no item is missing.
fn read_along(server: &Server, ids: &[String], start: usize, end: &AtomicBool, requests: &AtomicU64) {
    let mut at = start;
    while !end.load(Ordering::Relaxed) {
        at = (at * 31 + 7) % ids.len();
        let page = server.get(&format!("/api/v1/items?kind=strips&take=50&skip={at}"));
        assert_eq!(page.status, 200, "{page:?}");
        let page = page.json();
        assert_eq!(page[1], json!(ids.len()));
        assert_eq!(page[0].as_array().unwrap().len(), 50.min(ids.len() - at));
        for part in ["", "/pages", "/pages/2"] {
            let answer = server.get(&format!("/api/v1/items/{}{part}", ids[at]));
            assert_eq!(answer.status, 200, "{part}: {answer:?}");
        }
        requests.fetch_add(4, Ordering::Relaxed);
    }
}

/// Runs a change of the plugin while two clients read; returns the run that follows it, and the number of requests.
fn while_clients_read(server: &Server, ids: &[String], change: impl FnOnce()) -> (Value, u64) {
    let (end, requests) = (AtomicBool::new(false), AtomicU64::new(0));
    let run = thread::scope(|scope| {
        let clients = [1, 2].map(|start| {
            let (end, requests) = (&end, &requests);
            scope.spawn(move || read_along(server, ids, start, end, requests))
        });
        let before = newest_run(server);
        change();
        let run = run_after(server, &before);
        end.store(true, Ordering::Relaxed);
        for client in clients {
            client.join().unwrap();
        }
        run
    });
    (run, requests.into_inner())
}

struct Upgrade {
    dir: tempfile::TempDir,
    server: Server,
}

impl Upgrade {
    fn start(files: usize, more: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let strips = dir.path().join("strips");
        for number in 0..files {
            let path = place(&strips, number);
            if number % FILES_PER_FOLDER == 0 {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            fs::write(path, comic(number, &format!("Title {number}"))).unwrap();
        }
        let root = format!("strips={}", strips.display());
        let arguments = [&["--root", root.as_str()], more].concat();
        let server = Server::start_as_owner(&dir.path().join("data"), &arguments);
        Self { dir, server }
    }

    /// Uploads a version; returns the digest to grant it with.
    fn upload(&self, version: &str, element: &str) -> String {
        let file = self.dir.path().join(format!("{version}.wasm"));
        fs::write(&file, plugin(version, element)).unwrap();
        let mut command = Command::new(program());
        let uploaded = command
            .args(["plugin", "--json", "install"])
            .arg(&file)
            .args(["--server", &format!("http://{}", self.server.address())])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("SVC_TOKEN", self.server.token())
            .output()
            .unwrap();
        let uploaded: Value = serde_json::from_slice(&uploaded.stdout).unwrap();
        let waiting = uploaded.get("candidate").unwrap_or(&uploaded);
        text(waiting, "digest").to_owned()
    }

    fn accept(&self, digest: &str) {
        let grants = json!({"grants": ["log", "related", "source"], "digest": digest});
        let accepted = self
            .server
            .request("PATCH", "/api/v1/plugins/strips", &[], Some(&grants));
        assert_eq!(accepted.json()["state"], "active", "{accepted:?}");
    }

    fn roll_back(&self) {
        let rolled_back = self.server.post("/api/v1/plugins/strips/rollback", &json!({}));
        assert_eq!(rolled_back.status, 201, "{rolled_back:?}");
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The title and the fields that the index has of a file; `items` are the ids of items by path.
    fn record(&self, relative: &str, items: &BTreeMap<String, String>) -> serde_json::Map<String, Value> {
        let id = &items[relative];
        let parts = self.server.get(&format!("/api/v1/items/{id}/parts")).json();
        let mut fields = parts[0]["fields"].as_object().unwrap().clone();
        fields.insert("title".to_owned(), parts[0]["title"].clone());
        fields
    }
}

/// The fields that differ, as a preview lists them.
fn differences(before: &serde_json::Map<String, Value>, after: &serde_json::Map<String, Value>) -> Value {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differing = names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name));
    differing
        .map(|name| json!({"field": name, "before": before.get(name), "after": after.get(name)}))
        .collect()
}

/// In SQLite, or in this schema on PostgreSQL.
fn upgrade_and_rollback(files: usize, schema: Option<&Schema>) {
    let more = schema.map_or(vec![], |schema| vec!["--database-url", schema.url.as_str()]);
    let upgrade = Upgrade::start(files, &more);
    let stored = || match schema {
        Some(schema) => stored_in_postgres(&schema.url),
        None => stored_in_sqlite(&upgrade.data()),
    };
    let server = &upgrade.server;
    let first = upgrade.upload("1.0.0", "writer");
    let before = newest_run(server);
    upgrade.accept(&first);
    let mut run = run_after(server, &before);
    // The run of the start may end only now.
    while run["counts"]["strips"]["added"] != json!(files) {
        run = run_after(server, &run);
    }
    let rated = text(&list(server)[files / 2], "itemId").to_owned();
    let rating = json!({"mediaType": "item", "mediaId": rated, "rating": 0.8});
    assert_eq!(
        server
            .request("PUT", "/api/v1/ratings", &[], Some(&rating))
            .status,
        200
    );
    let played = json!({"mediaType": "item", "mediaId": rated, "seconds": 1.0, "state": "paused"});
    assert_eq!(
        server
            .request("PATCH", "/api/v1/history", &[], Some(&played))
            .status,
        200
    );

    let (seen_first, stored_first) = (seen(server), stored());
    assert!(stored_first.iter().all(|rows| !rows.is_empty()));
    let ids: Vec<String> = seen_first.keys().cloned().collect();
    let by_path = |(id, (item, _)): (&String, &(Value, _))| {
        let number: usize = text(item, "title")["Title ".len()..].parse().unwrap();
        let path = place(Path::new(""), number).to_str().unwrap().to_owned();
        (path, id.clone())
    };
    let by_path: BTreeMap<String, String> = seen_first.iter().map(by_path).collect();
    assert_eq!(by_path.len(), files);

    let second = upgrade.upload("2.0.0", "author");
    let preview = server
        .post("/api/v1/plugins/strips/preview?files=60", &json!({}))
        .json();
    assert_eq!(preview["digest"], json!(second));
    let previewed = preview["files"].as_array().unwrap();
    assert_eq!(previewed.len(), 60, "{preview}");
    let path_of = |file: &Value| text(file, "relativePath").to_owned();
    let records: Vec<_> = previewed
        .iter()
        .map(|file| upgrade.record(&path_of(file), &by_path))
        .collect();
    let (run, requests) = while_clients_read(server, &ids, || upgrade.accept(&second));
    let counts = &run["counts"]["strips"];
    let same = (0..files).filter(|number| number % 3 == 1).count();
    assert_eq!(
        (&run["filesOpened"], &counts["updated"], &counts["unchanged"]),
        (&json!(files), &json!(files - same), &json!(same)),
        "{run}"
    );
    eprintln!(
        "upgrade of {files} files: {} s, {requests} requests",
        run["seconds"]
    );
    for (file, before) in previewed.iter().zip(&records) {
        let after = upgrade.record(&path_of(file), &by_path);
        assert_eq!(file["changes"], differences(before, &after), "{file}");
    }
    let changed = previewed
        .iter()
        .filter(|file| file["changes"] != json!([]))
        .count();
    assert!(
        (1..60).contains(&changed),
        "{changed} files of the preview change"
    );
    let (seen_second, stored_second) = (seen(server), stored());
    assert_ne!(seen_second, seen_first);
    if schema.is_none() {
        let database = rusqlite::Connection::open(upgrade.data().join("svc.db")).unwrap();
        let size = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'kept_readings%'";
        match database.query_row(size, [], |row| row.get::<_, i64>(0)) {
            Ok(bytes) => eprintln!("kept readings: {} bytes an item", bytes / files as i64),
            Err(error) => eprintln!("kept readings: not measured: {error}"),
        }
    }

    // Back, forward and back again, without opening a file.
    let (run, requests) = while_clients_read(server, &ids, || upgrade.roll_back());
    eprintln!(
        "rollback of {files} files: {} s, {requests} requests",
        run["seconds"]
    );
    assert_eq!(
        (&run["filesOpened"], &run["counts"]["strips"]["updated"]),
        (&json!(0), &json!(files - same)),
        "{run}"
    );
    assert!(seen(server) == seen_first, "every item is as it was");
    assert!(stored_first == stored(), "every row is as it was");
    let before = newest_run(server);
    upgrade.roll_back();
    assert_eq!(run_after(server, &before)["filesOpened"], 0);
    assert!(
        seen(server) == seen_second,
        "every item is as the second version read it"
    );
    assert!(stored_second == stored());

    // A file that changed meanwhile is read.
    let strips = upgrade.dir.path().join("strips");
    fs::write(place(&strips, 5), comic(5, "A longer title than before")).unwrap();
    let before = newest_run(server);
    upgrade.roll_back();
    assert_eq!(run_after(server, &before)["filesOpened"], 1);
    let mut seen_last = seen(server);
    let id = &by_path[place(Path::new(""), 5).to_str().unwrap()];
    assert_eq!(seen_last[id].0["title"], "A longer title than before");
    assert_eq!(
        seen_last[id].0["fields"]["x.strips.writers"],
        seen_first[id].0["fields"]["x.strips.writers"]
    );
    seen_last.insert(id.clone(), seen_first[id].clone());
    assert!(seen_last == seen_first);
}

#[test]
fn ten_thousand_items_are_upgraded_and_come_back_without_a_file_being_opened() {
    upgrade_and_rollback(FILES, None);
}

#[test]
fn upgrade_and_rollback_on_postgres_lose_nothing() {
    let Some(schema) = Schema::create() else {
        return;
    };
    upgrade_and_rollback(2_000, Some(&schema));
}
