//! Jobs: asked for, held, ended, taken up again, told of; and what each type does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use svc_covers::covers;
use svc_identity::audit::BackgroundLog;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::event_streams::{ListeningServer, PATIENCE, quick, wait_for};
use crate::{TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_domain::id::{FileId, JobId};
use svc_domain::job::{Job, JobAction, JobStatus};
use svc_domain::kind::MediaKind;
use svc_domain::time::Clock as _;
use svc_domain::user::CustomRole;
use svc_events::Events;
use svc_identity::Context;
use svc_identity::capability::Capability;
use svc_identity::credential::Credential;
use svc_identity::error::{ErrorCode, Result as Outcome, ServiceError};
use svc_library::jobs::types::JobType;
use svc_library::jobs::work::{ItemJob, ItemOutcome, ItemWork};
use svc_library::jobs::{JobItems, Jobs, RegisteredJob, pregeneration_job};
use svc_platform::random::SystemRandom;
use svc_platform::tasks;
use svc_store::{Store, StoreOptions};
use svc_test_support::databases::{Schema, postgres_url};

const JOBS: &str = "/api/v1/jobs";
const UNKNOWN: &str = "0000000000001";
const ITEMS: i64 = 600;

pub(super) static COUNTING: JobType = JobType {
    name: "counting",
    about: "Does numbers.",
    also: None,
    parameters: &[],
    audited: None,
};

/// Work that waits for leave before each number, and notes what it did.
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

/// A process that does such work: aborting its task is a crash.
fn process(server: &TestServer, events: &Events, work: &Arc<Counting>) -> (Jobs, JoinHandle<()>) {
    let registered = RegisteredJob {
        job_type: &COUNTING,
        work: Arc::new(ItemJob(Arc::clone(work))),
    };
    start(server, events, registered)
}

pub(super) fn start(
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

pub(super) async fn ask(server: &TestServer, jobs: &Jobs, token: &str) -> Job {
    let credential = Credential::AccessToken(token.to_owned());
    let actor = server.state.authentication.actor(Some(credential)).await.unwrap();
    jobs.create(&actor, "counting", &Value::Null).await.unwrap()
}

/// Waits until the job stands there, in the database.
pub(super) async fn until(server: &TestServer, id: JobId, status: JobStatus) -> Job {
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
        .expect("it gets there")
}

/// Runs `test` on SQLite, and on PostgreSQL if there is a server.
async fn on_each_database(test: impl AsyncFn(&TestServer)) {
    test(&TestServer::start().await).await;
    let Some(postgres) = postgres_url() else { return };
    let schema = Schema::create(&postgres).await;
    let server = TestServer::start_with(TestServerOptions {
        database_url: Some(schema.url.clone()),
        ..TestServerOptions::default()
    })
    .await;
    test(&server).await;
    server.store.database.close().await;
    schema.drop().await;
}

/// Tasks that the job's row says are done.
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

#[tokio::test]
async fn job_that_a_crash_cut_off_goes_on_where_it_was_and_skips_nothing() {
    on_each_database(async |server: &TestServer| {
        let token = server.owner().await;
        let work = Counting::new(0);
        let mut id = None;
        // Each process is cut off in the middle of an item, at some moment between two savings.
        for leave in [150, 1, 200] {
            let (jobs, task) = process(server, &Events::default(), &work);
            if id.is_none() {
                id = Some(ask(server, &jobs, &token).await.id);
            }
            let (target, stored) = (work.so_far(), stored(server, id.unwrap()).await);
            work.leave.add_permits(leave);
            wait_for(|| work.leave.available_permits() == 0).await;
            while self::stored(server, id.unwrap()).await == stored {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
            assert!(work.so_far() > target || leave == 1);
            let job = server.store.jobs.job(id.unwrap()).await.unwrap().unwrap();
            assert_eq!(job.status, JobStatus::Running);
        }
        let (_, task) = process(server, &Events::default(), &work);
        work.leave.add_permits(ITEMS as usize);
        let job = until(server, id.unwrap(), JobStatus::Completed).await;
        assert_eq!(job.progress.total, Some(ITEMS));
        assert_eq!((job.progress.completed, job.progress.failed), (ITEMS, 6));
        assert_eq!(job.progress.result["failures"][0]["reason"], "round");
        assert!(job.started_at.is_some() && job.completed_at.is_some() && job.error.is_none());
        {
            let done = work.done.lock().unwrap();
            assert!(
                (1..=ITEMS).all(|item| done.contains_key(&item)),
                "none is skipped"
            );
            let again = done.values().filter(|times| **times > 1).count();
            assert!(
                again < 300,
                "{again} done again: the state was not stored in between"
            );
        }
        task.abort();
    })
    .await;
}

#[covers("PATCH /api/v1/jobs/{jobId}", "code job_action_conflict")]
#[tokio::test]
async fn job_is_held_goes_on_and_is_cancelled_as_the_table_says_and_events_tell_of_it() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.owner().await;
    let role = CustomRole {
        name: "worker".into(),
        capabilities: vec!["Jobs.Create".into()],
        created_at: server.clock.now(),
    };
    let mut change = server.store.identity.change_identity().await.unwrap();
    assert!(change.insert_role(&role).await.unwrap());
    change.commit().await.unwrap();
    let asker = server.token(server.user("asker", false, &["worker"]).await);
    let other = server.token(server.user("other", false, &["worker"]).await);
    let mut hears = [listening.listen(&owner).await, listening.listen(&asker).await];
    let mut deaf = listening.listen(&other).await;
    let work = Counting::new(0);
    let (jobs, task) = process(server, &server.state.events, &work);
    let first = ask(server, &jobs, &asker).await;
    let second = ask(server, &jobs, &asker).await;
    until(server, first.id, JobStatus::Running).await;
    assert_eq!(
        jobs.get(second.id).await.unwrap().status,
        JobStatus::Queued,
        "one of a type at a time"
    );

    // (action, allowed) in the states that a job comes through.
    let act = async |id, action| jobs.act(id, action).await.map(|job| job.status);
    let refused = |outcome: Outcome<JobStatus>| {
        matches!(
            outcome,
            Err(ServiceError::Conflict {
                code: ErrorCode::JobActionConflict,
                ..
            })
        )
    };
    assert!(refused(act(first.id, JobAction::Resume).await));
    work.leave.add_permits(10);
    wait_for(|| work.so_far() == 10).await;
    assert_eq!(act(first.id, JobAction::Pause).await.unwrap(), JobStatus::Paused);
    assert!(refused(act(first.id, JobAction::Pause).await));
    // The next of the type has its turn.
    until(server, second.id, JobStatus::Running).await;
    assert_eq!(
        act(second.id, JobAction::Cancel).await.unwrap(),
        JobStatus::Cancelled
    );
    for action in [JobAction::Pause, JobAction::Resume, JobAction::Cancel] {
        assert!(refused(act(second.id, action).await));
    }
    assert_eq!(act(first.id, JobAction::Resume).await.unwrap(), JobStatus::Queued);
    work.leave.add_permits(ITEMS as usize * 2);
    let ended = until(server, first.id, JobStatus::Completed).await;
    assert_eq!(ended.progress.completed, ITEMS);
    assert!(refused(act(first.id, JobAction::Cancel).await));
    assert!(jobs.act(JobId::from(1), JobAction::Pause).await.is_err());

    for client in &mut hears {
        let mut told = Vec::new();
        while told.len() < 5 {
            let event = client.next().await.unwrap();
            let payload = &event["payload"];
            match event["type"].as_str().unwrap() {
                "job.current_progress" => assert!(payload["completedTasks"].is_number()),
                kind => told.push((kind.to_owned(), payload.clone())),
            }
        }
        let started = |job: &Job| {
            let payload = json!({"jobId": job.id, "type": "counting"});
            ("job.started".to_owned(), payload)
        };
        let completed = |job: &Job, status: &str| {
            let payload = json!({"jobId": job.id, "status": status});
            ("job.completed".to_owned(), payload)
        };
        let expected = [
            started(&first),
            started(&second),
            completed(&second, "cancelled"),
            started(&first),
            completed(&first, "completed"),
        ];
        assert_eq!(told, expected);
    }
    assert!(deaf.is_silent().await);
    jobs.stop();
    tokio::time::timeout(Duration::from_secs(2), task)
        .await
        .expect("it stops soon")
        .unwrap();
}

#[tokio::test]
async fn stopping_leaves_the_job_where_it_is() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let work = Counting::new(0);
    let (jobs, task) = process(&server, &Events::default(), &work);
    let job = ask(&server, &jobs, &token).await;
    work.leave.add_permits(40);
    wait_for(|| work.so_far() == 40).await;
    jobs.stop();
    tokio::time::timeout(Duration::from_secs(2), task)
        .await
        .expect("it stops soon")
        .unwrap();
    let left = server.store.jobs.job(job.id).await.unwrap().unwrap();
    assert_eq!((left.status, left.progress.cursor), (JobStatus::Running, 40));
    assert_eq!(left.progress.completed, 40);
}

fn run_jobs(server: &TestServer) {
    let jobs = server.state.jobs.clone();
    tasks::spawn("jobs", async move { jobs.run().await });
}

/// Asks for a job and waits for its end.
async fn done(server: &TestServer, token: &str, body: Value) -> Value {
    let made = server.send_as(token, "POST", JOBS, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    let target = format!("{JOBS}/{}", made.json()["jobId"].as_str().unwrap());
    let waiting = async {
        loop {
            let job = server.get_as(token, &target).await.json();
            if !["queued", "running"].contains(&job["status"].as_str().unwrap()) {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it ends")
}

#[covers(
    "POST /api/v1/jobs",
    "GET /api/v1/jobs",
    "GET /api/v1/jobs/types",
    "code too_many_jobs"
)]
#[tokio::test]
async fn jobs_are_asked_for_listed_and_acted_on() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let types = server.get_as(&owner, "/api/v1/jobs/types").await.json();
    let names: Vec<_> = types
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["type"].as_str().unwrap())
        .collect();
    for name in ["backup", "reextract", "verify"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let backup = types
        .as_array()
        .unwrap()
        .iter()
        .find(|of| of["type"] == "backup")
        .unwrap();
    assert_eq!(backup["capabilities"], json!(["Jobs.Create", "Backups.Create"]));
    assert_eq!(backup["parameters"]["properties"]["keep"]["maximum"], 100);
    assert_eq!(backup["parameters"]["additionalProperties"], false);
    for (body, path) in [
        (json!({"type": "dance"}), "type"),
        (
            json!({"type": "verify", "parameters": {"deep": true}}),
            "parameters.deep",
        ),
        (
            json!({"type": "backup", "parameters": {"keep": 0}}),
            "parameters.keep",
        ),
        (json!({"type": "reextract"}), "parameters"),
        (json!({}), "type"),
    ] {
        let reply = server.send_as(&owner, "POST", JOBS, &body).await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
    }
    // Nobody does them here, so they wait.
    let made = server
        .send_as(&owner, "POST", JOBS, &json!({"type": "backup"}))
        .await;
    let job = made.json();
    assert_eq!((made.status, &job["status"]), (201, &json!("queued")));
    assert_eq!(job["parameters"], json!({"keep": 7}));
    assert_eq!((&job["completedTasks"], &job["result"]), (&json!(0), &json!({})));
    let target = format!("{JOBS}/{}", job["jobId"].as_str().unwrap());
    assert_eq!(server.get_as(&owner, &target).await.json(), job);
    for number in 0..100 {
        let reply = server
            .send_as(&owner, "POST", JOBS, &json!({"type": "verify"}))
            .await;
        assert_eq!(reply.status, 201, "{number}");
    }
    let refused = server
        .send_as(&owner, "POST", JOBS, &json!({"type": "verify"}))
        .await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (409, &json!("too_many_jobs"))
    );
    let list = server
        .get_as(&owner, &format!("{JOBS}?order=ASC&take=1"))
        .await
        .json();
    assert_eq!((&list[0][0]["jobId"], &list[1]), (&job["jobId"], &json!(101)));
    let list = server
        .get_as(&owner, &format!("{JOBS}?type=backup&status=queued"))
        .await
        .json();
    assert_eq!(list[1], 1);
    assert_eq!(
        server.get_as(&owner, &format!("{JOBS}?status=late")).await.status,
        400
    );

    let act = async |action: &str| {
        server
            .send_as(&owner, "PATCH", &target, &json!({"action": action}))
            .await
    };
    let wrong = act("resume").await;
    assert_eq!(
        (wrong.status, &wrong.json()["code"]),
        (409, &json!("job_action_conflict"))
    );
    assert_eq!(act("pause").await.json()["status"], "paused");
    assert_eq!(act("resume").await.json()["status"], "queued");
    let cancelled = act("cancel").await.json();
    assert_eq!(cancelled["status"], "cancelled");
    assert!(cancelled["completedAt"].is_string());
    assert_eq!(act("cancel").await.status, 409);
    assert_eq!(act("dance").await.status, 400);
    let unknown = format!("{JOBS}/{UNKNOWN}");
    assert_eq!(server.get_as(&owner, &unknown).await.status, 404);
    assert_eq!(
        server
            .send_as(&owner, "PATCH", &unknown, &json!({"action": "pause"}))
            .await
            .status,
        404
    );

    // A backup takes a capability more.
    let allowed = [Capability::JobsCreate, Capability::JobsRead];
    let user = server.user("worker", false, &["administrator"]).await;
    let token = super::access_matrix::personal_access_token(&server, user, Some(&allowed)).await;
    let backup = json!({"type": "backup", "parameters": {"keep": 0}});
    assert_eq!(server.send_as(&token, "POST", JOBS, &backup).await.status, 403);
    // Enough to be told that what is named is not there.
    let reread = json!({"type": "reextract", "parameters": {"ids": [UNKNOWN]}});
    let reply = server.send_as(&token, "POST", JOBS, &reread).await;
    assert_eq!(
        (reply.status, &reply.json()["errors"][0]["path"]),
        (404, &json!("parameters.ids[0]"))
    );
}

#[tokio::test]
async fn verify_finds_files_that_are_gone_or_changed_and_changes_nothing() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        run_jobs(server);
        let folder = server.folder(MediaKind::photos()).await;
        let mut photos: Vec<FileId> = Vec::new();
        let recorded = SystemTime::UNIX_EPOCH + Duration::from_nanos(1_600_000_000_123_456_789);
        for name in ["good.jpg", "gone.jpg", "longer.jpg", "touched.jpg"] {
            photos.push(server.photo(folder, name, b"jpeg").await);
            let file = std::fs::File::options().write(true).open(server.root.join("Album").join(name));
            file.unwrap().set_modified(recorded).unwrap();
        }
        let at = |name: &str| server.root.join("Album").join(name);
        std::fs::remove_file(at("gone.jpg")).unwrap();
        std::fs::write(at("longer.jpg"), b"longer").unwrap();
        std::fs::write(at("touched.jpg"), b"JPEG").unwrap();
        let before = server.get_as(&owner, "/api/v1/photos").await.json();
        let job = done(server, &owner, json!({"type": "verify"})).await;
        assert_eq!(job["status"], "completed", "{job}");
        let result = &job["result"];
        assert_eq!(
            (&result["database"], &result["missing"], &result["changed"]),
            (&json!("ok"), &json!(1), &json!(2))
        );
        assert_eq!((&job["completedTasks"], &job["totalTasks"], &job["failedTasks"]), (&json!(4), &json!(4), &json!(3)));
        assert_eq!(
            result["findings"][0],
            json!({"fileId": photos[1], "mediaKind": "photos", "path": "Album/gone.jpg", "finding": "missing"})
        );
        assert_eq!(server.get_as(&owner, "/api/v1/photos").await.json(), before);
        std::fs::rename(&server.root, server.root.with_extension("away")).unwrap();
        let job = done(server, &owner, json!({"type": "verify"})).await;
        assert_eq!(job["result"]["unavailable"], 4);
        server.state.jobs.stop();
    })
    .await;
}

