//! TLS with a server of these tests, whose certificate is for `cloud.test` and `*.cloud.test`.

use std::net::TcpStream;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::tests::server::{Server, read_request, response};
use crate::tests::*;

const AUTHORITY: &[u8] = include_bytes!("certificates/authority.pem");
const CERTIFICATE: &[u8] = include_bytes!("certificates/server.pem");
const KEY: &[u8] = include_bytes!("certificates/server-key.pem");

/// Answers each request with what `answer` makes of it.
fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> (Server, Arc<Mutex<Vec<String>>>) {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    let server = Server::raw(move |stream: TcpStream| {
        let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = StreamOwned::new(connection, stream);
        let Ok(request) = read_request(&mut stream) else {
            return;
        };
        let bytes = answer(&request);
        seen.lock().unwrap().push(request);
        let _ = io::Write::write_all(&mut stream, &bytes);
        let _ = io::Write::flush(&mut stream);
        stream.conn.send_close_notify();
        let _ = stream.conn.complete_io(&mut stream.sock);
    });
    (server, requests)
}

fn trusting(url: &str, private_hosts: &[&str]) -> EgressOptions {
    EgressOptions {
        ca_certificates: Some(AUTHORITY.to_vec()),
        private_hosts: private_hosts.iter().map(|&name| name.to_owned()).collect(),
        ..options(url)
    }
}

fn here() -> Arc<ScriptedLookup> {
    ScriptedLookup::new(&[&["127.0.0.1"]])
}

#[tokio::test]
async fn certificate_has_to_be_for_the_host_and_of_a_known_authority() {
    let (server, requests) = start(|_| response("200 OK", "secure"));
    let port = server.address.port();
    for (host, trusts, expected) in [
        ("cloud.test", true, Ok(())),
        ("keys.cloud.test", true, Ok(())),
        ("cloud.test", false, Err(HttpError::Tls)),
        ("other.test", true, Err(HttpError::Tls)),
        ("a.keys.cloud.test", true, Err(HttpError::Tls)),
        ("127.0.0.1", true, Err(HttpError::Tls)),
    ] {
        let url = format!("https://{host}:{port}/");
        let mut options = trusting(&url, &[host]);
        if !trusts {
            options.ca_certificates = None;
        }
        let outcome = send(&client_of(&options, here()), get(&url)).await;
        assert_eq!(
            outcome.map(|response| assert_eq!(response.body, b"secure")),
            expected,
            "{host} {trusts}"
        );
    }
    assert_eq!(
        requests.lock().unwrap().len(),
        2,
        "nothing is sent over the others"
    );
}

#[tokio::test]
async fn server_without_tls_is_a_tls_error() {
    let server = Server::raw(|mut stream| {
        let _ = io::Write::write_all(
            &mut stream,
            b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        );
        let _ = read_request(&mut stream);
    });
    let url = format!("https://cloud.test:{}/", server.address.port());
    let outcome = send(&client_of(&trusting(&url, &["cloud.test"]), here()), get(&url)).await;
    assert_eq!(outcome.unwrap_err(), HttpError::Tls);
}

#[tokio::test]
async fn handshake_that_does_not_end_is_given_up() {
    let server = Server::raw(|mut stream| {
        let _ = io::copy(&mut stream, &mut io::sink());
    });
    let url = format!("https://cloud.test:{}/", server.address.port());
    let client = client_of(&trusting(&url, &["cloud.test"]), here());
    let outcome = tokio::time::timeout(TIMES.total, send(&client, get(&url))).await;
    assert_eq!(outcome.unwrap().unwrap_err(), HttpError::Timeout);
}

#[tokio::test]
async fn truncated_response_over_tls_is_unreachable() {
    let (server, _) = start(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort".to_vec());
    let url = format!("https://cloud.test:{}/", server.address.port());
    let outcome = send(&client_of(&trusting(&url, &["cloud.test"]), here()), get(&url)).await;
    assert_eq!(outcome.unwrap_err(), HttpError::Unreachable);
}

#[tokio::test]
async fn origins_that_the_discovery_document_names_are_allowed() {
    let port = Arc::new(Mutex::new(0));
    let known_port = Arc::clone(&port);
    let (server, requests) = start(move |request| {
        let port = *known_port.lock().unwrap();
        if request.starts_with("GET /realm/.well-known/openid-configuration ") {
            let document = format!(
                "{{\"issuer\":\"https://login.cloud.test:{port}/realm\",\
                 \"jwks_uri\":\"https://keys.cloud.test:{port}/keys\"}}"
            );
            return response("200 OK", &document);
        }
        response("200 OK", "keys")
    });
    *port.lock().unwrap() = server.address.port();
    let port = server.address.port();
    let options = EgressOptions {
        issuer: Some(Url::parse(&format!("https://login.cloud.test:{port}/realm")).unwrap()),
        ..trusting(
            "https://cloud.example",
            &["login.cloud.test", "keys.cloud.test", "admin.cloud.test"],
        )
    };
    let client = client_of(&options, here());
    let admin = format!("https://admin.cloud.test:{port}/");
    assert_denied(
        &send(&client, get(&admin)).await,
        "an origin that the document does not name",
    );
    for _ in 0..3 {
        let response = send(&client, get(format!("https://keys.cloud.test:{port}/keys")))
            .await
            .unwrap();
        assert_eq!(response.body, b"keys");
    }
    assert_denied(&send(&client, get(&admin)).await, "still not");
    assert_denied(
        &send(&client, get(format!("https://cloud.other.test:{port}/"))).await,
        "another domain",
    );
    let requests = requests.lock().unwrap().clone();
    let documents = requests
        .iter()
        .filter(|request| request.contains("openid-configuration"));
    assert_eq!((documents.count(), requests.len()), (1, 4));
}

#[tokio::test]
async fn named_origin_with_a_private_address_is_denied() {
    let port = Arc::new(Mutex::new(0));
    let known_port = Arc::clone(&port);
    let (server, requests) = start(move |_| {
        let port = *known_port.lock().unwrap();
        let document = format!(
            "{{\"issuer\":\"https://login.cloud.test:{port}\",\"jwks_uri\":\"https://keys.cloud.test:{port}/\"}}"
        );
        response("200 OK", &document)
    });
    *port.lock().unwrap() = server.address.port();
    let port = server.address.port();
    let options = EgressOptions {
        issuer: Some(Url::parse(&format!("https://login.cloud.test:{port}")).unwrap()),
        ..trusting("https://cloud.example", &["login.cloud.test"])
    };
    let outcome = send(
        &client_of(&options, here()),
        get(format!("https://keys.cloud.test:{port}/")),
    )
    .await;
    assert_denied(&outcome, "the administrator did not name this host");
    assert_eq!(requests.lock().unwrap().len(), 1);
}
