//! The states of the indexer, cell by cell, with the events that each change causes, over real streams.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::event_streams::{Client, ListeningServer, PATIENCE, quick, wait_for};
use svc_domain::kind::MediaKind;
use svc_domain::scan::RunType;
use svc_indexer::indexing::{IndexAction, IndexState, StartRun};
use svc_indexer::scan::{Phase, ScanControl};

struct Bench {
    listening: ListeningServer,
    token: String,
    client: Client,
}

impl Bench {
    async fn start() -> Self {
        let listening = ListeningServer::start(quick()).await;
        listening.server.folder(MediaKind::music()).await;
        let token = listening.server.owner().await;
        let client = listening.listen(&token).await;
        Self {
            listening,
            token,
            client,
        }
    }

    /// Starts a run. It has come no further than to its first question to the database, so that a file can be taken at
    /// hand for it.
    async fn run(&self) -> Arc<ScanControl> {
        let request = StartRun::of_all(RunType::Full);
        let indexing = &self.listening.server.state.indexing;
        indexing.start(request, None).await.unwrap();
        indexing.control().unwrap()
    }

    async fn state(&self) -> String {
        let state = self
            .listening
            .server
            .get_as(&self.token, "/api/v1/index/state")
            .await;
        state.json()["state"].as_str().unwrap().to_owned()
    }

    /// The newest run as the list has it, with the number of runs.
    async fn newest(&self) -> (Value, Value) {
        let runs = self
            .listening
            .server
            .get_as(&self.token, "/api/v1/index/runs")
            .await;
        let runs = runs.json();
        (runs[0][0].clone(), runs[1].clone())
    }

    /// Asks for each, and compares the answers.
    async fn ask(&self, asked: &[(&str, u16, &str)]) {
        for (action, status, state) in asked {
            let (found, body) = self.listening.act(&self.token, action).await;
            assert_eq!(found, *status, "{action}");
            if found == 200 {
                assert_eq!(body["state"], json!(state), "{action}");
            } else {
                assert_eq!(body["code"], "index_action_conflict", "{action}");
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

#[covers("code indexing_in_progress")]
#[tokio::test]
async fn run_is_not_started_beside_another() {
    let mut bench = Bench::start().await;
    let control = bench.run().await;
    let at_hand = control.checkpoint().unwrap();
    let server = &bench.listening.server;
    let body = json!({"type": "quick"});
    let refused = server
        .send_as(&bench.token, "POST", "/api/v1/index/run", &body)
        .await;
    assert_eq!(
        (refused.status, refused.code().as_deref()),
        (409, Some("indexing_in_progress"))
    );
    assert_eq!(bench.newest().await.1, 1, "no row of it");
    drop(at_hand);
    assert_eq!(bench.heard().await, ["started", "completed"]);
    let server = &bench.listening.server;
    assert_eq!(
        server
            .send_as(&bench.token, "POST", "/api/v1/index/run", &body)
            .await
            .status,
        201
    );
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

#[tokio::test]
async fn short_run_tells_beginning_numbers_and_end() {
    let mut bench = Bench::start().await;
    let started = bench
        .listening
        .server
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

#[tokio::test]
async fn run_goes_to_its_end_though_whoever_asked_for_it_hung_up() {
    let bench = Bench::start().await;
    let indexing = &bench.listening.server.state.indexing;
    // At the first moment, and once the run is known but perhaps not stored.
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
async fn list_of_runs_tells_of_the_run_under_way_what_the_run_itself_does() {
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