#[covers("T52")]
#[tokio::test]
async fn backup_opens_as_the_database_it_is_of() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    run_jobs(&server);
    let folder = server.folder(MediaKind::photos()).await;
    let photo = server.photo(folder, "a.jpg", b"jpeg").await;
    let job = done(
        &server,
        &owner,
        json!({"type": "backup", "parameters": {"keep": 1}}),
    )
    .await;
    assert_eq!(job["status"], "completed", "{job}");
    let name = job["result"]["name"].as_str().unwrap();
    let backup = server.directory.path().join("backups").join(name);
    assert_eq!(job["result"]["bytes"].as_u64().unwrap(), {
        let files = [
            "svc.db",
            "instance-id",
            "keys/signing.key",
            "keys/plugin-cache.key",
        ];
        files
            .map(|file| backup.join(file).metadata().unwrap().len())
            .iter()
            .sum::<u64>()
    });
    // The job is done a moment before the log says so.
    let told = async {
        loop {
            let lines = server.audit(AuditEvent::BackupMade).await;
            match lines.as_slice() {
                [] => tokio::task::yield_now().await,
                [line] => return line.clone(),
                more => panic!("{more:?}"),
            }
        }
    };
    let line = tokio::time::timeout(PATIENCE, told).await.unwrap();
    assert_eq!(line.details["name"], name);
    assert_eq!(json!(line.details["jobId"]), job["jobId"]);
    assert_eq!(line.actor.unwrap().name.as_deref(), Some("ada"));
    // What is done later is not in it.
    server.photo(folder, "b.jpg", b"jpeg").await;
    let copy = backup.join("svc.db");
    let store = Store::open(&format!("sqlite:{}", copy.display()), StoreOptions::default())
        .await
        .unwrap();
    store.database.check_integrity().await.unwrap();
    let scope = svc_domain::library::MediaScope::All;
    assert!(store.photos.photo(&scope, photo.into()).await.unwrap().is_some());
    assert_eq!(store.files.count_known_files().await.unwrap(), 1);
    assert_eq!(server.store.files.count_known_files().await.unwrap(), 2);
    store.database.close().await;
    // The next one takes its place.
    let next = done(
        &server,
        &owner,
        json!({"type": "backup", "parameters": {"keep": 1}}),
    )
    .await;
    assert_ne!(next["result"]["name"], job["result"]["name"]);
    assert!(!backup.exists());
    server.state.jobs.stop();
}

