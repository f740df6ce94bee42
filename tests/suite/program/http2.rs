//! HTTP/2 clients that read no responses, and clients that send no requests.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use svc_covers::covers;
use svc_fixtures::sample_library;
use svc_tests::program::{Server, memory_of, wait_for};
use tokio::net::TcpSocket;
use tokio::runtime::Runtime;

const MIB: u64 = 1024 * 1024;
/// Stalled connections, and streams on each.
const STALLED: usize = 12;
const REQUESTS: usize = 128;
/// More connections than the server accepts.
const IDLE: usize = 12_200;
/// Other open files of test and server.
const OTHER_FILES: u64 = 200;

fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap()
}

/// Opens connections with a window of 0 and the maximum of streams for a path.
async fn stall(server: &Server, path: &str) {
    for _ in 0..STALLED {
        let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        let mut builder = h2::client::Builder::new();
        let handshake = builder
            .initial_window_size(0)
            .handshake::<_, &'static [u8]>(stream);
        let (client, connection) = handshake.await.unwrap();
        let driver = tokio::task::spawn_local(connection);
        let mut client = client.ready().await.unwrap();
        let mut answers = Vec::new();
        for _ in 0..REQUESTS {
            client = client.ready().await.unwrap();
            let request = ureq::http::Request::builder()
                .uri(format!("http://svc{path}"))
                .header("authorization", format!("Bearer {}", server.token()))
                .body(())
                .unwrap();
            answers.push(client.send_request(request, true).unwrap());
        }
        tokio::task::spawn_local(async move {
            let mut held = Vec::new();
            for (answer, stream) in answers {
                held.push((answer.await, stream));
            }
            // Kept until the connection ends.
            drop((driver.await, held, client));
        });
    }
}

#[covers("limit H2_QUEUED_BYTES", "S2")]
#[test]
fn connections_that_take_nothing_cost_at_most_a_mebibyte_each() {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().join("media");
    sample_library(&media, 1).unwrap();
    let roots = ["music", "photos", "movies", "tv"];
    let roots = roots.map(|root| (format!("--{root}-dir"), media.join(root)));
    let arguments: Vec<&str> = roots
        .iter()
        .flat_map(|(flag, root)| [flag.as_str(), root.to_str().unwrap()])
        .collect();
    let server = Server::start_as_owner(&dir.path().join("data"), &arguments);
    server.index("quick");
    let first = |list: &str, id: &str| server.get(&format!("{list}?take=1")).json()[0][0][id].clone();
    let track = first("/api/v1/music/tracks", "musicTrackId");
    let photo = first("/api/v1/photos", "photoId");
    let paths = [
        "/api/docs/swagger-ui-bundle.js".to_owned(),
        "/api/docs-json".to_owned(),
        "/api".to_owned(),
        "/api/v1/music/tracks?take=1000".to_owned(),
        "/api/v1/photos?take=1000".to_owned(),
        format!("/api/v1/music/stream/{}", track.as_str().unwrap()),
        format!("/api/v1/photos/{}/original", photo.as_str().unwrap()),
    ];
    let memory = || memory_of(server.pid(), "RssAnon").unwrap();
    for path in &paths {
        assert_eq!(server.get(path).status, 200, "{path}");
        let mut before = 0;
        // Memory of the first connections is allocated once.
        for is_measured in [false, true] {
            let (runtime, tasks) = (runtime(), tokio::task::LocalSet::new());
            before = if is_measured { memory() } else { before };
            // The memory does not grow after all buffers are full.
            let settled = async {
                stall(&server, path).await;
                let mut last = memory();
                loop {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    let now = memory();
                    if now.abs_diff(std::mem::replace(&mut last, now)) < MIB / 16 {
                        return now;
                    }
                }
            };
            let after = tasks.block_on(&runtime, settled);
            let each = after.saturating_sub(before) / STALLED as u64;
            if is_measured {
                println!("{path}: {} KiB a connection", each / 1024);
                assert!(each <= MIB, "{path}: {each}");
            }
            drop((tasks, runtime));
            assert_eq!(server.get("/api/v1/health").status, 200);
        }
    }
    assert!(server.stop().success());
}

/// Requests `/health` from another local address.
async fn health_from(address: SocketAddr, last: u8) -> std::io::Result<String> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
    let mut stream = socket.connect(address).await?.into_std()?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[covers("limit CONNECTIONS", "S3")]
#[test]
fn idle_connections_of_one_address_leave_room_for_another() {
    let files = getrlimit(Resource::Nofile).current;
    if files.is_some_and(|files| files < IDLE as u64 + OTHER_FILES) {
        svc_tests::skipped(&format!(
            "a process may have {files:?} files open, which is fewer than connections"
        ));
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &[]);
    let address: SocketAddr = server.address().parse().unwrap();
    // An HTTP/2 client without requests.
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let mut idle: Vec<TcpStream> = (0..IDLE)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(preface).unwrap();
            stream
        })
        .collect();
    let answer = runtime().block_on(health_from(address, 2)).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // The longest idle connections were closed.
    let mut rest = Vec::new();
    idle[0].set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    idle[0].read_to_end(&mut rest).unwrap_or_default();
    drop(idle);
    wait_for("places", || {
        runtime()
            .block_on(health_from(address, 1))
            .is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
    });
    assert!(server.stop().success());
}
