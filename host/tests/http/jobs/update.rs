//! `PATCH /jobs/{jobId}`: pause, resume, cancel.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::{Counting, ITEMS, ask, process, until};
use crate::support::listening::{ListeningServer, quick, wait_for};
use svc_domain::id::JobId;
use svc_domain::job::{Job, JobAction, JobStatus};
use svc_domain::time::Clock as _;
use svc_domain::user::CustomRole;
use svc_identity::error::{ErrorCode, Result as Outcome, ServiceError};

#[covers("PATCH /api/v1/jobs/{jobId}", "code job_action_conflict")]
#[tokio::test]
async fn job_is_paused_resumed_and_cancelled_with_events() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let role = CustomRole {
        name: "worker".into(),
        capabilities: vec!["Jobs.Create".into()],
        created_at: server.clock.now(),
    };
    let mut change = server.store.identity.change_identity().await.unwrap();
    assert!(change.insert_role(&role).await.unwrap());
    change.commit().await.unwrap();
    let asker = server.as_user("asker", &["worker"]).await;
    let other = server.as_user("other", &["worker"]).await;
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
        "one job of a type at a time"
    );

    // Allowed and refused actions in each status.
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
    // The next job of the type starts.
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
        let mut reported = Vec::new();
        while reported.len() < 5 {
            let event = client.next().await.unwrap();
            let payload = &event["payload"];
            match event["type"].as_str().unwrap() {
                "job.current_progress" => assert!(payload["completedTasks"].is_number()),
                kind => reported.push((kind.to_owned(), payload.clone())),
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
        assert_eq!(reported, expected);
    }
    assert!(deaf.is_silent().await);
    jobs.stop();
    tokio::time::timeout(Duration::from_secs(2), task)
        .await
        .expect("the worker stops in time")
        .unwrap();
}
