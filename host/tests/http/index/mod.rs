//! `/index`.

mod run;
mod state;
mod watch;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::listening::{Client, ListeningServer, quick};
use svc_domain::kind::MediaKind;
use svc_domain::scan::RunType;
use svc_indexer::indexing::StartRun;
use svc_indexer::scan::ScanControl;

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
