//! The job `purge_kind`: what a plugin that is gone has left is deleted.

use serde_json::{Value, json};

use super::{JOBS, done, run_jobs};
use crate::items::{ItemFixture, PARTS, with_comics};
use crate::support::databases::on_each_database_with;
use crate::support::listening::{ListeningServer, PATIENCE, quick};
use crate::support::{Client, TestServer, TestServerOptions};
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_identity::capability::Capability;

fn purge(kind: &str) -> Value {
    json!({"type": "purge_kind", "parameters": {"mediaKind": kind}})
}

async fn scan(server: &TestServer, owner: &Client) {
    let body = json!({"type": "quick", "mediaKinds": ["comics"]});
    assert_eq!(owner.post("/api/v1/index/run", &body).await.status, 201);
    server.state.indexing.wait_until_idle().await;
}

async fn enable(owner: &Client, enabled: bool) {
    let body = json!({ "enabled": enabled });
    assert_eq!(owner.patch("/api/v1/plugins/guest", &body).await.status, 200);
}

async fn comics(owner: &Client) -> Vec<String> {
    let list = owner.get("/api/v1/items?kind=comics").await.json();
    let items = list[0].as_array().unwrap().iter();
    items
        .map(|item| item["itemId"].as_str().unwrap().to_owned())
        .collect()
}

