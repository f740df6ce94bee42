//! `GET /events/subscribe`: credentials, headers and protocols.

use salvo::hyper::Request;
use serde_json::json;
use svc_covers::covers;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::listening::{ListeningServer, PATIENCE, quick};
use svc_events::EventLimits;
use svc_platform::tasks;

#[covers("GET /api/v1/events/subscribe", "R18")]
#[tokio::test]
async fn stream_opens_with_the_credential_in_header_or_query() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.as_nobody().await;
    for query in [
        format!("?token={token}"),
        format!("?authorization={token}"),
        format!("?authorization=Bearer%20{token}"),
        // `token` takes precedence over `authorization`.
        format!("?token={token}&authorization=x"),
        format!("?authorization=x&token={token}"),
    ] {
        let client = listening.open(&query).await;
        for line in [
            "HTTP/1.1 200",
            "content-type: text/event-stream\r\n",
            "cache-control: no-store\r\n",
            "x-accel-buffering: no\r\n",
            "x-content-type-options: nosniff\r\n",
        ] {
            assert!(client.head.contains(line), "{line}: {}", client.head);
        }
        assert!(!client.head.contains("content-encoding"), "{}", client.head);
    }
    // `authorization` accepts access tokens only, even if a personal access token was just used elsewhere.
    let user = listening.server.user("maker", false, &["member"]).await;
    let program = listening.server.as_token(user, None).await;
    assert_eq!(program.status().await, 200);
    for query in [
        String::new(),
        "?token=x".to_owned(),
        "?authorization=x".to_owned(),
        format!("?token=x&authorization={token}"),
        format!("?authorization={program}"),
        format!("?authorization=Bearer%20{program}"),
        format!("?authorization={token}&authorization={token}"),
    ] {
        let client = listening.open(&query).await;
        assert!(
            client.head.starts_with("HTTP/1.1 401"),
            "{query}: {}",
            client.head
        );
    }
    let path = "/api/v1/events/subscribe";
    let head = listening
        .server
        .send("HEAD", &format!("{path}?token={token}"), &[], "")
        .await;
    assert_eq!(
        (head.status, head.header("content-type")),
        (200, "text/event-stream")
    );
    let origin = ("origin", crate::LISTED_ORIGIN);
    let bearer = format!("Bearer {token}");
    let reply = listening
        .server
        .send("GET", path, &[origin, ("authorization", &bearer)], "")
        .await;
    assert_eq!(
        (reply.status, reply.header("access-control-allow-origin")),
        (200, crate::LISTED_ORIGIN)
    );
    // No other route accepts the parameter.
    let other = listening
        .server
        .get(&format!("/api/v1/versions?authorization={token}"))
        .await;
    assert_eq!(other.status, 401);
}

#[tokio::test]
async fn events_arrive_over_http_2_and_http_1_0() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.as_owner().await;
    let target = format!("/api/v1/events/subscribe?token={token}");

    let stream = TcpStream::connect(listening.address).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    let driver = tasks::spawn("test client", async move {
        // Ends with an error when the server closes first.
        let _ = connection.await;
    });
    let mut client = client.ready().await.unwrap();
    let request = Request::builder().uri(format!("http://localhost{target}"));
    let (answer, _) = client.send_request(request.body(()).unwrap(), true).unwrap();
    let answer = timeout(PATIENCE, answer).await.unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    let mut body = answer.into_body();

    let mut old = TcpStream::connect(listening.address).await.unwrap();
    let request = format!("GET {target} HTTP/1.0\r\n\r\n");
    old.write_all(request.as_bytes()).await.unwrap();
    listening.wait_for_subscribers(2).await;

    listening.publish(json!({"runId": "1"}));
    let mut heard = String::new();
    while !heard.contains("\n\ndata: ") || !heard.ends_with("\n\n") {
        let piece = timeout(PATIENCE, body.data()).await.unwrap().unwrap().unwrap();
        heard += std::str::from_utf8(&piece).unwrap();
    }
    assert!(heard.starts_with(":\n\n"), "{heard}");
    assert!(heard.contains(r#""payload":{"runId":"1"}"#), "{heard}");
    let mut plain = String::new();
    while !plain.ends_with("}\n\n") {
        let mut piece = [0; 4096];
        let read = timeout(PATIENCE, old.read(&mut piece)).await.unwrap().unwrap();
        assert!(read > 0, "{plain}");
        plain += std::str::from_utf8(&piece[..read]).unwrap();
    }
    assert!(plain.starts_with("HTTP/1.0 200"), "{plain}");
    assert!(!plain.contains("transfer-encoding"), "{plain}");
    assert!(plain.ends_with(&heard), "{plain}");
    driver.abort();
}

#[covers("code too_many_streams", "T51")]
#[tokio::test]
async fn stream_beyond_the_limit_of_an_account_is_409() {
    assert_eq!(EventLimits::default().per_account, 1_000);
    let listening = ListeningServer::start(EventLimits {
        per_account: 3,
        ..quick()
    })
    .await;
    let member = async |name: &str| {
        let user = listening.server.user(name, false, &["member"]).await;
        // All credentials of an account share the limit.
        [
            listening.server.client(user),
            listening.server.as_token(user, None).await,
        ]
    };
    let (ada, bob) = (member("ada").await, member("bob").await);
    let mut open = Vec::new();
    for token in [&ada[0], &ada[1], &ada[0]] {
        open.push(listening.listen(token).await);
    }
    for token in &ada {
        let refused = token.get("/api/v1/events/subscribe").await;
        assert_eq!(
            (refused.status, refused.code().as_deref()),
            (409, Some("too_many_streams"))
        );
    }
    open.push(listening.listen(&bob[0]).await);
    // A stream that ends makes room.
    drop(open.remove(0));
    listening.wait_for_subscribers(3).await;
    open.push(listening.listen(&ada[1]).await);
    assert_eq!(listening.server.state.events.subscribers(), 4);
}
