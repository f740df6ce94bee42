//! A server on the sample library, over real connections.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;
use svc_fixtures::{VideoTruth, sample_library};
use svc_tests::program::Server;

fn started(dir: &std::path::Path) -> (Server, svc_fixtures::Manifest) {
    let media = dir.join("media");
    let manifest = sample_library(&media, 1).unwrap();
    let roots = ["music", "photos", "movies", "tv"];
    let roots = roots.map(|root| (format!("--{root}-dir"), media.join(root)));
    let arguments: Vec<&str> = roots
        .iter()
        .flat_map(|(flag, root)| [flag.as_str(), root.to_str().unwrap()])
        .collect();
    let server = Server::start_as_owner(&dir.join("data"), &arguments);
    (server, manifest)
}

/// All items of a list, page by page.
fn all(server: &Server, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    loop {
        let page = server.get(&format!("{path}?take=50&skip={}", items.len())).json();
        let (page, total) = (page[0].as_array().unwrap().clone(), page[1].as_u64().unwrap());
        items.extend(page);
        if items.len() as u64 >= total {
            return items;
        }
    }
}

#[test]
fn whole_sample_library_is_listed_and_streamed_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let (server, manifest) = started(dir.path());
    let run = server.index("quick");
    assert_eq!(run["status"], "completed", "{run}");
    let counts = server.get("/api/v1/index/counts").json();
    assert_eq!(counts["musicFiles"], manifest.tracks.len());
    assert_eq!(counts["photoFiles"], manifest.photos.len());

    let tracks = all(&server, "/api/v1/music/tracks");
    assert_eq!(tracks.len(), manifest.tracks.len());
    for wanted in &manifest.tracks {
        let Some(title) = &wanted.title else { continue };
        let found = tracks.iter().find(|track| {
            track["title"] == title.as_str()
                && track["artists"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|a| a["role"] == "artist")
                    .count()
                    == wanted.artists.len()
        });
        let found = found.unwrap_or_else(|| panic!("{title} by {:?} is not listed", wanted.artists));
        let bytes = fs::read(dir.path().join("media").join(&wanted.path)).unwrap();
        let id = found["musicTrackId"].as_str().unwrap();
        if found["size"] == bytes.len() {
            let whole = server.get(&format!("/api/v1/music/stream/{id}"));
            assert_eq!(whole.status, 200);
            assert!(whole.bytes == bytes, "{title} is streamed as it is on disk");
        }
    }
    let photos = all(&server, "/api/v1/photos");
    for wanted in &manifest.photos {
        let name = wanted.path.rsplit('/').next().unwrap();
        let photo = photos.iter().find(|photo| photo["fileName"] == name).unwrap();
        let original = server.get(&format!(
            "/api/v1/photos/{}/original",
            photo["photoId"].as_str().unwrap()
        ));
        assert!(original.bytes == fs::read(dir.path().join("media").join(&wanted.path)).unwrap());
    }
}

/// Streams each source of a movie or episode; returns the path of its file.
fn streamed(server: &Server, media: &Path, wanted: &[VideoTruth], stream: &str, item: &Value) -> Vec<String> {
    let sources = item["sources"].as_array().unwrap();
    let found = sources.iter().map(|source| {
        let id = source["sourceId"].as_str().unwrap();
        let bytes = server.get(&format!("{stream}?sourceId={id}")).bytes;
        let file = wanted
            .iter()
            .find(|video| fs::read(media.join(&video.path)).unwrap() == bytes);
        file.unwrap_or_else(|| panic!("no such file: {item}"))
            .path
            .clone()
    });
    found.collect()
}

