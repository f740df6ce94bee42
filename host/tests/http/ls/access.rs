//! Which folders `GET /ls` shows to whom.

use std::fs;

use serde_json::json;
use svc_covers::covers;

use super::{library, ls};
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[tokio::test]
async fn folders_of_a_closed_library_are_shown_to_whom_it_lets_in_and_to_operators() {
    let (server, owner) = library().await;
    for folder in ["Closed/Inner", "Closed/Ann's", "Open"] {
        fs::create_dir_all(server.root.join(folder)).unwrap();
        fs::write(server.root.join(folder).join("x.mp3"), "x").unwrap();
    }
    let ann = server.user("ann", false, &["member"]).await;
    let ben = server.token(server.user("ben", false, &["member"]).await);
    let admin = server.token(server.user("admin", false, &["administrator"]).await);
    let ann_token = server.token(ann);
    for (name, path, grant) in [
        ("Closed", "Closed", json!({"role": "owner"})),
        ("Ann's", "Closed/Ann's", json!({"userId": ann})),
    ] {
        let body = json!({"name": name, "mediaKind": "music", "paths": [path], "grants": [grant]});
        let made = server.send_as(&owner, "POST", "/api/v1/libraries", &body).await;
        assert_eq!(made.status, 201, "{}", made.json());
    }
    let names = async |token: &str, path: &str| {
        let reply = ls(&server, token, &format!("rootDir=music&path={path}")).await;
        let listing = reply.json();
        let nodes = listing["nodes"].as_array();
        nodes.map(|nodes| nodes.iter().map(|node| node["name"].clone()).collect::<Vec<_>>())
    };
    for (token, root, closed, anns, inner) in [
        (&owner, true, Some(2), Some(1), Some(1)),
        (&admin, true, Some(2), Some(1), Some(1)),
        // Their folder can be reached, and nothing else is seen on the way.
        (&ann_token, true, Some(1), Some(1), None),
        (&ben, false, None, None, None),
    ] {
        let listed = names(token, "").await.unwrap();
        assert!(
            listed.contains(&json!("Album")) && listed.contains(&json!("Open")),
            "{listed:?}"
        );
        assert_eq!(listed.contains(&json!("Closed")), root, "{listed:?}");
        for (path, count) in [
            ("Closed", closed),
            ("Closed/Ann's", anns),
            ("Closed/Inner", inner),
        ] {
            assert_eq!(names(token, path).await.map(|names| names.len()), count, "{path}");
        }
    }
    let refused = async |path: &str| {
        ls(&server, &ben, &format!("rootDir=music&path={path}"))
            .await
            .body
    };
    assert_eq!(refused("Closed").await, refused("Nowhere").await);
}

#[covers("R43")]
#[tokio::test]
async fn names_of_folders_are_for_who_reads_media_or_runs_the_indexer() {
    let (server, _) = library().await;
    for (role, status) in [
        ("newcomer", 403),
        ("guest", 200),
        ("member", 200),
        ("music_user", 200),
        ("photos_user", 200),
        ("cinema_user", 200),
        ("administrator", 200),
    ] {
        let token = server.token(server.user(&format!("one {role}"), false, &[role]).await);
        assert_eq!(
            ls(&server, &token, "rootDir=music").await.status,
            status,
            "{role}"
        );
        // Refused before anything is said about the query.
        let query = if status == 403 { status } else { 400 };
        assert_eq!(
            ls(&server, &token, "rootDir=nothing").await.status,
            query,
            "{role}"
        );
    }
    for (capability, status) in [
        (Capability::IndexingRead, 200),
        (Capability::PhotosRead, 200),
        (Capability::UsersRead, 403),
    ] {
        let token = server.token(allowed_to(&server, capability.as_str(), &[capability]).await);
        assert_eq!(
            ls(&server, &token, "rootDir=music").await.status,
            status,
            "{capability:?}"
        );
    }
}
