//! `PATCH /index/state`: the state table of the indexer, with the events of each transition.

use serde_json::json;
use svc_covers::covers;

use super::Bench;
use crate::support::listening::wait_for;
use svc_indexer::indexing::{IndexAction, IndexState};
use svc_indexer::scan::Phase;

#[covers("code index_action_conflict", "R37")]
#[tokio::test]
async fn idle_indexer_accepts_only_resume_and_publishes_nothing() {
    let mut bench = Bench::start().await;
    bench
        .ask(&[("pause", 409, ""), ("resume", 200, "idle"), ("stop", 409, "")])
        .await;
    for body in [json!({}), json!({"action": "dance"}), json!({"action": 1})] {
        let reply = bench.token.patch("/api/v1/index/state", &body).await;
        assert_eq!(reply.status, 400, "{body}");
    }
    assert!(bench.client.is_silent().await);
}

#[covers("PATCH /api/v1/index/state")]
#[tokio::test]
async fn pause_and_resume_publish_one_event_each() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let quick = json!({"type": "quick"});
    let second = bench.token.post("/api/v1/index/run", &quick).await;
    assert_eq!(
        (second.status, second.code().as_deref()),
        (409, Some("indexing_in_progress"))
    );
    let at_hand = control.checkpoint().unwrap();
    // A pending action is answered after two seconds, before it takes effect.
    bench
        .ask(&[
            ("resume", 200, "indexing"),
            ("pause", 200, "indexing"),
            ("pause", 200, "indexing"),
        ])
        .await;
    drop(at_hand);
    bench
        .ask(&[("pause", 409, ""), ("resume", 200, "indexing")])
        .await;
    assert_eq!(bench.heard().await, ["started", "paused", "resumed", "completed"]);
    assert_eq!(bench.state().await, "idle");
}

#[covers("R38")]
#[tokio::test]
async fn resume_cancels_a_pending_pause_without_an_event() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    bench
        .ask(&[("pause", 200, "indexing"), ("resume", 200, "indexing")])
        .await;
    drop(at_hand);
    assert_eq!(bench.heard().await, ["started", "completed"]);
}

#[covers("R38")]
#[tokio::test]
async fn stop_overrides_a_pending_pause() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    bench
        .ask(&[
            ("pause", 200, "indexing"),
            ("stop", 200, "indexing"),
            ("pause", 409, ""),
            ("resume", 200, "indexing"),
            ("stop", 200, "indexing"),
        ])
        .await;
    drop(at_hand);
    assert_eq!(bench.heard().await, ["started", "stopped"]);
    let runs = bench.token.get("/api/v1/index/runs").await.json();
    assert_eq!(runs[0][0]["status"], "stopped");
}

#[covers("R39")]
#[tokio::test]
async fn stop_ends_a_paused_run() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    let pausing = bench.listening.server.state.indexing.clone();
    let pause = svc_platform::tasks::spawn("pause", async move { pausing.act(IndexAction::Pause).await });
    wait_for(|| control.phase() == Phase::Pausing).await;
    drop(at_hand);
    let state = pause.await.unwrap().unwrap();
    assert_eq!(state, IndexState::Paused);
    assert_eq!(bench.state().await, "paused");
    bench.ask(&[("stop", 200, "idle")]).await;
    assert_eq!(bench.heard().await, ["started", "paused", "stopped"]);
}

#[covers("R40")]
#[tokio::test]
async fn reset_stops_the_run_before_it_empties_the_index() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    let body = json!({"type": "deindex", "validationPhrase": "Deindex media"});
    let reset = bench.token.post("/api/v1/reset", &body);
    let release = async {
        wait_for(|| control.phase() == Phase::Stopping).await;
        assert_eq!(
            bench.state().await,
            "indexing",
            "the reset waits for the current file"
        );
        drop(at_hand);
    };
    let (reply, ()) = tokio::join!(reset, release);
    assert_eq!(reply.status, 201);
    assert_eq!(bench.state().await, "idle");
    assert_eq!(bench.heard().await, ["started", "stopped"]);
}
