//! Hostile text in parameters and paths.

use std::collections::BTreeMap;

use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;
use crate::users::USERS;

#[covers("T49")]
#[tokio::test]
async fn hostile_text_is_data_in_every_parameter() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let before = owner.get(&format!("{USERS}?roles=1")).await.json();
    let payloads = [
        "' OR '1'='1",
        "1;DROP TABLE users",
        "\" OR 1=1 --",
        "%' --",
        "') UNION SELECT password_hash FROM users --",
        "$1",
        "\\",
        "?",
        "{{7*7}}",
        "${jndi:ldap://x}",
        "../../etc/passwd",
        "\u{0}",
        "0000000000001' --",
        "createdAt, password_hash",
        "(SELECT 1)",
        "NULL",
        "\u{feff}",
        "😀",
        "a\r\nb",
    ];
    let mut answered: BTreeMap<u16, usize> = BTreeMap::new();
    for payload in payloads {
        let text: String = url::form_urlencoded::byte_serialize(payload.as_bytes()).collect();
        let path = text.replace('+', "%20");
        for target in [
            "users",
            "roles/assignments",
            "audit",
            "index/runs",
            "music/tracks",
            "photos",
            "ls",
            "index/run/logs",
        ] {
            for name in [
                "sort", "order", "take", "skip", "roles", "userId", "event", "orderBy", "runId", "path",
                "rootDir",
            ] {
                let reply = owner.get(&format!("/api/v1/{target}?{name}={text}")).await;
                assert!(reply.status < 500, "{target} {name}={payload:?}");
                *answered.entry(reply.status).or_default() += 1;
            }
        }
        for target in [
            "users/",
            "users/current/sessions/",
            "roles/",
            "cors-origins/",
            "settings/",
            "index/runs/",
            "music/tracks/",
            "photos/",
        ] {
            for method in ["GET", "DELETE", "PATCH"] {
                let reply = owner
                    .send(
                        method,
                        &format!("/api/v1/{target}{path}"),
                        &json!({"capabilities": []}),
                    )
                    .await;
                assert!(reply.status < 500, "{method} {target} {payload:?}");
                *answered.entry(reply.status).or_default() += 1;
            }
        }
    }
    // Each text is data or an invalid value; no other status is possible.
    assert_eq!(
        answered,
        BTreeMap::from([(200, 741), (400, 969), (404, 171), (405, 247)])
    );
    assert_eq!(owner.get(&format!("{USERS}?roles=1")).await.json()[1], before[1]);
}