#[tokio::test]
async fn backup_of_postgresql_is_refused_and_its_tool_is_named() {
    let Some(postgres) = postgres_url() else { return };
    let schema = Schema::create(&postgres).await;
    let server = TestServer::start_with(TestServerOptions {
        database_url: Some(schema.url.clone()),
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.owner().await;
    let refused = server
        .send_as(&owner, "POST", JOBS, &json!({"type": "backup"}))
        .await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.json()["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("pg_dump")
    );
    server.store.database.close().await;
    schema.drop().await;
}

#[tokio::test]
async fn reading_again_without_files_is_soon_done() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        run_jobs(server);
        server.folder(MediaKind::music()).await;
        let none = done(
            server,
            &owner,
            json!({"type": "reextract", "parameters": {"mediaKind": "music"}}),
        )
        .await;
        assert_eq!(
            (&none["status"], &none["totalTasks"]),
            (&json!("completed"), &json!(0))
        );
        server.state.jobs.stop();
    })
    .await;
}

#[tokio::test]
async fn items_are_prepared_one_by_one_and_those_that_cannot_be_are_named() {
    on_each_database(async |server: &TestServer| {
        let token = server.owner().await;
        let folder = server.folder(MediaKind::photos()).await;
        let mut photos = Vec::new();
        for number in 0..5 {
            photos.push(
                server
                    .photo(folder, &format!("{number}.jpg"), b"jpeg")
                    .await
                    .get(),
            );
        }
        let (made, bad) = (Arc::new(Mutex::new(Vec::new())), photos[2]);
        let make = {
            let made = Arc::clone(&made);
            move |item: i64| {
                let made = Arc::clone(&made);
                async move {
                    made.lock().unwrap().push(item);
                    match item {
                        _ if item == bad => Err(ServiceError::Absent {
                            code: ErrorCode::FileMissing,
                            message: "the file is not there any more",
                        }),
                        _ => Ok(()),
                    }
                }
            }
        };
        let registered = pregeneration_job(&COUNTING, &server.store.jobs, JobItems::Photos, make);
        let (jobs, task) = start(server, &Events::default(), registered);
        let job = ask(server, &jobs, &token).await;
        let ended = until(server, job.id, JobStatus::Completed).await;
        assert_eq!((ended.progress.completed, ended.progress.failed), (5, 1));
        let failures = &ended.progress.result["failures"];
        let reason = json!({"id": FileId::from(bad), "reason": "the file is not there any more"});
        assert_eq!(failures, &json!([reason]));
        assert_eq!(*made.lock().unwrap(), photos);
        for items in [JobItems::PicturedReleases, JobItems::Tracks] {
            assert_eq!(server.store.jobs.count_job_items(items).await.unwrap(), 0);
            assert!(server.store.jobs.job_items(items, 0, 9).await.unwrap().is_empty());
        }
        jobs.stop();
        task.await.unwrap();
    })
    .await;
}
