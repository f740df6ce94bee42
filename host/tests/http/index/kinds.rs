//! `/index/directories` of kinds that plugins define: the state with and without the plugin.

use serde_json::{Value, json};

use crate::support::{Client, TestServer, TestServerOptions};
use svc_plugin_host::{BuiltIn, Component};
use svc_test_support::guests;

/// A server with the directories `music` and `comics`, and perhaps a plugin for the latter: it traps at files that begin
/// with `t`.
async fn start(has_plugin: bool) -> (TestServer, Client) {
    let bytes = guests::kind_plugin(&guests::body("by_first_byte"), "guest", "comics").leak();
    let plugin = BuiltIn {
        name: "guest",
        component: Component::Plain(bytes),
    };
    let server = TestServer::start_with(TestServerOptions {
        plugins: has_plugin.then_some(plugin).into_iter().collect(),
        roots: vec!["comics"],
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    (server, owner)
}

fn put(server: &TestServer, name: &str, content: &str) {
    std::fs::write(server.directory.path().join("comics").join(name), content).unwrap();
}

/// Scans, and returns the run.
async fn scan(server: &TestServer, owner: &Client) -> Value {
    let body = json!({"type": "quick", "mediaKinds": ["comics"]});
    let reply = owner.post("/api/v1/index/run", &body).await;
    assert_eq!(reply.status, 201, "{}", reply.json());
    server.state.indexing.wait_until_idle().await;
    owner.get("/api/v1/index/runs").await.json()[0][0].clone()
}

async fn comics_directory(owner: &Client) -> Value {
    let directories = owner.get("/api/v1/index/directories").await.json();
    let directories = directories.as_array().unwrap();
    directories
        .iter()
        .find(|directory| directory["mediaKind"] == "comics")
        .unwrap()
        .clone()
}

#[tokio::test]
async fn files_of_a_plugins_kind_are_indexed() {
    let (server, owner) = start(true).await;
    put(&server, "a.shared", "good");
    put(&server, "b.SHARED", "good, too");
    put(&server, "c.other", "not a comic");
    put(&server, "t.shared", "trap");
    let run = scan(&server, &owner).await;
    assert_eq!(run["warnings"], json!([]));
    let counts = &run["counts"]["comics"];
    assert_eq!(
        (&counts["found"], &counts["added"], &counts["errored"]),
        (&json!(3), &json!(2), &json!(1))
    );
    let directory = comics_directory(&owner).await;
    assert_eq!(
        (&directory["state"], &directory["reason"]),
        (&json!("active"), &Value::Null)
    );
    assert_eq!(directory["fileCount"], 3);
    assert_eq!(owner.get("/api/v1/index/counts").await.json()["comicsFiles"], 2);
    let log = format!(
        "/api/v1/index/run/logs?runId={}&event=file_errored",
        run["runId"].as_str().unwrap()
    );
    let reason = owner.get(&log).await.json()[0][0]["reason"].clone();
    assert!(
        reason.as_str().unwrap().starts_with("trap: the plugin trapped: "),
        "{reason}"
    );
    let again = scan(&server, &owner).await;
    assert_eq!(again["counts"]["comics"]["unchanged"], 3);
    let file = owner
        .get("/api/v1/index/file?rootDir=comics&relativePath=a.shared")
        .await
        .json();
    assert_eq!(
        (&file["indexed"]["status"], &file["now"]["fields"][0]["value"]),
        (&json!("indexed"), &json!("ok"))
    );
    let ls = owner.get("/api/v1/ls?rootDir=comics").await;
    assert_eq!(ls.status, 200, "{}", ls.json());
}

#[tokio::test]
async fn kind_without_a_plugin_is_reported_and_loses_nothing() {
    let (server, owner) = start(false).await;
    put(&server, "a.shared", "good");
    let directory = comics_directory(&owner).await;
    assert_eq!(directory["state"], "no_plugin");
    let reason = directory["reason"].as_str().unwrap();
    assert!(reason.contains("no plugin defines the kind `comics`"), "{reason}");
    let run = scan(&server, &owner).await;
    let warning = run["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("its files stay as they are") && warning.contains("`comics`"),
        "{warning}"
    );
    assert_eq!(
        (&run["status"], &run["counts"]["comics"]["found"]),
        (&json!("completed"), &json!(0))
    );
    let now = owner
        .get("/api/v1/index/file?rootDir=comics&relativePath=a.shared")
        .await
        .json();
    assert_eq!(now["now"]["skipped"]["code"], "kind_unavailable");
    let body = json!({"type": "quick", "mediaKinds": ["audiobooks"]});
    let unknown = owner.post("/api/v1/index/run", &body).await;
    assert_eq!(unknown.status, 404);
    let message = unknown.json()["errors"][0]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(message.contains("`--root audiobooks=DIR`"), "{message}");
}

#[tokio::test]
async fn files_of_a_quarantined_plugins_kind_stay_and_are_read_after_the_release() {
    let (server, owner) = start(true).await;
    put(&server, "good.shared", "good");
    scan(&server, &owner).await;
    for number in 0..5 {
        put(&server, &format!("{number}.shared"), "trap");
    }
    scan(&server, &owner).await;
    let directory = comics_directory(&owner).await;
    assert_eq!(directory["state"], "plugin_quarantined");
    std::fs::remove_file(server.directory.path().join("comics/good.shared")).unwrap();
    // Other content than that of the removed file, which it would otherwise be.
    put(&server, "new.shared", "good as well");
    let run = scan(&server, &owner).await;
    let warning = run["warnings"][0].as_str().unwrap();
    assert!(warning.contains("`guest` is quarantined"), "{warning}");
    let counts = &run["counts"]["comics"];
    assert_eq!(
        (&counts["missing"], &counts["added"]),
        (&json!(0), &json!(0)),
        "{counts}"
    );
    let released = owner
        .patch("/api/v1/plugins/guest", &json!({"action": "release"}))
        .await;
    assert_eq!(released.status, 200);
    for number in 0..5 {
        put(&server, &format!("{number}.shared"), "good now");
    }
    let run = scan(&server, &owner).await;
    let counts = &run["counts"]["comics"];
    assert_eq!(
        (&counts["missing"], &counts["errored"]),
        (&json!(1), &json!(0)),
        "{counts}"
    );
    assert_eq!(comics_directory(&owner).await["state"], "active");
}

#[tokio::test]
async fn library_of_a_plugins_kind_is_created() {
    let (server, owner) = start(true).await;
    std::fs::create_dir(server.directory.path().join("comics/Manga")).unwrap();
    let body = json!({"name": "Manga", "mediaKind": "comics", "paths": ["Manga"]});
    let created = owner.post("/api/v1/libraries", &body).await;
    assert_eq!(created.status, 201, "{}", created.json());
    assert_eq!(created.json()["paths"], json!(["Manga"]));
    let unknown = json!({"name": "Books", "mediaKind": "audiobooks"});
    let refused = owner.post("/api/v1/libraries", &unknown).await;
    assert_eq!(refused.status, 404);
    let message = refused.json()["errors"][0]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(message.contains("`--root audiobooks=DIR`"), "{message}");
}
