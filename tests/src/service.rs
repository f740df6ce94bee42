//! A service of a few lines, on a thread of the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// Answers with status and body by origin, path and the head of the request, until the process ends. Returns its origin.
pub fn serve(respond: impl Fn(&str, &str, &str) -> (&'static str, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let of_thread = origin.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap(), |path, head| respond(&of_thread, path, head));
        }
    });
    origin
}

fn answer(mut stream: TcpStream, respond: impl Fn(&str, &str) -> (&'static str, String)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let Ok(1..) = reader.read_line(&mut head) else {
            return;
        };
    }
    // A body that is not read would end the connection with a reset.
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.map_or(0, |(_, value)| value.trim().parse().unwrap());
    if reader.read_exact(&mut vec![0_u8; length]).is_err() {
        return;
    }
    let path = head.split(' ').nth(1).unwrap();
    let (status, body) = respond(path, &head);
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
}
