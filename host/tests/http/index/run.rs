//! `POST /index/run`, and what is reported about runs.

use std::task::Poll;
use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::Bench;
use crate::support::TestServer;
use crate::support::listening::PATIENCE;
use svc_domain::kind::MediaKind;
use svc_domain::scan::RunType;
use svc_indexer::indexing::{IndexState, StartRun};

#[covers("code indexing_in_progress")]
#[tokio::test]
async fn second_run_is_409() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    let body = json!({"type": "quick"});
    let refused = bench.token.post("/api/v1/index/run", &body).await;
    assert_eq!(
        (refused.status, refused.code().as_deref()),
        (409, Some("indexing_in_progress"))
    );
    assert_eq!(bench.newest().await.1, 1, "no run is stored");
    drop(at_hand);
    assert_eq!(bench.heard().await, ["started", "completed"]);
    assert_eq!(bench.token.post("/api/v1/index/run", &body).await.status, 201);
}

#[tokio::test]
async fn short_run_publishes_start_progress_and_end() {
    let mut bench = Bench::start().await;
    let started = bench
        .token
        .post("/api/v1/index/run", &json!({"type": "quick"}))
        .await
        .json();
    let run = &started["runId"];
    let first = bench.client.next().await.unwrap();
    assert_eq!(first["type"], "indexing.started");
    assert_eq!(
        first["payload"],
        json!({"runId": run, "startedAt": started["startedAt"], "type": "quick"})
    );
    let numbers = bench.client.next().await.unwrap();
    assert_eq!(numbers["type"], "indexing.current_progress");
    let payload = &numbers["payload"];
    assert_eq!((&payload["runId"], &payload["state"]), (run, &json!("indexing")));
    assert!(payload["counts"]["music"]["found"].is_u64(), "{payload}");
    assert!(payload["filesPerSecond"].is_number(), "{payload}");
    let last = bench.client.next().await.unwrap();
    assert_eq!(last["type"], "indexing.completed");
    let payload = &last["payload"];
    assert_eq!(
        (&payload["runId"], &payload["status"]),
        (run, &json!("completed"))
    );
    assert!(payload["at"].is_string() && payload["counts"]["music"].is_object());
    // The indexer is idle when the event arrives.
    assert_eq!(bench.state().await, "idle");
}

#[tokio::test]
async fn run_completes_after_its_client_disconnected() {
    let bench = Bench::start().await;
    let indexing = &bench.listening.server.state.indexing;
    // Dropped before the run is known, and before it is stored.
    for (number, moment) in [(1, IndexState::Idle), (2, IndexState::Indexing)] {
        let mut start = Box::pin(indexing.start(StartRun::of_all(RunType::Full), None));
        std::future::poll_fn(|context| {
            let is_over = start.as_mut().poll(context).is_ready();
            if is_over || indexing.state().0 == moment {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        drop(start);
        let end = async {
            loop {
                let (run, runs) = bench.newest().await;
                if runs == json!(number) && run["status"] == "completed" {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            indexing.wait_until_idle().await;
        };
        let end = tokio::time::timeout(PATIENCE, end).await;
        assert!(end.is_ok(), "run {number}: {:?}", bench.newest().await);
    }
    assert_eq!(bench.state().await, "idle");
}

#[tokio::test]
async fn list_of_runs_shows_the_status_of_the_active_run() {
    let bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    bench.ask(&[("pause", 200, "indexing")]).await;
    assert_eq!(bench.newest().await.0["status"], "running");
    drop(at_hand);
    assert_eq!(bench.newest().await.0["status"], "paused");
    bench.ask(&[("resume", 200, "indexing")]).await;
    bench.listening.server.state.indexing.wait_until_idle().await;
    assert_eq!(bench.newest().await.0["status"], "completed");
}

#[covers(
    "POST /api/v1/index/run",
    "GET /api/v1/index/run/logs",
    "GET /api/v1/index/runs",
    "GET /api/v1/index/counts"
)]
#[tokio::test]
async fn run_is_started_and_reported() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    server.folder(MediaKind::music()).await;
    let state = token.get("/api/v1/index/state").await.json();
    assert_eq!(state, json!({"state": "idle", "run": null}));
    for (action, status) in [("pause", 409), ("stop", 409), ("resume", 200), ("dance", 400)] {
        let reply = token
            .patch("/api/v1/index/state", &json!({"action": action}))
            .await;
        assert_eq!(reply.status, status, "{action}");
    }
    assert_eq!(token.patch("/api/v1/index/state", &json!({})).await.status, 400);
    for body in [json!({}), json!({"type": "slow"})] {
        assert_eq!(token.post("/api/v1/index/run", &body).await.status, 400, "{body}");
    }
    let tv = json!({"type": "quick", "mediaKinds": ["tv"]});
    let reply = token.post("/api/v1/index/run", &tv).await;
    assert_eq!(reply.status, 404, "no directory of the kind");
    let reply = token.post("/api/v1/index/run", &json!({"type": "quick"})).await;
    assert_eq!(reply.status, 201);
    let run = reply.json()["runId"].as_str().unwrap().to_owned();
    for _ in 0..500 {
        if token.get("/api/v1/index/state").await.json()["state"] == "idle" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let item = token.get(&format!("/api/v1/index/runs/{run}")).await.json();
    assert_eq!(
        (&item["type"], &item["status"]),
        (&json!("quick"), &json!("completed"))
    );
    assert!(item["startedBy"].is_string() && item["completedAt"].is_string());
    assert_eq!(token.get("/api/v1/index/runs").await.json()[1], 1);
    assert_eq!(
        token
            .get(&format!("/api/v1/index/run/logs?runId={run}"))
            .await
            .status,
        200
    );
    assert_eq!(
        token
            .get("/api/v1/index/run/logs?runId=0000000000001")
            .await
            .json(),
        json!([[], 0])
    );
    assert_eq!(token.get("/api/v1/index/counts").await.json()["tvFiles"], 0);
    let directories = token.get("/api/v1/index/directories").await.json();
    assert_eq!(directories[0]["mediaKind"], "music");
    assert_eq!(token.get("/api/v1/plugins").await.json(), json!([]));
}
