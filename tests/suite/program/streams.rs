//! Streams of files that are changed or truncated meanwhile, and the memory of open streams.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use svc_covers::covers;
use svc_fixtures::audio::{Format, Sound, encode};
use svc_tests::program::{Server, memory_of, serve, wait_for};

const MIB: usize = 1024 * 1024;
/// Far more than socket buffers hold.
const BIG: usize = 64 * MIB;
/// The length after truncation: beyond what streams have read and the kernel has buffered.
const LEFT: usize = 24 * MIB;
/// Numbers of streams of the truncated file and of others.
const STREAMS: usize = 6;
/// Streams that are open at once when their memory is measured.
const OPEN: usize = 300;
/// The maximum memory per stream.
const BYTES_A_STREAM: u64 = 48 * 1024;

/// A WAV file with unique contents.
fn wave(length: usize, seed: u64) -> Vec<u8> {
    let sound = Sound {
        milliseconds: 100,
        ..Sound::default()
    };
    let mut bytes = encode(&sound, Format::Wav).bytes;
    bytes.truncate(44);
    let mut random = seed;
    while bytes.len() < length {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        bytes.extend(random.to_le_bytes());
    }
    bytes.truncate(length);
    let data = u32::try_from(length - 44).unwrap();
    bytes[40..44].copy_from_slice(&data.to_le_bytes());
    bytes[4..8].copy_from_slice(&(data + 36).to_le_bytes());
    bytes
}

/// A stream after its head, with its `Content-Length`.
struct Stream {
    reader: BufReader<TcpStream>,
    promised: usize,
    body: Vec<u8>,
}

impl Stream {
    fn open(server: &Server, path: &str) -> Self {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
            server.token()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::with_capacity(4096, stream);
        let (mut line, mut promised) = (String::new(), 0);
        reader.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
            if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                promised = length.trim().parse().unwrap();
            }
        }
        Self {
            reader,
            promised,
            body: Vec::new(),
        }
    }

    /// Reads this many bytes.
    fn read(&mut self, count: usize) {
        let before = self.body.len();
        self.body.resize(before + count, 0);
        self.reader.read_exact(&mut self.body[before..]).unwrap();
    }

    /// Reads to the end of the body or the connection.
    fn read_to_end(&mut self) {
        let left = self.promised - self.body.len();
        // A connection that is reset has ended as well.
        let _ = (&mut self.reader).take(left as u64).read_to_end(&mut self.body);
    }

    /// Whether the server has closed the connection.
    fn is_closed(&mut self) -> bool {
        matches!(self.reader.read(&mut [0; 1]), Ok(0))
            || self
                .reader
                .get_ref()
                .take_error()
                .is_ok_and(|error| error.is_some())
    }
}

/// The stream of each file, by its name.
fn stream_of(server: &Server, name: &str) -> String {
    let tracks = server.get("/api/v1/music/tracks?take=100").json();
    let tracks = tracks[0].as_array().unwrap().clone();
    let track = tracks.iter().find(|track| track["title"] == name);
    let track = track.unwrap_or_else(|| panic!("no {name} in {tracks:?}"));
    format!("/api/v1/music/stream/{}", track["musicTrackId"].as_str().unwrap())
}

fn start(media: &Path, data: &Path, log: &Path) -> Server {
    let log = std::fs::File::create(log).unwrap();
    let mut command = serve(data, &["--music-dir", media.to_str().unwrap()]);
    let server = Server::spawn_as_owner(command.stderr(log));
    let run = server.index("quick");
    assert_eq!(run["status"], "completed", "{run}");
    server
}

