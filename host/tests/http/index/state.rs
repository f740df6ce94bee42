//! `PATCH /index/state`: the state table of the indexer, with the events of each transition.

use serde_json::json;
use svc_covers::covers;

use super::Bench;
use crate::support::listening::wait_for;
use svc_indexer::indexing::{IndexAction, IndexState};
use svc_indexer::scan::Phase;

#[covers("code index_action_conflict", "R37")]
#[tokio::test]
async fn idle_takes_resume_alone_and_tells_nothing() {
    let mut bench = Bench::start().await;
    bench
        .ask(&[("pause", 409, ""), ("resume", 200, "idle"), ("stop", 409, "")])
        .await;
    for body in [json!({}), json!({"action": "dance"}), json!({"action": 1})] {
        let reply = bench
            .listening
            .server
            .send_as(&bench.token, "PATCH", "/api/v1/index/state", &body)
            .await;
        assert_eq!(reply.status, 400, "{body}");
    }
    assert!(bench.client.is_silent().await);
}

#[covers("PATCH /api/v1/index/state")]
#[tokio::test]
async fn pause_and_resume_take_effect_and_are_told_once() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let quick = json!({"type": "quick"});
    let server = &bench.listening.server;
    let second = server
        .send_as(&bench.token, "POST", "/api/v1/index/run", &quick)
        .await;
    assert_eq!(
        (second.status, second.code().as_deref()),
        (409, Some("indexing_in_progress"))
    );
    let at_hand = control.checkpoint().unwrap();
    // In flight: answered after two seconds, though it has not come.
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
async fn resume_calls_off_a_pause_in_flight_and_nobody_hears() {
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
async fn stop_beats_a_pause_in_flight_and_allows_none_after() {
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
    let runs = bench
        .listening
        .server
        .get_as(&bench.token, "/api/v1/index/runs")
        .await
        .json();
    assert_eq!(runs[0][0]["status"], "stopped");
}

#[covers("R39")]
#[tokio::test]
async fn stop_of_a_run_that_is_held_ends_it() {
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
async fn reset_ends_the_run_first_and_then_empties() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    let (server, token) = (&bench.listening.server, &bench.token);
    let body = json!({"type": "deindex", "validationPhrase": "Deindex media"});
    let reset = server.send_as(token, "POST", "/api/v1/reset", &body);
    let release = async {
        wait_for(|| control.phase() == Phase::Stopping).await;
        assert_eq!(
            bench.state().await,
            "indexing",
            "the reset waits for the file at hand"
        );
        drop(at_hand);
    };
    let (reply, ()) = tokio::join!(reset, release);
    assert_eq!(reply.status, 201);
    assert_eq!(bench.state().await, "idle");
    assert_eq!(bench.heard().await, ["started", "stopped"]);
}
