//! Byte-exactness: random ranges of every kind of file that the server streams, compared with the files.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use serde_json::Value;
use svc_tests::program::Server;

/// Ranges over all files.
const RANGES: usize = 100_000;
/// Pipelined requests per connection.
const PIPELINE: usize = 100;

/// SplitMix64: the same ranges in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// A `Range` header and the expected bytes.
fn range(random: &mut Random, length: u64) -> (String, std::ops::Range<u64>) {
    // Mostly short ranges: long ones would transfer terabytes.
    let longest = if random.below(100) == 0 {
        length
    } else {
        length.min(4096)
    };
    match random.below(4) {
        0 => {
            let count = 1 + random.below(longest);
            (format!("bytes=-{count}"), length - count..length)
        }
        1 => {
            let start = length - 1 - random.below(longest);
            (format!("bytes={start}-"), start..length)
        }
        2 => {
            // The range ends beyond the file.
            let start = length - 1 - random.below(longest);
            (
                format!("bytes={start}-{}", length + random.below(1000)),
                start..length,
            )
        }
        _ => {
            let start = random.below(length);
            let end = (start + random.below(longest)).min(length - 1);
            (format!("bytes={start}-{end}"), start..end + 1)
        }
    }
}

/// Reads one response: status, `Content-Range` and body.
fn answer(reader: &mut BufReader<TcpStream>) -> (String, String, Vec<u8>) {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut length, mut content_range) = (0, String::new());
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap(),
            "content-range" => value.trim().clone_into(&mut content_range),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (status, content_range, body)
}

fn compare(server: &Server, target: &str, file: &Path, ranges: usize, random: &mut Random) {
    let bytes = std::fs::read(file).unwrap();
    let length = bytes.len() as u64;
    let stream = TcpStream::connect(server.address()).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    let mut left = ranges;
    while left > 0 {
        let batch: Vec<_> = (0..left.min(PIPELINE)).map(|_| range(random, length)).collect();
        left -= batch.len();
        let requests: String = batch
            .iter()
            .map(|(range, _)| {
                format!(
                    "GET {target} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nRange: {range}\r\n\r\n",
                    server.address(),
                    server.token()
                )
            })
            .collect();
        // Requests are written by another thread, because the server stops reading while responses are unread.
        let sending = std::thread::scope(|scope| {
            let sending = scope.spawn(|| writer.write_all(requests.as_bytes()));
            for (asked, expected) in &batch {
                let (status, content_range, body) = answer(&mut reader);
                assert_eq!(status, "206", "{target} {asked}");
                let last = expected.end - 1;
                assert_eq!(content_range, format!("bytes {}-{last}/{length}", expected.start));
                let expected = &bytes[expected.start as usize..expected.end as usize];
                assert!(body == expected, "{target} {asked}");
            }
            sending.join().unwrap()
        });
        sending.unwrap();
    }
}

/// Streams with their files, matched by size.
fn streams(server: &Server, media: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let listed = |path: &str| server.get(path).json()[0].as_array().unwrap().clone();
    let id = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
    let changes = |root: &str| files(&media.join(root));
    for track in listed("/api/v1/music/tracks?take=1000") {
        let size = track["size"].as_u64().unwrap();
        if let Some(file) = unique(&changes("music"), size) {
            found.push((
                format!("/api/v1/music/stream/{}", id(&track, "musicTrackId")),
                file,
            ));
        }
    }
    for photo in listed("/api/v1/photos?take=1000") {
        let size = photo["size"].as_u64().unwrap();
        if let Some(file) = unique(&changes("photos"), size) {
            found.push((format!("/api/v1/photos/{}/original", id(&photo, "photoId")), file));
        }
    }
    for movie in listed("/api/v1/movies?take=1000") {
        for source in movie["sources"].as_array().unwrap() {
            let size = source["size"].as_u64().unwrap();
            if let Some(file) = unique(&changes("movies"), size) {
                let (movie, source) = (id(&movie, "movieId"), id(source, "sourceId"));
                found.push((format!("/api/v1/movies/{movie}/stream?sourceId={source}"), file));
            }
        }
    }
    for show in listed("/api/v1/tv/shows?take=1000") {
        let show = id(&show, "tvShowId");
        for episode in listed(&format!("/api/v1/tv/shows/{show}/episodes?take=1000")) {
            for source in episode["sources"].as_array().unwrap() {
                let size = source["size"].as_u64().unwrap();
                if let Some(file) = unique(&changes("tv"), size) {
                    let (episode, source) = (id(&episode, "tvEpisodeId"), id(source, "sourceId"));
                    let target = format!("/api/v1/tv/episodes/{episode}/stream?sourceId={source}");
                    found.push((target, file));
                }
            }
        }
    }
    found
}

/// The files below a directory, with their sizes.
fn files(directory: &Path) -> Vec<(u64, PathBuf)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            found.extend(files(&path));
        } else if metadata.is_file() {
            found.push((metadata.len(), path));
        }
    }
    found
}

fn unique(files: &[(u64, PathBuf)], size: u64) -> Option<PathBuf> {
    let mut equal = files.iter().filter(|(known, _)| *known == size);
    let first = equal.next()?;
    equal.next().is_none().then(|| first.1.clone())
}

#[test]
fn random_ranges_of_the_sample_files_equal_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().canonicalize().unwrap().join("media");
    svc_fixtures::sample_library(&media, 7).unwrap();
    let roots = ["music", "photos", "movies", "tv"].map(|kind| (format!("--{kind}-dir"), media.join(kind)));
    let arguments: Vec<&str> = roots
        .iter()
        .flat_map(|(option, root)| [option.as_str(), root.to_str().unwrap()])
        .collect();
    let server = Server::start_as_owner(&dir.path().join("data"), &arguments);
    server.index("quick");
    let streams = streams(&server, &media);
    let of = |part: &str| streams.iter().filter(|(target, _)| target.contains(part)).count();
    for kind in ["/music/", "/photos/", "/movies/", "/tv/"] {
        assert!(of(kind) > 0, "{kind} {streams:?}");
    }
    let mut random = Random(2026);
    let each = RANGES.div_ceil(streams.len());
    for (target, file) in &streams {
        compare(&server, target, file, each, &mut random);
    }
}
