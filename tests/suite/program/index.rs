//! The index of the real program: explanation of files, partial and dry runs, the change feed, watching.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;
use svc_fixtures::{Clip, Format, Track, VideoFormat};
use svc_tests::event_client::EventClient;
use svc_tests::program::{Server, wait_for};

fn write_track(path: &Path, title: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let track = Track::new(title).artist("Ann").release("Blue");
    std::fs::write(path, track.encode(Format::Mp3).unwrap().0).unwrap();
}

fn write_video(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let clip = Clip::movie("", 1000).tag("comment", path.to_str().unwrap());
    std::fs::write(path, clip.encode(VideoFormat::Mp4)).unwrap();
}

/// A server over `music` and `movies` below a temporary directory.
fn start() -> (tempfile::TempDir, Server) {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().canonicalize().unwrap();
    for root in ["music", "movies"] {
        std::fs::create_dir(media.join(root)).unwrap();
    }
    write_track(&media.join("music/a/1.mp3"), "One");
    write_video(&media.join("movies/Heat (1995)/Heat (1995).mp4"));
    std::fs::write(
        media.join("movies/Heat (1995)/movie.nfo"),
        "<movie><title>Heat</title><plot>A crew.</plot></movie>",
    )
    .unwrap();
    let (music, movies) = (media.join("music"), media.join("movies"));
    let arguments = [
        "--music-dir",
        music.to_str().unwrap(),
        "--movies-dir",
        movies.to_str().unwrap(),
    ];
    let server = Server::start_as_owner(&media.join("data"), &arguments);
    (dir, server)
}

