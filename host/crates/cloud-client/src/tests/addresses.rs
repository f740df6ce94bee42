//! Names that lead to addresses of this machine or network, and names whose addresses change.

use svc_covers::covers;

use crate::tests::server::{Server, response};
use crate::tests::*;

/// A server that must not be reached, and a client that is configured for a name at its port.
fn trap(answers: &[&[&str]]) -> (Server, EgressClient, Arc<ScriptedLookup>, String) {
    let server = Server::raw(drop);
    let lookup = ScriptedLookup::new(answers);
    let url = format!("https://cloud.test:{}", server.address.port());
    let client = client_of(&options(&url), Arc::<ScriptedLookup>::clone(&lookup));
    (server, client, lookup, url)
}

#[covers("T44")]
#[tokio::test]
async fn name_of_a_private_address_is_denied_and_not_connected_to() {
    for answer in [
        &["127.0.0.1"][..],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["169.254.169.254"],
        // One public address does not make up for another.
        &["8.8.8.8", "127.0.0.1"],
        &["127.0.0.1", "2001:4860:4860::8888"],
    ] {
        let (server, client, _, url) = trap(&[answer]);
        assert_denied(&send(&client, get(&url)).await, &format!("{answer:?}"));
        assert_eq!(server.accepted(), 0, "{answer:?}");
    }
}

#[covers("T44")]
#[tokio::test]
async fn name_that_becomes_private_is_denied_from_then_on() {
    let (server, client, lookup, url) = trap(&[&[], &["127.0.0.1"], &[], &["127.0.0.1"]]);
    // A name without addresses cannot be reached; each request looks it up anew, and nothing is remembered.
    for is_private in [false, true, false, true, true] {
        let outcome = send(&client, get(&url)).await.unwrap_err();
        assert_eq!(matches!(outcome, HttpError::Denied(_)), is_private, "{outcome}");
    }
    assert_eq!((server.accepted(), lookup.asked().len()), (0, 5));
}

#[covers("T44")]
#[tokio::test]
async fn address_that_was_checked_is_the_one_connected_to() {
    let server = Server::with(response("200 OK", "checked"));
    let port = server.address.port();
    // The second answer, which a second lookup would have got, leads nowhere.
    let lookup = ScriptedLookup::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let url = format!("http://localhost:{port}/");
    let client = client_of(&options(&url), Arc::<ScriptedLookup>::clone(&lookup));
    assert_eq!(send(&client, get(&url)).await.unwrap().body, b"checked");
    assert_eq!(lookup.asked(), ["localhost"]);
    assert!(
        server.requests()[0]
            .to_lowercase()
            .contains(&format!("host: localhost:{port}"))
    );
}

#[tokio::test]
async fn next_address_is_tried_if_one_does_not_answer() {
    let server = Server::with(response("200 OK", ""));
    let lookup = ScriptedLookup::new(&[&["127.0.0.9", "127.0.0.1"]]);
    let url = format!("http://localhost:{}/", server.address.port());
    let client = client_of(&options(&url), lookup);
    assert_eq!(send(&client, get(&url)).await.unwrap().status, 200);
}

#[covers("T44")]
#[tokio::test]
async fn other_origins_are_denied_without_a_lookup() {
    let (server, client, lookup, _) = trap(&[&["127.0.0.1"]]);
    let other = Server::with(response("200 OK", ""));
    for url in [
        other.url(),
        format!("http://cloud.test:{}/", server.address.port()),
        format!("https://cloud.test:{}/", other.address.port()),
        format!("https://127.0.0.1:{}/", server.address.port()),
        "https://cloud.test/".to_owned(),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        assert_denied(&send(&client, get(&url)).await, &url);
    }
    assert!(lookup.asked().is_empty());
    assert_eq!((server.accepted(), other.accepted()), (0, 0));
}

/// A resolver that never answers.
#[derive(Debug)]
struct SilentLookup;

impl Lookup for SilentLookup {
    fn addresses<'a>(&'a self, _: &'a str) -> HostFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn lookup_that_does_not_end_is_given_up() {
    let client = client_of(&options("https://cloud.test"), Arc::new(SilentLookup));
    let outcome = tokio::time::timeout(TIMES.total, send(&client, get("https://cloud.test/"))).await;
    assert_eq!(outcome.unwrap().unwrap_err(), HttpError::Unreachable);
}