/// The only entry of an event, which follows the end of the job.
async fn audited(server: &TestServer, event: AuditEvent) -> AuditEntry {
    let reported = async {
        loop {
            let entries = server.audit(event).await;
            match entries.as_slice() {
                [] => tokio::task::yield_now().await,
                [entry] => return entry.clone(),
                more => panic!("{more:?}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, reported)
        .await
        .expect("the entry follows in time")
}

#[tokio::test]
async fn items_of_a_disabled_plugin_are_purged_and_new_ones_when_it_is_back() {
    on_each_database_with(with_comics, async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        run_jobs(server);
        let files = ["a.shared", "b.shared"].map(|name| server.directory.path().join("comics").join(name));
        for file in &files {
            std::fs::write(file, "good").unwrap();
        }
        scan(server, &owner).await;
        let before = comics(&owner).await;
        assert_eq!(before.len(), 2);
        let rating = json!({"mediaType": "item", "mediaId": before[0], "rating": 1.0});
        assert_eq!(owner.put("/api/v1/ratings", &rating).await.status, 200);
        let since = owner.get("/api/v1/changes").await.json()["next"].clone();

        let refused = owner.post(JOBS, &purge("comics")).await;
        assert_eq!(
            (refused.status, refused.code().as_deref()),
            (409, Some("plugin_action_conflict"))
        );
        enable(&owner, false).await;
        assert_eq!(comics(&owner).await, before, "disabling deletes nothing");
        let job = done(&owner, purge("comics")).await;
        assert_eq!(
            (&job["status"], &job["result"]),
            (&json!("completed"), &json!({"items": 2}))
        );
        assert_eq!(
            (&job["completedTasks"], &job["totalTasks"]),
            (&json!(2), &json!(2))
        );

        assert!(comics(&owner).await.is_empty(), "not a cached response");
        let item = format!("/api/v1/items/{}", before[0]);
        assert_eq!(owner.get(&item).await.status, 404);
        assert_eq!(owner.get("/api/v1/ratings").await.json(), json!([[], 0]));
        assert_eq!(owner.get("/api/v1/index/counts").await.json()["comicsFiles"], 0);
        let changes = owner.get(&format!("/api/v1/changes?since={since}")).await.json();
        let changes = changes["changes"].as_array().unwrap().iter();
        let mut removed: Vec<&str> = changes
            .map(|change| {
                assert_eq!(change["type"], "item.removed");
                change["id"].as_str().unwrap()
            })
            .collect();
        removed.sort_unstable();
        let mut expected = before.clone();
        expected.sort_unstable();
        assert_eq!(removed, expected);
        let entry = audited(server, AuditEvent::KindPurged).await;
        assert_eq!(entry.details["kind"], "comics");
        assert_eq!(entry.actor.unwrap().name.as_deref(), Some("ada"));

        // Once more, there is nothing to do.
        let again = done(&owner, purge("comics")).await;
        assert_eq!(
            (&again["status"], &again["totalTasks"]),
            (&json!("completed"), &json!(0))
        );
        for file in &files {
            assert_eq!(std::fs::read(file).unwrap(), b"good");
        }
        enable(&owner, true).await;
        scan(server, &owner).await;
        let after = comics(&owner).await;
        assert_eq!(after.len(), 2);
        assert!(after.iter().all(|id| !before.contains(id)), "{after:?}");
        server.state.jobs.stop();
    })
    .await;
}

#[tokio::test]
async fn purge_of_one_kind_leaves_the_others() {
    let fixture = ItemFixture::new().await;
    run_jobs(&fixture.server);
    let job = done(&fixture.owner, purge("books")).await;
    assert_eq!(
        (&job["completedTasks"], &job["result"]),
        (&json!(PARTS), &json!({"items": 1}))
    );
    let book = fixture.get(&format!("/api/v1/items/{}", fixture.book)).await;
    assert_eq!(book.status, 404);
    assert_eq!(comics(&fixture.owner).await.len(), 3);
    fixture.server.state.jobs.stop();
}

#[tokio::test]
async fn purge_needs_two_more_capabilities_and_a_kind_of_a_plugin() {
    let server = TestServer::start_with(with_comics()).await;
    let user = server.user("worker", false, &["administrator"]).await;
    let with = async |capabilities: &[Capability]| server.as_token(user, Some(capabilities)).await;
    let all = [
        Capability::JobsCreate,
        Capability::JobsRead,
        Capability::PluginsOperate,
        Capability::IndexingDeindex,
    ];
    for lacking in [Capability::PluginsOperate, Capability::IndexingDeindex] {
        let some: Vec<Capability> = all.into_iter().filter(|one| *one != lacking).collect();
        let reply = with(&some).await.post(JOBS, &purge("comics")).await;
        assert_eq!(reply.status, 403, "{lacking}");
    }
    let token = with(&all).await;
    let types = token.get("/api/v1/jobs/types").await.json();
    let mut types = types.as_array().unwrap().iter();
    let purging = types.find(|of| of["type"] == "purge_kind").unwrap();
    assert_eq!(
        purging["capabilities"],
        json!(["Jobs.Create", "Plugins.Operate", "Indexing.Deindex"])
    );
    for (body, status) in [
        (purge("music"), 400),
        (purge("photos"), 400),
        (purge("movies"), 400),
        (purge("tv"), 400),
        (purge("Not a kind"), 400),
        (json!({"type": "purge_kind"}), 400),
        (purge("scores"), 404),
    ] {
        let reply = token.post(JOBS, &body).await;
        let path = &reply.json()["errors"][0]["path"];
        assert_eq!(
            (reply.status, path),
            (status, &json!("parameters.mediaKind")),
            "{body}"
        );
    }
    assert_eq!(token.post(JOBS, &purge("comics")).await.status, 409);
    assert_eq!(token.get(JOBS).await.json()[1], 0);
}

#[tokio::test]
async fn purge_holds_off_runs_waits_for_its_turn_and_ends_when_the_plugin_is_back() {
    let server = TestServer::start_with(with_comics()).await;
    let owner = server.as_owner().await;
    run_jobs(&server);
    std::fs::write(server.directory.path().join("comics/a.shared"), "good").unwrap();
    scan(&server, &owner).await;
    let before = comics(&owner).await;
    enable(&owner, false).await;

    // As a purge does.
    let hold = server.state.indexing.hold_runs().await;
    let run = owner.post("/api/v1/index/run", &json!({"type": "quick"})).await;
    assert_eq!(
        (run.status, run.code().as_deref()),
        (409, Some("indexing_in_progress"))
    );
    let purging = done(&owner, purge("comics"));
    let back = async {
        while owner.get(&format!("{JOBS}?status=running")).await.json()[1] == 0 {
            tokio::task::yield_now().await;
        }
        enable(&owner, true).await;
        drop(hold);
    };
    let (job, ()) = tokio::join!(purging, back);
    assert_eq!(
        (&job["status"], &job["completedTasks"]),
        (&json!("failed"), &json!(0))
    );
    let reason = job["error"].as_str().unwrap();
    assert!(reason.contains("reads files of the kind `comics`"), "{reason}");
    let entry = audited(&server, AuditEvent::KindPurgeFailed).await;
    assert_eq!(entry.details["kind"], "comics");
    scan(&server, &owner).await;
    assert_eq!(comics(&owner).await, before);
    server.state.jobs.stop();
}

#[tokio::test]
async fn purge_that_is_cancelled_is_audited() {
    let server = TestServer::start_with(with_comics()).await;
    let owner = server.as_owner().await;
    run_jobs(&server);
    enable(&owner, false).await;
    let hold = server.state.indexing.hold_runs().await;
    let purging = done(&owner, purge("comics"));
    let cancelling = async {
        let running = loop {
            let list = owner.get(&format!("{JOBS}?status=running")).await.json();
            if let Some(job) = list[0].get(0) {
                break job["jobId"].as_str().unwrap().to_owned();
            }
            tokio::task::yield_now().await;
        };
        let target = format!("{JOBS}/{running}");
        let body = json!({"action": "cancel"});
        assert_eq!(owner.patch(&target, &body).await.status, 200);
    };
    let (job, ()) = tokio::join!(purging, cancelling);
    assert_eq!(job["status"], "cancelled");
    let entry = audited(&server, AuditEvent::KindPurgeFailed).await;
    assert_eq!(entry.details["reason"], "the job was cancelled");
    drop(hold);
    server.state.jobs.stop();
}

#[tokio::test]
async fn purged_items_are_announced_to_those_who_may_read_items() {
    let listening = ListeningServer::start_with(TestServerOptions {
        event_limits: quick(),
        ..with_comics()
    })
    .await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    std::fs::write(server.directory.path().join("comics/a.shared"), "good").unwrap();
    scan(server, &owner).await;
    let ids = comics(&owner).await;
    enable(&owner, false).await;
    let mut reader = listening.listen(&server.as_user("ann", &["member"]).await).await;
    run_jobs(server);
    assert_eq!(done(&owner, purge("comics")).await["status"], "completed");
    assert_eq!(
        reader.next().await.unwrap(),
        json!({"type": "item.removed", "payload": {"itemId": ids[0], "kind": "comics"}})
    );
    server.state.jobs.stop();
}
