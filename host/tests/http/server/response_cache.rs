//! The response cache: reuse per caller, invalidation, and responses that are not cached.

use serde_json::json;

use crate::support::TestServer;
use svc_domain::kind::MediaKind;
use svc_identity::capability::Capability;

#[tokio::test]
async fn cached_response_is_reused_per_caller_until_data_changes() {
    let server = TestServer::start().await;
    let ada = server.user("ada", true, &["owner"]).await;
    let (owner, member) = (
        server.client(ada),
        server.user("bob", false, &["music_user"]).await,
    );
    let (member, narrow) = (
        server.client(member),
        server.as_token(ada, Some(&[Capability::MusicTracksRead])).await,
    );
    let folder = server.folder(MediaKind::music()).await;
    let track = server.track(folder, "a.mp3", "Before", b"0123456789").await;
    let target = format!("/api/v1/music/tracks/{track}");
    let rating = json!({"mediaType": "music_track", "mediaId": track.to_string(), "rating": 1.0});
    let rated = owner.put("/api/v1/ratings", &rating).await;
    assert_eq!(rated.status, 200);

    // One request caches one response.
    let first = owner.get(&target).await;
    assert_eq!((first.status, &first.json()["rating"]), (200, &json!(1.0)));
    assert_eq!(server.state.response_cache.len(), 1);
    let again = owner.get(&target).await;
    assert_eq!((&again.body, again.status), (&first.body, 200));
    for header in ["content-type", "etag", "cache-control", "content-length"] {
        assert_eq!(again.header(header), first.header(header), "{header}");
    }
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
    // The token in the URL and an outdated entity tag get the same response.
    let in_url = server.get(&format!("{target}?token={owner}")).await;
    let old = [
        ("authorization", &*format!("Bearer {owner}")),
        ("if-none-match", "W/\"old\""),
    ];
    let revalidated = server.send("GET", &target, &old, "").await;
    assert_eq!((revalidated.status, &revalidated.body), (200, &first.body));
    assert_eq!((in_url.status, &in_url.body), (200, &first.body));
    // Another user, or a token without access to ratings, gets another response.
    for token in [&member, &narrow] {
        let other = token.get(&target).await;
        assert_eq!((other.status, &other.json()["rating"]), (200, &json!(null)));
    }
    assert_eq!(narrow.get("/api/v1/photos").await.status, 403);
    assert_eq!(server.get(&target).await.status, 401);
    // Changed media and changed ratings invalidate the cached response.
    let rating = json!({"mediaType": "music_track", "mediaId": track.to_string(), "rating": 0.25});
    let rated = owner.put("/api/v1/ratings", &rating).await;
    assert_eq!(rated.status, 200);
    assert_eq!(owner.get(&target).await.json()["rating"], 0.25);
    let list = "/api/v1/music/tracks?orderBy=createdAt";
    for token in [&owner, &member] {
        assert_eq!(token.get(list).await.json()[1], 1);
    }
    server.track(folder, "b.mp3", "Added", b"0123456789").await;
    for token in [&owner, &member] {
        let listed = token.get(list).await.json();
        assert_eq!((&listed[1], &listed[0][0]["title"]), (&json!(2), &json!("Added")));
    }
    // A reset empties the cache.
    assert!(server.state.response_cache.len() > 2);
    let emptied = crate::reset::reset(&owner, "deindex", "Deindex media").await;
    assert_eq!((emptied.status, server.state.response_cache.len()), (201, 0));
    assert_eq!(owner.get(list).await.json(), json!([[], 0]));
}

#[tokio::test]
async fn errors_and_head_responses_are_not_cached() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
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
    let whole = token.get(&target).await;
    let head = server
        .send("HEAD", &target, &[("authorization", &bearer)], "")
        .await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("etag"), whole.header("etag"));
}
