//! The response cache.

use serde_json::json;

use crate::support::TestServer;
use crate::support::accounts::personal_access_token;
use svc_domain::kind::MediaKind;
use svc_identity::capability::Capability;

#[tokio::test]
async fn answer_is_given_again_to_who_may_know_all_of_it_until_something_is_stored() {
    let server = TestServer::start().await;
    let ada = server.user("ada", true, &["owner"]).await;
    let (owner, member) = (
        server.token(ada),
        server.user("bob", false, &["music_user"]).await,
    );
    let (member, narrow) = (
        server.token(member),
        personal_access_token(&server, ada, Some(&[Capability::MusicTracksRead])).await,
    );
    let folder = server.folder(MediaKind::music()).await;
    let track = server.track(folder, "a.mp3", "Before", b"0123456789").await;
    let target = format!("/api/v1/music/tracks/{track}");
    let rating = json!({"mediaType": "music_track", "mediaId": track.to_string(), "rating": 1.0});
    let rated = server.send_as(&owner, "PUT", "/api/v1/ratings", &rating).await;
    assert_eq!(rated.status, 200);

    // Asked for once, kept once.
    let first = server.get_as(&owner, &target).await;
    assert_eq!((first.status, &first.json()["rating"]), (200, &json!(1.0)));
    assert_eq!(server.state.response_cache.len(), 1);
    let again = server.get_as(&owner, &target).await;
    assert_eq!((&again.body, again.status), (&first.body, 200));
    for header in ["content-type", "etag", "cache-control", "content-length"] {
        assert_eq!(again.header(header), first.header(header), "{header}");
    }
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
    // With the token in the URL, and by a client with an older answer, it is the same answer.
    let in_url = server.get(&format!("{target}?token={owner}")).await;
    let old = [
        ("authorization", &*format!("Bearer {owner}")),
        ("if-none-match", "W/\"old\""),
    ];
    let revalidated = server.send("GET", &target, &old, "").await;
    assert_eq!((revalidated.status, &revalidated.body), (200, &first.body));
    assert_eq!((in_url.status, &in_url.body), (200, &first.body));
    // Neither another user nor a token that may not read ratings is given it.
    for token in [&member, &narrow] {
        let other = server.get_as(token, &target).await;
        assert_eq!((other.status, &other.json()["rating"]), (200, &json!(null)));
    }
    assert_eq!(server.get_as(&narrow, "/api/v1/photos").await.status, 403);
    assert_eq!(server.get(&target).await.status, 401);
    // What is stored since, of media or by the caller, is told.
    let rating = json!({"mediaType": "music_track", "mediaId": track.to_string(), "rating": 0.25});
    let rated = server.send_as(&owner, "PUT", "/api/v1/ratings", &rating).await;
    assert_eq!(rated.status, 200);
    assert_eq!(server.get_as(&owner, &target).await.json()["rating"], 0.25);
    let list = "/api/v1/music/tracks?orderBy=createdAt";
    for token in [&owner, &member] {
        assert_eq!(server.get_as(token, list).await.json()[1], 1);
    }
    server.track(folder, "b.mp3", "Added", b"0123456789").await;
    for token in [&owner, &member] {
        let listed = server.get_as(token, list).await.json();
        assert_eq!((&listed[1], &listed[0][0]["title"]), (&json!(2), &json!("Added")));
    }
    // A reset leaves nothing behind.
    assert!(server.state.response_cache.len() > 2);
    let emptied = crate::reset::reset(&server, &owner, "deindex", "Deindex media").await;
    assert_eq!((emptied.status, server.state.response_cache.len()), (201, 0));
    assert_eq!(server.get_as(&owner, list).await.json(), json!([[], 0]));
}

#[tokio::test]
async fn neither_errors_nor_answers_without_a_body_are_kept() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let folder = server.folder(MediaKind::music()).await;
    let track = server.track(folder, "a.mp3", "A", b"0123456789").await;
    let target = format!("/api/v1/music/tracks/{track}");
    let bearer = format!("Bearer {token}");
    for (method, target, status) in [
        ("HEAD", target.as_str(), 200),
        ("GET", "/api/v1/music/tracks/0000000000000", 404),
        ("GET", "/api/v1/music/tracks?take=nothing", 400),
        ("GET", "/api/v1/index/counts", 200),
    ] {
        let reply = server
            .send(method, target, &[("authorization", &bearer)], "")
            .await;
        assert_eq!(
            (reply.status, server.state.response_cache.len()),
            (status, 0),
            "{method} {target}"
        );
    }
    let whole = server.get_as(&token, &target).await;
    let head = server
        .send("HEAD", &target, &[("authorization", &bearer)], "")
        .await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("etag"), whole.header("etag"));
}
