//! `POST /reset` of the type `deindex`.

use serde_json::json;

use super::{TARGET, tree, with_media};
use crate::INSTANCE;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[tokio::test]
async fn deindex_empties_the_index_and_keeps_files_and_accounts() {
    for field in ["validationPhrase", "validationString"] {
        let server = with_media().await;
        let token = server.client(
            allowed_to(
                &server,
                "bob",
                &[Capability::IndexingDeindex, Capability::IndexingRead],
            )
            .await,
        );
        let before = tree(&server.root);
        let body = json!({"type": "deindex", field: "Deindex media"});
        let reply = token.post(TARGET, &body).await;
        assert_eq!((reply.status, reply.json()), (201, json!(true)));
        assert_eq!(token.get("/api/v1/index/counts").await.json()["musicFiles"], 0);
        assert_eq!(tree(&server.root), before);
        let directories = token.get("/api/v1/index/directories").await;
        assert_eq!(directories.json().as_array().unwrap().len(), 1);
        let owner = server.as_owner().await;
        assert_eq!(owner.get("/api/v1/music/tracks").await.json()[1], 0);
        assert_eq!(
            server.get("/api/v1/instance").await.json()["instanceId"],
            INSTANCE
        );
    }
}
