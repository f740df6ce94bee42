//! A proxy that ends TLS before a service of this machine, with a certificate for `localhost` of an authority that only
//! tests know (`tests/certificates`, valid until 2120; the key of the authority was not kept).

use std::io::{self, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::workspace;

fn certificate_file(name: &str) -> PathBuf {
    workspace().join("tests/certificates").join(name)
}

/// The certificate of the authority.
pub fn authority() -> PathBuf {
    certificate_file("authority.pem")
}

/// A proxy whose port is known before the service that it stands before.
#[derive(Debug)]
pub struct TlsProxy {
    listener: TcpListener,
    port: u16,
}

impl TlsProxy {
    /// Listens on a free port of this machine, and accepts nothing yet.
    pub fn bind() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Self { listener, port }
    }

    /// Its address by a name of this machine.
    pub fn url(&self, host: &str) -> String {
        format!("https://{host}:{}", self.port)
    }

    /// Forwards to the service at `host:port`, until the process ends.
    pub fn start(&self, upstream: &str) {
        let config = server_config();
        let (listener, upstream) = (self.listener.try_clone().unwrap(), upstream.to_owned());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, upstream) = (Arc::clone(&config), upstream.clone());
                // Clients that do not trust the certificate hang up.
                std::thread::spawn(move || forward(stream, config, &upstream));
            }
        });
    }
}

fn server_config() -> Arc<ServerConfig> {
    let certificate = CertificateDer::from_pem_file(certificate_file("localhost.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(certificate_file("localhost-key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    Arc::new(config)
}

/// Forwards one request and its response, and closes the connection.
fn forward(stream: TcpStream, config: Arc<ServerConfig>, upstream: &str) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    let (head, body) = read_request(&mut stream)?;
    let mut service = TcpStream::connect(upstream)?;
    service.write_all(head.as_bytes())?;
    service.write_all(&body)?;
    let mut response = Vec::new();
    service.read_to_end(&mut response)?;
    if let Some(line) = response.windows(2).position(|end| end == b"\r\n") {
        response.splice(line..line, *b"\r\nConnection: close");
    }
    stream.write_all(&response)?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// Reads a request; its head asks the service to close the connection afterwards.
fn read_request(stream: &mut impl Read) -> io::Result<(String, Vec<u8>)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).map_err(io::Error::other)?;
    let (mut length, mut kept) = (0_usize, String::new());
    for line in head.lines().filter(|line| !line.is_empty()) {
        let name = line.split(':').next().unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = line[name.len() + 1..].trim().parse().map_err(io::Error::other)?;
        }
        if !name.eq_ignore_ascii_case("connection") {
            kept.push_str(line);
            kept.push_str("\r\n");
        }
    }
    kept.push_str("Connection: close\r\n\r\n");
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok((kept, body))
}
