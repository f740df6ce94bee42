//! Checks of `POST /reset`, in their order.

use serde_json::json;
use svc_covers::covers;

use super::{TARGET, reset, tree, with_media};
use crate::INSTANCE;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[covers("POST /api/v1/reset", "R7")]
#[tokio::test]
async fn checks_run_in_the_order_capability_type_capability_of_the_type_phrase() {
    let server = with_media().await;
    let deindexer = server.client(allowed_to(&server, "deindexer", &[Capability::IndexingDeindex]).await);
    let resetter =
        server.client(allowed_to(&server, "resetter", &[Capability::MediaServerFactoryReset]).await);
    let nobody = server.as_nobody().await;
    let owner = server.as_owner().await;
    let before = tree(&server.root);
    let good = |kind: &str, phrase: &str| json!({"type": kind, "validationPhrase": phrase});
    for (token, body, status) in [
        (&nobody, json!({}), 403),
        (&nobody, json!("junk"), 403),
        (&nobody, good("deindex", "Deindex media"), 403),
        (&deindexer, json!({}), 400),
        (&deindexer, json!({"validationPhrase": "Deindex media"}), 400),
        (
            &deindexer,
            json!({"type": null, "validationPhrase": "Deindex media"}),
            400,
        ),
        (&deindexer, good("Deindex", "Deindex media"), 400),
        (&deindexer, good("everything", "Factory reset"), 400),
        (&deindexer, good("factory", "Factory reset"), 403),
        (&deindexer, good("factory", "wrong"), 403),
        (&resetter, good("deindex", "Deindex media"), 403),
        (&resetter, good("deindex", ""), 403),
        (&resetter, good("factory", "Deindex media"), 400),
        (&owner, good("deindex", "Factory reset"), 400),
        (&owner, good("factory", "Deindex media"), 400),
        (&owner, good("factory", "factory reset"), 400),
        (&owner, good("factory", " Factory reset"), 400),
        (&owner, good("factory", "Factory reset\n"), 400),
        (&owner, good("factory", "Factory  reset"), 400),
        (&owner, good("factory", ""), 400),
        (&owner, json!({"type": "factory"}), 400),
        (&owner, json!({"type": "factory", "validationPhrase": null}), 400),
        (
            &owner,
            json!({"type": "factory", "validationPhrase": ["Factory reset"]}),
            400,
        ),
        (
            &owner,
            json!({"type": ["factory"], "validationPhrase": "Factory reset"}),
            400,
        ),
    ] {
        let reply = token.post(TARGET, &body).await;
        assert_eq!(reply.status, status, "{body}");
    }
    for broken in [
        "",
        "{",
        "{\"type\":\"factory\",\"validationPhrase\":\"Factory reset\"",
    ] {
        for (token, status) in [(&nobody, 403), (&owner, 400)] {
            let bearer = format!("Bearer {token}");
            let headers = [
                ("authorization", bearer.as_str()),
                ("content-type", "application/json"),
            ];
            assert_eq!(
                server.send("POST", TARGET, &headers, broken).await.status,
                status,
                "{broken}"
            );
        }
    }
    // Cookies, forms, tokens in the URL and narrowed tokens are refused.
    let owner_id = server.store.users.owner().await.unwrap().unwrap().user.id;
    let narrowed = server.as_token(owner_id, Some(&[Capability::IndexingRead])).await;
    assert_eq!(reset(&narrowed, "factory", "Factory reset").await.status, 403);
    let body = good("factory", "Factory reset").to_string();
    let json = [("content-type", "application/json")];
    assert_eq!(
        server
            .send("POST", &format!("{TARGET}?token={owner}"), &json, &body)
            .await
            .status,
        401
    );
    // Guest access is off, and guests have no capability for it.
    let guest = server.client(server.store.users.guest().await.unwrap().unwrap().id);
    assert_eq!(reset(&guest, "factory", "Factory reset").await.status, 401);
    let bearer = format!("Bearer {owner}");
    let form = [("authorization", bearer.as_str()), ("content-type", "text/plain")];
    assert_eq!(server.send("POST", TARGET, &form, &body).await.status, 415);

    assert_eq!(owner.get("/api/v1/index/counts").await.json()["musicFiles"], 2);
    assert_eq!(
        server.get("/api/v1/instance").await.json()["instanceId"],
        INSTANCE
    );
    assert_eq!(tree(&server.root), before);
}
