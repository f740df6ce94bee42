//! `PATCH` and `DELETE /libraries/{libraryId}` take effect with the next request.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{LIBRARIES, create, patch, titles, track};
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use svc_domain::kind::MediaKind;

#[covers("PATCH /api/v1/libraries/{libraryId}", "DELETE /api/v1/libraries/{libraryId}")]
#[tokio::test]
async fn changed_library_applies_to_the_next_request() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let bea = server.user("bea", false, &["member"]).await;
        let token = server.client(bea);
        let folder = server.folder_at(MediaKind::music(), "Bea").await;
        let song = track(server, folder, "Bea", "Song").await;
        let stream = format!("/api/v1/music/stream/{song}");
        let sees = async || {
            let listed = !titles(&token).await.is_empty();
            let status = token.get(&stream).await.status;
            assert_eq!(status, if listed { 200 } else { 404 });
            assert_eq!(titles(&owner).await, ["Song"], "the owner sees everything");
            listed
        };
        assert!(sees().await);
        let grants = json!([{"role": "music_user"}]);
        let library = json!({"name": "All", "mediaKind": "music", "grants": grants});
        let library = create(&owner, library).await;
        assert_eq!(
            (&library["grants"], &library["paths"], &library["counts"]),
            (&grants, &json!([""]), &json!({"files": 1, "missing": 0}))
        );
        assert!(!sees().await);
        let assign = json!({"userIds": [bea]});
        let roles = "/api/v1/roles/music_user/assignments";
        assert_eq!(owner.post(roles, &assign).await.status, 201);
        assert!(sees().await, "granted to a role");
        let unassign = format!("{roles}?userIds={bea}");
        assert_eq!(owner.delete(&unassign).await.status, 200);
        assert!(!sees().await);
        let grants = json!({"grants": [{"userId": bea}, {"role": "owner"}]});
        assert_eq!(patch(&owner, &library, grants).await.status, 200);
        assert!(sees().await, "granted to the user");
        assert_eq!(
            patch(&owner, &library, json!({"grants": [{"role": "owner"}]}))
                .await
                .status,
            200
        );
        assert!(!sees().await);
        assert_eq!(
            patch(&owner, &library, json!({"paths": ["Elsewhere"]}))
                .await
                .status,
            200
        );
        assert!(sees().await, "the folder is in no library");
        assert_eq!(
            patch(&owner, &library, json!({"paths": ["Bea"]})).await.status,
            200
        );
        assert!(!sees().await);
        let open = patch(&owner, &library, json!({"grants": []})).await.json();
        assert_eq!(
            (&open["restricted"], &open["grants"]),
            (&json!(false), &json!([]))
        );
        assert!(sees().await, "no longer restricted");

        // The library stays restricted when its last grantee is deleted.
        let ben = server.user("ben", false, &["member"]).await;
        let grants = json!({"grants": [{"userId": ben}]});
        assert_eq!(patch(&owner, &library, grants).await.status, 200);
        let mut change = server.store.identity.change_identity().await.unwrap();
        assert!(change.delete_user(ben).await.unwrap());
        change.commit().await.unwrap();
        assert!(!sees().await);
        let target = format!("{LIBRARIES}/{}", library["libraryId"].as_str().unwrap());
        let left = owner.get(&target).await.json();
        assert_eq!((&left["restricted"], &left["grants"]), (&json!(true), &json!([])));

        let deleted = owner.delete(&target).await;
        assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
        assert!(sees().await, "its media stay in the index");
        for method in ["GET", "PATCH", "DELETE"] {
            let body = if method == "GET" {
                Value::Null
            } else {
                json!({"name": "X"})
            };
            assert_eq!(owner.send(method, &target, &body).await.status, 404, "{method}");
        }
    })
    .await;
}