#[test]
fn sample_movies_and_tv_shows_are_read_with_all_beside_them_and_streamed_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let (server, manifest) = started(dir.path());
    let media = dir.path().join("media");
    server.index("quick");
    let counts = server.get("/api/v1/index/counts").json();
    assert_eq!(counts["movieFiles"], manifest.movies.len());
    assert_eq!(counts["tvFiles"], manifest.episodes.len());
    let is_file = |path: &str, file: &str| {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(
            answer.bytes == fs::read(media.join(file)).unwrap(),
            "{path} is {file}"
        );
    };

    let movies = all(&server, "/api/v1/movies");
    let titles: Vec<_> = movies
        .iter()
        .map(|movie| movie["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles.len(), 5, "{titles:?}");
    let mut files = Vec::new();
    for movie in &movies {
        let stream = format!("/api/v1/movies/{}/stream", movie["movieId"].as_str().unwrap());
        files.extend(streamed(&server, &media, &manifest.movies, &stream, movie));
    }
    files.sort();
    let mut wanted: Vec<_> = manifest.movies.iter().map(|video| video.path.clone()).collect();
    wanted.sort();
    assert_eq!(files, wanted);
    let named = |title: &str| movies.iter().find(|movie| movie["title"] == title).unwrap();
    let lamplighter = named("The Lamplighter");
    assert_eq!(
        (
            &lamplighter["overview"],
            &lamplighter["externalIds"]["imdb"],
            &lamplighter["releasedAt"]
        ),
        (
            &json!("A town forgets to buy oil, and one man remembers."),
            &json!("tt9900001"),
            &json!("1987-10-02")
        )
    );
    assert_eq!(server.get("/api/v1/movies?genre=fantasy").json()[1], 1);
    let path = format!("/api/v1/movies/{}", lamplighter["movieId"].as_str().unwrap());
    is_file(
        &format!("{path}/artwork"),
        "movies/The Lamplighter (1987)/poster.jpg",
    );
    is_file(
        &format!("{path}/artwork?kind=fanart"),
        "movies/The Lamplighter (1987)/fanart.jpg",
    );
    let source = &lamplighter["sources"][0];
    let video = &source["videoStreams"][0];
    assert_eq!(
        (
            &video["codec"],
            &video["width"],
            &video["hdr"],
            &source["container"]
        ),
        (&json!("hevc"), &json!(3840), &json!("hdr10"), &json!("matroska"))
    );
    let languages = source["audioStreams"].as_array().unwrap().iter();
    let languages: Vec<_> = languages
        .map(|stream| stream["language"].as_str().unwrap())
        .collect();
    assert_eq!(languages, ["en", "de"]);
    assert_eq!(source["chapters"].as_array().unwrap().len(), 2);
    let subtitles = source["subtitles"].as_array().unwrap();
    let reported: Vec<_> = subtitles
        .iter()
        .map(|one| {
            (
                one["language"].as_str().unwrap(),
                one["forced"] == true,
                one["external"] == true,
            )
        })
        .collect();
    assert_eq!(reported.len(), 3, "{reported:?}");
    for (language, forced, name) in [("en", false, "en.srt"), ("de", true, "de.forced.srt")] {
        let at = reported
            .iter()
            .position(|one| *one == (language, forced, true))
            .unwrap();
        let id = subtitles[at]["subtitleId"].as_str().unwrap();
        let file = format!("movies/The Lamplighter (1987)/The Lamplighter (1987).{name}");
        is_file(&format!("/api/v1/subtitles/{id}"), &file);
    }
    let parts = named("Paper Tide")["sources"].as_array().unwrap().iter();
    let parts: Vec<_> = parts.map(|source| source["part"].clone()).collect();
    assert_eq!(parts, [1, 2]);
    let harbour = named("Glass Harbour")["sources"].as_array().unwrap();
    assert!(
        harbour.iter().any(|source| source["edition"] == "Director's Cut"),
        "{harbour:?}"
    );

    let shows = all(&server, "/api/v1/tv/shows");
    assert_eq!(shows.len(), 3, "{shows:?}");
    let tram = shows
        .iter()
        .find(|show| show["title"] == "The Long Tram")
        .unwrap();
    assert_eq!(
        (&tram["seasonCount"], &tram["overview"]),
        (&json!(3), &json!("A tram line without a last stop."))
    );
    let path = format!("/api/v1/tv/shows/{}", tram["tvShowId"].as_str().unwrap());
    is_file(&format!("{path}/artwork"), "tv/The Long Tram (2018)/poster.jpg");
    is_file(
        &format!("{path}/artwork?kind=backdrop"),
        "tv/The Long Tram (2018)/fanart.jpg",
    );
    let seasons = server.get(&format!("{path}/seasons")).json();
    let second = &seasons[0][2];
    assert_eq!(second["seasonNumber"], 2);
    is_file(
        second["artwork"].as_str().unwrap(),
        "tv/The Long Tram (2018)/season02-poster.jpg",
    );
    let mut files = Vec::new();
    for show in &shows {
        let path = format!("/api/v1/tv/shows/{}/episodes", show["tvShowId"].as_str().unwrap());
        for episode in &all(&server, &path) {
            let stream = format!(
                "/api/v1/tv/episodes/{}/stream",
                episode["tvEpisodeId"].as_str().unwrap()
            );
            files.extend(streamed(&server, &media, &manifest.episodes, &stream, episode));
            assert!(
                episode["parse"]["confidence"].as_f64().unwrap() > 0.5,
                "{episode}"
            );
        }
    }
    files.sort();
    let mut wanted: Vec<_> = manifest.episodes.iter().map(|video| video.path.clone()).collect();
    wanted.sort();
    assert_eq!(files, wanted);
    let tram = all(&server, &format!("{path}/episodes"));
    assert_eq!(
        (&tram[1]["title"], &tram[1]["airDate"]),
        (&json!("Departure"), &json!("2018-09-07"))
    );
    let thumb = "tv/The Long Tram (2018)/Season 01/The Long Tram S01E01 - Departure-thumb.jpg";
    is_file(tram[1]["artwork"].as_str().unwrap(), thumb);
    assert_eq!(
        (&tram[4]["episodeNumber"], &tram[4]["episodeNumberEnd"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn token_in_the_url_plays_and_ranges_are_cut_exactly() {
    let dir = tempfile::tempdir().unwrap();
    let (server, _) = started(dir.path());
    server.index("quick");
    let track = server.get("/api/v1/music/tracks?take=1").json()[0][0].clone();
    let path = format!("/api/v1/music/stream/{}", track["musicTrackId"].as_str().unwrap());
    let whole = server.get(&path);
    let part = server.request("GET", &path, &[("range", "bytes=10-19")], None);
    assert_eq!((part.status, part.bytes.as_slice()), (206, &whole.bytes[10..20]));
    assert_eq!(
        part.header("content-range").unwrap(),
        format!("bytes 10-19/{}", whole.bytes.len())
    );
    let again = server.request(
        "GET",
        &path,
        &[("if-none-match", whole.header("etag").unwrap())],
        None,
    );
    assert_eq!((again.status, again.bytes.len()), (304, 0));
    let with_token = format!("{path}?token={}", server.token());
    let played = server.request("GET", &with_token, &[("authorization", "")], None);
    assert_eq!(played.status, 200);
    assert!(played.bytes == whole.bytes);
}

#[test]
fn file_that_vanished_is_distinguished_from_an_unknown_one() {
    let dir = tempfile::tempdir().unwrap();
    let (server, _) = started(dir.path());
    server.index("quick");
    let track = server.get("/api/v1/music/tracks?take=1").json()[0][0].clone();
    let path = format!("/api/v1/music/stream/{}", track["musicTrackId"].as_str().unwrap());
    fs::rename(dir.path().join("media/music"), dir.path().join("media/away")).unwrap();
    let gone = server.get(&path);
    assert_eq!(
        (gone.status, gone.json()["code"].as_str()),
        (503, Some("storage_unavailable")),
        "{gone:?}"
    );
    assert_eq!(server.get("/api/v1/music/stream/0000000000001").status, 404);
    assert_eq!(server.get("/api/v1/health").status, 200);
}

#[covers("GET /api/v1/index/state")]
#[test]
fn index_state_follows_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let (server, _) = started(dir.path());
    let act = |action: &str| {
        server.request(
            "PATCH",
            "/api/v1/index/state",
            &[],
            Some(&json!({ "action": action })),
        )
    };
    assert_eq!(act("pause").status, 409);
    assert_eq!(act("resume").status, 200);
    assert_eq!(act("stop").status, 409);
    assert_eq!(act("dance").status, 400);
    assert_eq!(server.get("/api/v1/index/state").json()["state"], "idle");
}

#[covers("R39")]
#[test]
fn killed_server_comes_back_idle_with_all_it_had() {
    let dir = tempfile::tempdir().unwrap();
    let (server, manifest) = started(dir.path());
    server.index("quick");
    server.post("/api/v1/index/run", &json!({ "type": "full" }));
    server.kill();
    let (server, _) = started(dir.path());
    assert_eq!(server.get("/api/v1/index/state").json()["state"], "idle");
    assert_eq!(all(&server, "/api/v1/music/tracks").len(), manifest.tracks.len());
    assert_eq!(server.index("quick")["status"], "completed");
}

#[test]
fn terminated_server_ends_soon_even_with_a_client_connected() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"), &[]);
    let health = server.get("/api/v1/health");
    assert_eq!(health.status, 200);
    // A connection without a request, and an idle one.
    let silent = TcpStream::connect(server.address()).unwrap();
    let mut kept = TcpStream::connect(server.address()).unwrap();
    kept.write_all(b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .unwrap();
    assert_ne!(kept.read(&mut [0; 16]).unwrap(), 0);
    let asked = Instant::now();
    assert!(server.stop().success());
    // No request is in progress, so the shutdown does not wait.
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    drop((silent, kept));
}

#[test]
fn garbage_on_the_wire_ends_that_connection_only() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"), &[]);
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01"[..],
        b"GET \xff\xfe HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let address = server.address();
        let mut connection = TcpStream::connect(address).unwrap();
        connection.write_all(garbage).unwrap();
        connection.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        // The server may reset the connection instead of answering.
        let _ = connection.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"));
    }
    assert_eq!(server.get("/api/v1/health").status, 200);
}
