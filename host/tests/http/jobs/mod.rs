//! `/jobs`, and a job type that only counts.

mod create;
mod purge_kind;
mod restart;
mod types;
mod update;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::support::listening::PATIENCE;
use crate::support::{Client, TestServer};
use svc_domain::id::JobId;
use svc_domain::job::{Job, JobStatus};
use svc_events::Events;
use svc_identity::Context;
use svc_identity::audit::BackgroundLog;
use svc_identity::credential::Credential;
use svc_identity::error::Result as Outcome;
use svc_library::jobs::types::JobType;
use svc_library::jobs::work::{ItemJob, ItemOutcome, ItemWork};
use svc_library::jobs::{Jobs, RegisteredJob};
use svc_platform::random::SystemRandom;
use svc_platform::tasks;

const JOBS: &str = "/api/v1/jobs";

const ITEMS: i64 = 600;

pub(crate) static COUNTING: JobType = JobType {
    name: "counting",
    about: "Does numbers.",
    also: &[],
    parameters: &[],
    audited: None,
};

/// Work that needs a permit for each number, and counts what it did.
#[derive(Debug)]
struct Counting {
    leave: Semaphore,
    done: Mutex<HashMap<i64, u32>>,
}

impl Counting {
    fn new(leave: usize) -> Arc<Self> {
        Arc::new(Self {
            leave: Semaphore::new(leave),
            done: Mutex::default(),
        })
    }

    fn so_far(&self) -> usize {
        self.done.lock().unwrap().len()
    }
}

impl ItemWork for Counting {
    fn count<'a>(&'a self, _parameters: &'a Value) -> BoxFuture<'a, Outcome<u64>> {
        async { Ok(ITEMS as u64) }.boxed()
    }

    fn list<'a>(&'a self, _: &'a Value, after: i64, take: u32) -> BoxFuture<'a, Outcome<Vec<i64>>> {
        let numbers: Vec<i64> = (after + 1..=ITEMS).take(take as usize).collect();
        async move { Ok(numbers) }.boxed()
    }

    fn work<'a>(&'a self, _: &'a Value, item: i64) -> BoxFuture<'a, Outcome<ItemOutcome>> {
        async move {
            self.leave.acquire().await.unwrap().forget();
            *self.done.lock().unwrap().entry(item).or_default() += 1;
            Ok(if item % 100 == 0 {
                ItemOutcome::Failed("round".to_owned())
            } else {
                ItemOutcome::Done
            })
        }
        .boxed()
    }
}

/// A process with a worker; aborting its task simulates a crash.
fn process(server: &TestServer, events: &Events, work: &Arc<Counting>) -> (Jobs, JoinHandle<()>) {
    let registered = RegisteredJob {
        job_type: &COUNTING,
        work: Arc::new(ItemJob(Arc::clone(work))),
    };
    start(server, events, registered)
}

pub(crate) fn start(
    server: &TestServer,
    events: &Events,
    registered: RegisteredJob,
) -> (Jobs, JoinHandle<()>) {
    let log = BackgroundLog::new(
        server.store.audit.clone(),
        server.store.users.clone(),
        Arc::clone(&server.ids),
        server.clock.clone(),
    );
    let context = Context {
        identity: server.store.identity.clone(),
        ids: Arc::clone(&server.ids),
        clock: server.clock.clone(),
        random: Arc::new(SystemRandom),
        tasks: server.state.authentication.tasks().clone(),
    };
    let jobs = Jobs::new(
        context,
        server.store.jobs.clone(),
        log,
        events.clone(),
        vec![registered],
    );
    let running = jobs.clone();
    (jobs, tasks::spawn("jobs", async move { running.run().await }))
}

pub(crate) async fn ask(server: &TestServer, jobs: &Jobs, token: &Client) -> Job {
    let credential = Credential::AccessToken(token.to_string());
    let actor = server.state.authentication.actor(Some(credential)).await.unwrap();
    jobs.create(&actor, "counting", &Value::Null).await.unwrap()
}

/// Waits until the job has this status in the database.
pub(crate) async fn until(server: &TestServer, id: JobId, status: JobStatus) -> Job {
    let waiting = async {
        loop {
            let job = server.store.jobs.job(id).await.unwrap().unwrap();
            if job.status == status {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .expect("the job reaches the status in time")
}

/// Completed tasks in the job's row.
async fn stored(server: &TestServer, id: JobId) -> i64 {
    server
        .store
        .jobs
        .job(id)
        .await
        .unwrap()
        .unwrap()
        .progress
        .completed
}

fn run_jobs(server: &TestServer) {
    let jobs = server.state.jobs.clone();
    tasks::spawn("jobs", async move { jobs.run().await });
}

/// Creates a job and waits for its end.
async fn done(token: &Client, body: Value) -> Value {
    let made = token.post(JOBS, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    let target = format!("{JOBS}/{}", made.json()["jobId"].as_str().unwrap());
    let waiting = async {
        loop {
            let job = token.get(&target).await.json();
            if !["queued", "running"].contains(&job["status"].as_str().unwrap()) {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .expect("the job ends in time")
}
