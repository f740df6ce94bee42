//! `/index`.

mod kinds;
mod run;
mod state;
mod watch;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::Client;
use crate::support::listening::{EventClient, ListeningServer, quick};
use svc_domain::kind::MediaKind;
use svc_domain::scan::RunType;
use svc_indexer::indexing::StartRun;
use svc_indexer::scan::ScanControl;

struct Bench {
    listening: ListeningServer,
    token: Client,
    client: EventClient,
}

impl Bench {
    async fn start() -> Self {
        let listening = ListeningServer::start(quick()).await;
        listening.server.folder(MediaKind::music()).await;
        let token = listening.server.as_owner().await;
        let client = listening.listen(&token).await;
        Self {
            listening,
            token,
            client,
        }
    }

    /// Starts a run and returns before it opens a file, so that a test can block the first one.
    async fn run(&self) -> Arc<ScanControl> {
        let request = StartRun::of_all(RunType::Full);
        let indexing = &self.listening.server.state.indexing;
        indexing.start(request, None).await.unwrap();
        indexing.control().unwrap()
    }

    async fn state(&self) -> String {
        let state = self.token.get("/api/v1/index/state").await;
        state.json()["state"].as_str().unwrap().to_owned()
    }

    /// The newest run of the list, and the total.
    async fn newest(&self) -> (Value, Value) {
        let runs = self.token.get("/api/v1/index/runs").await;
        let runs = runs.json();
        (runs[0][0].clone(), runs[1].clone())
    }

    /// Sends each action and compares the responses.
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

    /// The events up to the end of the run, without progress.
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
                assert!(self.client.is_silent().await, "no event follows the end");
                return heard;
            }
        }
    }
}
