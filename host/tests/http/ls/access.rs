//! Which folders `GET /ls` shows to whom.

use std::fs;

use serde_json::json;
use svc_covers::covers;

use super::{library, ls};
use crate::support::Client;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[tokio::test]
async fn folders_of_a_restricted_library_are_shown_to_its_grantees_and_operators() {
    let (server, owner) = library().await;
    for folder in ["Closed/Inner", "Closed/Ann's", "Open"] {
        fs::create_dir_all(server.root.join(folder)).unwrap();
        fs::write(server.root.join(folder).join("x.mp3"), "x").unwrap();
    }
    let ann = server.user("ann", false, &["member"]).await;
    let ben = server.as_user("ben", &["member"]).await;
    let admin = server.as_user("admin", &["administrator"]).await;
    let ann_token = server.client(ann);
    for (name, path, grant) in [
        ("Closed", "Closed", json!({"role": "owner"})),
        ("Ann's", "Closed/Ann's", json!({"userId": ann})),
    ] {
        let body = json!({"name": name, "mediaKind": "music", "paths": [path], "grants": [grant]});
        let made = owner.post("/api/v1/libraries", &body).await;
        assert_eq!(made.status, 201, "{}", made.json());
    }
    let names = async |token: &Client, path: &str| {
        let reply = ls(token, &format!("rootDir=music&path={path}")).await;
        let listing = reply.json();
        let nodes = listing["nodes"].as_array();
        nodes.map(|nodes| nodes.iter().map(|node| node["name"].clone()).collect::<Vec<_>>())
    };
    for (token, root, closed, anns, inner) in [
        (&owner, true, Some(2), Some(1), Some(1)),
        (&admin, true, Some(2), Some(1), Some(1)),
        // The parent folder shows only the path to the granted folder.
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
    let refused = async |path: &str| ls(&ben, &format!("rootDir=music&path={path}")).await.body;
    assert_eq!(refused("Closed").await, refused("Nowhere").await);
}

#[covers("R43")]
#[tokio::test]
async fn listing_requires_a_media_or_indexing_capability() {
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
        let token = server.as_user(&format!("one {role}"), &[role]).await;
        assert_eq!(ls(&token, "rootDir=music").await.status, status, "{role}");
        // The capability is checked before the query.
        let query = if status == 403 { status } else { 400 };
        assert_eq!(ls(&token, "rootDir=nothing").await.status, query, "{role}");
    }
    for (capability, status) in [
        (Capability::IndexingRead, 200),
        (Capability::PhotosRead, 200),
        (Capability::UsersRead, 403),
    ] {
        let token = server.client(allowed_to(&server, capability.as_str(), &[capability]).await);
        assert_eq!(ls(&token, "rootDir=music").await.status, status, "{capability:?}");
    }
}