fn explain(server: &Server, root: &str, path: &str) -> Value {
    let path = path.replace(' ', "%20");
    let answer = server.get(&format!("/api/v1/index/file?rootDir={root}&relativePath={path}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[covers("GET /api/v1/index/file")]
#[test]
fn file_is_explained_with_its_plugin_and_the_source_of_each_field() {
    let (dir, server) = start();
    let before = explain(&server, "movies", "Heat (1995)/Heat (1995).mp4");
    assert_eq!(before["indexed"], Value::Null);
    server.index("quick");
    let report = explain(&server, "movies", "Heat (1995)/Heat (1995).mp4");
    assert_eq!(
        (&report["indexed"]["status"], &report["now"]["skipped"]),
        (&json!("indexed"), &Value::Null)
    );
    assert_eq!(report["indexed"]["plugin"]["pluginId"], "movies");
    assert_eq!(report["indexed"]["itemType"], "movie");
    assert_eq!(report["now"]["related"], json!(["movie.nfo"]));
    let fields = report["now"]["fields"].as_array().unwrap();
    let source = |key: &str| {
        let field = fields.iter().find(|field| field["key"] == key);
        field.unwrap_or_else(|| panic!("no {key} in {fields:?}"))["source"].clone()
    };
    assert_eq!(
        (source("title"), source("movie.overview")),
        (json!("nfo"), json!("nfo"))
    );
    assert!(
        [json!("name"), json!("folder")].contains(&source("movie.year")),
        "{:?}",
        source("movie.year")
    );
    assert_eq!(source("video.container"), json!("file"));

    let music = dir.path().join("music");
    std::fs::write(music.join("notes.txt"), "x").unwrap();
    std::fs::write(music.join("broken.mp3"), "no music").unwrap();
    std::fs::write(music.join(".svcignore"), "/private/\n").unwrap();
    write_track(&music.join("private/2.mp3"), "Two");
    write_track(&music.join("quiet/3.mp3"), "Three");
    std::fs::write(music.join("quiet/.nomedia"), "").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", music.join("out.mp3")).unwrap();
    for (path, code) in [
        ("gone.mp3", "not_found"),
        ("notes.txt", "no_plugin"),
        ("a", "not_a_file"),
        (".hidden/1.mp3", "ignored_name"),
        ("private/2.mp3", "ignored_by_rule"),
        ("quiet/3.mp3", "no_media"),
        ("out.mp3", "not_a_file"),
    ] {
        assert_eq!(
            explain(&server, "music", path)["now"]["skipped"]["code"],
            code,
            "{path}"
        );
    }
    server.index("quick");
    let broken = explain(&server, "music", "broken.mp3");
    assert_eq!(broken["indexed"]["status"], "errored");
    assert_eq!(
        broken["indexed"]["failure"]["code"],
        broken["now"]["failure"]["code"]
    );
    for query in [
        "rootDir=music",
        "relativePath=a",
        "rootDir=music&relativePath=../x",
        "rootDir=tv&relativePath=a",
    ] {
        assert_eq!(
            server.get(&format!("/api/v1/index/file?{query}")).status,
            400,
            "{query}"
        );
    }
}

#[test]
fn run_scans_only_its_paths_and_a_dry_run_changes_nothing() {
    let (dir, server) = start();
    write_track(&dir.path().join("music/b/2.mp3"), "Two");
    let run = |body: Value| {
        let started = server.post("/api/v1/index/run", &body);
        assert_eq!(started.status, 201, "{started:?}");
        wait_for("the end of the run", || {
            server.get("/api/v1/index/state").json()["state"] == "idle"
        });
        let id = started.json()["runId"].as_str().unwrap().to_owned();
        server.get(&format!("/api/v1/index/runs/{id}")).json()
    };
    let dry = run(json!({ "type": "quick", "dryRun": true }));
    assert_eq!(
        (&dry["dryRun"], &dry["counts"]["music"]["added"]),
        (&json!(true), &json!(2))
    );
    assert_eq!(server.get("/api/v1/index/counts").json()["musicFiles"], 0);
    let part = run(json!({ "type": "quick", "paths": [{ "rootDir": "music", "path": "b" }] }));
    assert_eq!(part["paths"], json!([{ "rootDir": "music", "path": "b" }]));
    let counts = server.get("/api/v1/index/counts").json();
    assert_eq!(
        (&counts["musicFiles"], &counts["movieFiles"]),
        (&json!(1), &json!(0))
    );
    for (bad, status) in [
        (
            json!({ "type": "quick", "paths": [{ "rootDir": "music", "path": "../x" }] }),
            400,
        ),
        (
            json!({ "type": "quick", "paths": [{ "rootDir": "music", "path": "/etc" }] }),
            400,
        ),
        (
            json!({ "type": "quick", "paths": [{ "rootDir": "music", "path": "nowhere" }] }),
            404,
        ),
        (
            json!({ "type": "quick", "paths": [{ "rootDir": "tv", "path": "" }] }),
            404,
        ),
        (json!({ "type": "quick", "mediaKinds": ["tv"] }), 404),
    ] {
        assert_eq!(server.post("/api/v1/index/run", &bad).status, status, "{bad}");
    }
}

#[covers("GET /api/v1/changes")]
#[test]
fn changes_since_the_last_request_are_listed() {
    let (dir, server) = start();
    let start = server.get("/api/v1/changes").json();
    assert_eq!(start["changes"], json!([]));
    server.index("quick");
    let path = |next: &Value| format!("/api/v1/changes?since={next}");
    let first = server.get(&path(&start["next"])).json();
    let types: Vec<&str> = first["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    for expected in [
        "music_track.added",
        "music_release.added",
        "music_artist.added",
        "movie.added",
    ] {
        assert!(types.contains(&expected), "{types:?}");
    }
    std::fs::remove_file(dir.path().join("music/a/1.mp3")).unwrap();
    write_track(&dir.path().join("music/a/2.mp3"), "Another");
    server.index("quick");
    let second = server.get(&path(&first["next"])).json();
    let types: Vec<&str> = second["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert!(
        types.contains(&"music_track.missing") && types.contains(&"music_track.added"),
        "{types:?}"
    );
    assert_eq!(second["incomplete"], false);
    assert_eq!(server.get(&path(&second["next"])).json()["changes"], json!([]));
    assert_eq!(server.get(&path(&json!(i64::MAX))).json()["incomplete"], true);
    assert_eq!(server.get("/api/v1/changes?since=-1").status, 400);
}

#[covers("GET /api/v1/index/directories")]
#[test]
fn changed_file_and_unavailable_disk_are_published() {
    let (dir, server) = start();
    server.index("quick");
    let directories = || server.get("/api/v1/index/directories").json();
    server.watch(true);
    wait_for("the watch", || {
        directories()[0]["watcher"] == "ok" && directories()[1]["watcher"] == "ok"
    });
    let mut subscriber = EventClient::open(&server);
    let since = Instant::now();
    let new = Track::new("New")
        .artist("Zoe")
        .release("Red")
        .encode(Format::Mp3)
        .unwrap()
        .0;
    std::fs::write(dir.path().join("music/a/new.mp3"), new).unwrap();
    let event = loop {
        let event = subscriber.next_event().expect("the stream goes on");
        if event["type"] == "indexing.music_release_added" {
            break event;
        }
    };
    assert_eq!(event["payload"]["title"], "Red");
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    println!("the event of a new file arrived after {:?}", since.elapsed());
    wait_for("the end of the run", || {
        server.get("/api/v1/index/state").json()["state"] == "idle"
    });
    let runs = server.get("/api/v1/index/runs").json();
    assert_eq!(runs[0][0]["trigger"], "watch");

    std::fs::rename(dir.path().join("music"), dir.path().join("away")).unwrap();
    server.watch(false);
    wait_for("the end of watching", || directories()[0]["watcher"] == "off");
    server.index("quick");
    let event = loop {
        let event = subscriber.next_event().expect("the stream goes on");
        if event["type"] == "indexing.directory_changed" {
            break event;
        }
    };
    assert_eq!(
        (&event["payload"]["mediaKind"], &event["payload"]["available"]),
        (&json!("music"), &json!(false))
    );
    assert_eq!(directories()[0]["available"], false);
}
