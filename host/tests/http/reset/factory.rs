//! `POST /reset` of the type `factory`.

use serde_json::json;
use svc_covers::covers;

use super::{
    cookie, factory_reset, marker, restarted, set_up, sign_in, signing_key, stopped, tree, with_media,
};
use crate::INSTANCE;

#[covers("R60", "T47")]
#[tokio::test]
async fn factory_reset_removes_everything_but_the_media() {
    let server = with_media().await;
    assert_eq!(set_up(&server, "ada").await.status, 201);
    let login = sign_in(&server, "ada").await;
    let jwt = login.client();
    let (cookie_name, cookie_value) = cookie(&login);
    assert_eq!(cookie_name, format!("svc_refresh_token_{INSTANCE}"));
    let owner = server.store.users.owner().await.unwrap().unwrap().user.id;
    let program = server.as_token(owner, None).await;
    let settings = json!({"app": null, "settings": {"server_name": "Home", "theme": "dark", "session_timeout": "memory"}});
    assert_eq!(jwt.patch("/api/v1/settings", &settings).await.status, 200);
    let origin = "https://good.example";
    jwt.post("/api/v1/cors-origins", &json!({"origin": origin})).await;
    jwt.post("/api/v1/roles", &json!({"name": "curator", "capabilities": []}))
        .await;
    server.user("bob", false, &["curator"]).await;
    let (media, key) = (tree(&server.root), signing_key(&server.directory));

    factory_reset(&jwt).await;

    assert_eq!(tree(&server.root), media);
    assert_ne!(signing_key(&server.directory), key);
    assert_eq!(server.get("/api/v1/health").await.json()["state"], "not_setup");
    let instance = server.get("/api/v1/instance").await.json();
    let id = instance["instanceId"].as_str().unwrap().to_owned();
    assert!(id != INSTANCE && id.len() == 32);
    assert_eq!(instance["serverName"], "svc");
    assert_eq!(marker(&server.directory), std::slice::from_ref(&id));
    assert_eq!(jwt.get("/api/v1/versions").await.status, 410);
    let refused = program.get("/api/v1/versions").await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (401, &json!("pat_invalid"))
    );
    for name in [cookie_name, format!("svc_refresh_token_{id}")] {
        let cookie = format!("{name}={cookie_value}");
        let reply = server
            .send("POST", "/api/v1/auth/refresh", &[("cookie", &cookie)], "")
            .await;
        assert_eq!(reply.status, 401, "{name}");
    }
    assert_eq!(sign_in(&server, "ada").await.status, 403);
    let preflight = [("origin", origin), ("access-control-request-method", "POST")];
    let preflight = server.send("OPTIONS", "/api/v1/auth/login", &preflight, "").await;
    assert!(!preflight.headers.contains_key("access-control-allow-origin"));

    // The setup is open again, once.
    assert_eq!(set_up(&server, "eve").await.status, 201);
    assert_eq!(set_up(&server, "mallory").await.status, 403);
    let login = sign_in(&server, "eve").await;
    assert_eq!((login.status, &login.json()["scope"]), (201, &json!("local")));
    assert_eq!(cookie(&login).0, format!("svc_refresh_token_{id}"));
    let jwt = login.client();
    let users = jwt.get("/api/v1/users?order=ASC").await.json();
    assert_eq!(users[1], 2);
    assert_eq!(
        (&users[0][0]["username"], &users[0][1]["username"]),
        (&json!("guest"), &json!("eve"))
    );
    assert_eq!(jwt.get("/api/v1/cors-origins").await.json(), json!([]));
    assert_eq!(
        jwt.get("/api/v1/settings/admin").await.json()["settings"]["theme"],
        "system"
    );
    assert_eq!(jwt.get("/api/v1/roles").await.json().as_array().unwrap().len(), 8);
    assert_eq!(jwt.get("/api/v1/index/counts").await.json()["musicFiles"], 0);
    let events = jwt.get("/api/v1/audit?order=ASC").await.json();
    let events: Vec<_> = events[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["event"].clone())
        .collect();
    assert_eq!(events, ["factory_reset", "setup_completed", "login_succeeded"]);

    let directory = stopped(server).await;
    let (store, found) = restarted(&directory).await;
    assert_eq!(found.unwrap().0.instance_id, id);
    assert_eq!(store.users.owner().await.unwrap().unwrap().user.username, "eve");
}
