//! Events of the real program: of a real scan, and the end of the program with streams open.

use std::time::{Duration, Instant, SystemTime};

use serde_json::json;
use svc_fixtures::sample_library;
use svc_tests::event_client::EventClient;
use svc_tests::program::Server;

/// Docker kills after ten seconds.
const END_TIME: Duration = Duration::from_secs(8);

#[test]
fn scan_is_reported_from_its_beginning_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().join("media");
    let manifest = sample_library(&media, 1).unwrap();
    let music = media.join("music");
    let arguments = ["--music-dir", music.to_str().unwrap()];
    let server = Server::start_as_owner(&dir.path().join("data"), &arguments);
    let mut event_client = EventClient::open(&server);
    let run = server.index("quick");
    let mut events = Vec::new();
    loop {
        let event = event_client.next_event().expect("the stream goes on");
        let is_last = event["type"] == "indexing.completed";
        events.push(event);
        if is_last {
            break;
        }
    }
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!(events[0]["type"], "indexing.started");
    assert_eq!(events[0]["payload"]["runId"], run["runId"]);
    assert_eq!((of("indexing.started"), of("indexing.completed")), (1, 1));
    assert!(of("indexing.current_progress") > 0);
    let end = &events.last().unwrap()["payload"];
    assert_eq!(end["counts"]["music"]["found"], manifest.tracks.len());
    for (kind, id, path) in [
        ("indexing.music_artist_added", "musicArtistId", "artists"),
        ("indexing.music_release_added", "musicReleaseId", "releases"),
    ] {
        assert!(of(kind) > 0, "{kind}");
        for event in events.iter().filter(|event| event["type"] == kind) {
            let id = event["payload"][id].as_str().unwrap();
            assert_eq!(server.get(&format!("/api/v1/music/{path}/{id}")).status, 200);
        }
    }
}

#[test]
fn photo_that_a_scan_reads_again_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().join("media");
    let manifest = sample_library(&media, 1).unwrap();
    let photos = media.join("photos");
    let arguments = ["--photos-dir", photos.to_str().unwrap()];
    let server = Server::start_as_owner(&dir.path().join("data"), &arguments);
    server.index("quick");
    let mut event_client = EventClient::open(&server);
    let changed = media.join(&manifest.photos[0].path);
    let file = std::fs::File::options().write(true).open(&changed).unwrap();
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    file.set_modified(moment).unwrap();
    let run = server.index("quick");
    let mut updated = Vec::new();
    loop {
        let event = event_client.next_event().expect("the stream goes on");
        if event["type"] == "photo.updated" {
            updated.push(event["payload"]["photoId"].as_str().unwrap().to_owned());
        }
        if event["type"] == "indexing.completed" && event["payload"]["runId"] == run["runId"] {
            break;
        }
    }
    assert_eq!(updated.len(), 1, "{updated:?}");
    let photo = server.get(&format!("/api/v1/photos/{}", updated[0])).json();
    let name = changed.file_name().unwrap().to_str().unwrap();
    assert_eq!(photo["fileName"], name);
}

#[test]
fn terminated_server_ends_in_time_with_hundreds_of_streams_and_a_scan() {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().join("media");
    sample_library(&media, 2).unwrap();
    let music = media.join("music");
    let arguments = ["--music-dir", music.to_str().unwrap()];
    let server = Server::start_as_owner(&dir.path().join("data"), &arguments);
    let mut event_clients: Vec<_> = (0..300).map(|_| EventClient::open(&server)).collect();
    server.post("/api/v1/index/run", &json!({ "type": "full" }));
    let since = Instant::now();
    assert!(server.stop().success());
    assert!(since.elapsed() < END_TIME, "{:?}", since.elapsed());
    for event_client in &mut event_clients {
        while event_client.next_event().is_some() {}
    }
}