#[test]
fn file_that_is_cut_while_it_is_streamed_ends_its_streams_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let (media, log) = (dir.path().join("music"), dir.path().join("log"));
    std::fs::create_dir(&media).unwrap();
    let (cut, whole) = (wave(BIG, 1), wave(BIG / 2, 2));
    std::fs::write(media.join("cut.wav"), &cut).unwrap();
    std::fs::write(media.join("whole.wav"), &whole).unwrap();
    let server = start(&media, &dir.path().join("data"), &log);
    let (cut_path, whole_path) = (stream_of(&server, "cut"), stream_of(&server, "whole"));
    let mut of_cut: Vec<Stream> = (0..STREAMS).map(|_| Stream::open(&server, &cut_path)).collect();
    let mut of_whole: Vec<Stream> = (0..STREAMS).map(|_| Stream::open(&server, &whole_path)).collect();
    for (at, stream) in of_cut.iter_mut().chain(&mut of_whole).enumerate() {
        stream.read(MIB / 4 * (at + 1));
    }
    let file = std::fs::File::options()
        .write(true)
        .open(media.join("cut.wav"))
        .unwrap();
    file.set_len(LEFT as u64).unwrap();
    for stream in &mut of_cut {
        assert_eq!(stream.promised, BIG);
        stream.read_to_end();
        let length = stream.body.len();
        assert!((MIB..=LEFT).contains(&length), "{length}");
        assert!(stream.body == cut[..length], "bytes that were never in the file");
        assert!(stream.is_closed(), "the rest is waited for");
    }
    for stream in &mut of_whole {
        stream.read_to_end();
        assert!(stream.body == whole, "{} of {}", stream.body.len(), whole.len());
    }
    // The current file is served; a deleted one is 404.
    let mut again = Stream::open(&server, &cut_path);
    again.read_to_end();
    assert!(again.promised == LEFT && again.body == cut[..LEFT]);
    std::fs::remove_file(media.join("cut.wav")).unwrap();
    let gone = server.get(&cut_path);
    assert_eq!((gone.status, &gone.json()["code"]), (404, &"file_missing".into()));
    // On the connection of a stream that was read to its end, the next request is answered.
    let mut again = Stream::open(&server, &whole_path);
    again.read_to_end();
    assert!(again.body == whole);
    assert_eq!(server.get("/api/v1/health").status, 200);
    assert!(server.stop().success());
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}

#[covers("limit FILE_PART_BYTES")]
#[test]
fn pipelined_requests_are_answered_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let (media, log) = (dir.path().join("music"), dir.path().join("log"));
    std::fs::create_dir(&media).unwrap();
    let content = wave(4 * MIB, 3);
    std::fs::write(media.join("whole.wav"), &content).unwrap();
    let server = start(&media, &dir.path().join("data"), &log);
    let path = stream_of(&server, "whole");
    // Large bodies by `sendfile`, small ones by reads, and one without a body.
    let ranges = [
        (0, 3 * MIB),
        (7, 20),
        (MIB + 1, MIB),
        (5, 1),
        (0, 4 * MIB),
        (9, 70_000),
    ];
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut requests = String::new();
    for (start, length) in ranges {
        for method in ["GET", "HEAD"] {
            let end = start + length - 1;
            requests += &format!(
                "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\nrange: bytes={start}-{end}\r\n\r\n",
                server.token()
            );
        }
    }
    stream.write_all(requests.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    for (start, length) in ranges {
        for is_head in [false, true] {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
            }
            // Ranges apply to GET only (RFC 9110, 14.2).
            let (status, promised, sent) = match is_head {
                true => (200, content.len(), 0),
                false => (206, length, length),
            };
            assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
            assert!(
                head.contains(&format!("content-length: {promised}\r\n")),
                "{head}"
            );
            let mut body = vec![0; sent];
            reader.read_exact(&mut body).unwrap();
            assert!(body == content[start..start + sent], "{length} from {start}");
        }
    }
    assert!(server.stop().success());
}

#[test]
fn unread_streams_use_bounded_memory() {
    let dir = tempfile::tempdir().unwrap();
    let (media, log) = (dir.path().join("music"), dir.path().join("log"));
    std::fs::create_dir(&media).unwrap();
    std::fs::write(media.join("big.wav"), wave(BIG, 1)).unwrap();
    let server = start(&media, &dir.path().join("data"), &log);
    let path = stream_of(&server, "big");
    let memory = || memory_of(server.pid(), "RssAnon").unwrap();
    // The memory is stable after the sockets are full.
    let settled = || {
        let mut last = memory();
        wait_for("memory that stays as it is", || {
            std::thread::sleep(Duration::from_millis(200));
            let now = memory();
            now.abs_diff(std::mem::replace(&mut last, now)) < MIB as u64 / 16
        });
        memory()
    };
    // Memory of the first streams is allocated once.
    let first: Vec<Stream> = (0..20).map(|_| Stream::open(&server, &path)).collect();
    drop(first);
    let before = settled();
    let streams: Vec<Stream> = (0..OPEN).map(|_| Stream::open(&server, &path)).collect();
    let each = settled().saturating_sub(before) / OPEN as u64;
    println!("{OPEN} open streams cost {} KiB each", each / 1024);
    assert!(each <= BYTES_A_STREAM, "{each}");
    drop(streams);
    assert!(server.stop().success());
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}
