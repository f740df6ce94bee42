//! The states of the indexer, cell by cell, with the events that each change causes, over real streams.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::events_bed::{Client, Streaming, quick};
use crate::domain::kind::MediaKind;
use crate::domain::scan::RunType;
use crate::scan::ScanControl;
use crate::service::indexing::{IndexAction, IndexState, StartRun};

struct Bench {
    server: Streaming,
    token: String,
    client: Client,
}

impl Bench {
    async fn start() -> Self {
        let server = Streaming::start(quick()).await;
        server.bed.folder(MediaKind::music()).await;
        let token = server.bed.owner().await;
        let client = server.listen(&token).await;
        Self {
            server,
            token,
            client,
        }
    }

    /// Starts a run. Nothing else has run in this thread since, so that a file can be taken at hand for it.
    async fn run(&self) -> Arc<ScanControl> {
        let request = StartRun::of_all(RunType::Full);
        let indexing = &self.server.bed.state.indexing;
        indexing.start(request, None).await.unwrap();
        indexing.control().unwrap()
    }

    async fn state(&self) -> String {
        let state = self.server.bed.get_as(&self.token, "/api/v1/index/state").await;
        state.json()["state"].as_str().unwrap().to_owned()
    }

    /// Asks for each, and compares the answers.
    async fn ask(&self, asked: &[(&str, u16, &str)]) {
        for (action, status, state) in asked {
            let (found, found_state) = self.server.act(&self.token, action).await;
            assert_eq!(found, *status, "{action}");
            if found == 200 {
                assert_eq!(found_state, json!(state), "{action}");
            }
        }
    }

    /// The events up to the end of the run, without the numbers in between.
    async fn heard(&mut self) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let kind = self.client.next_type().await;
            let kind = kind.strip_prefix("indexing.").unwrap().to_owned();
            if kind == "current_progress" {
                continue;
            }
            let is_last = kind == "completed" || kind == "stopped";
            heard.push(kind);
            if is_last {
                assert!(self.client.is_silent().await, "nothing follows the end");
                return heard;
            }
        }
    }
}

#[tokio::test]
async fn idle_takes_resume_alone_and_tells_nothing() {
    let mut bench = Bench::start().await;
    bench
        .ask(&[("pause", 409, ""), ("resume", 200, "idle"), ("stop", 409, "")])
        .await;
    for body in [json!({}), json!({"action": "dance"}), json!({"action": 1})] {
        let reply = bench
            .server
            .bed
            .send_as(&bench.token, "PATCH", "/api/v1/index/state", &body)
            .await;
        assert_eq!(reply.status, 400, "{body}");
    }
    assert!(bench.client.is_silent().await);
}

#[tokio::test]
async fn pause_and_resume_take_effect_and_are_told_once() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
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
        .server
        .bed
        .get_as(&bench.token, "/api/v1/index/runs")
        .await
        .json();
    assert_eq!(runs[0][0]["status"], "stopped");
}

#[tokio::test]
async fn stop_of_a_run_that_is_held_ends_it() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    let pausing = bench.server.bed.state.indexing.clone();
    let pause = crate::tasks::spawn("pause", async move { pausing.act(IndexAction::Pause).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(at_hand);
    let state = pause.await.unwrap().unwrap();
    assert_eq!(state, IndexState::Paused);
    assert_eq!(bench.state().await, "paused");
    bench.ask(&[("stop", 200, "idle")]).await;
    assert_eq!(bench.heard().await, ["started", "paused", "stopped"]);
}

#[tokio::test]
async fn short_run_tells_beginning_numbers_and_end() {
    let mut bench = Bench::start().await;
    let started = bench
        .server
        .bed
        .send_as(
            &bench.token,
            "POST",
            "/api/v1/index/run",
            &json!({"type": "quick"}),
        )
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
    // Whoever hears the end finds the indexer idle.
    assert_eq!(bench.state().await, "idle");
}

#[tokio::test]
async fn reset_ends_the_run_first_and_then_empties() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    let (bed, token) = (&bench.server.bed, &bench.token);
    let body = json!({"type": "deindex", "validationPhrase": "Deindex media"});
    let reset = bed.send_as(token, "POST", "/api/v1/reset", &body);
    let release = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
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
