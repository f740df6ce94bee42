//! `POST /jobs` and the lists of jobs and types.

use serde_json::json;
use svc_covers::covers;

use super::JOBS;
use crate::UNKNOWN;
use crate::support::TestServer;
use svc_identity::capability::Capability;

#[covers(
    "POST /api/v1/jobs",
    "GET /api/v1/jobs",
    "GET /api/v1/jobs/types",
    "code too_many_jobs"
)]
#[tokio::test]
async fn jobs_are_created_listed_and_cancelled() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let types = owner.get("/api/v1/jobs/types").await.json();
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
        let reply = owner.post(JOBS, &body).await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
    }
    // No worker runs here, so jobs stay queued.
    let made = owner.post(JOBS, &json!({"type": "backup"})).await;
    let job = made.json();
    assert_eq!((made.status, &job["status"]), (201, &json!("queued")));
    assert_eq!(job["parameters"], json!({"keep": 7}));
    assert_eq!((&job["completedTasks"], &job["result"]), (&json!(0), &json!({})));
    let target = format!("{JOBS}/{}", job["jobId"].as_str().unwrap());
    assert_eq!(owner.get(&target).await.json(), job);
    for number in 0..100 {
        let reply = owner.post(JOBS, &json!({"type": "verify"})).await;
        assert_eq!(reply.status, 201, "{number}");
    }
    let refused = owner.post(JOBS, &json!({"type": "verify"})).await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (409, &json!("too_many_jobs"))
    );
    let list = owner.get(&format!("{JOBS}?order=ASC&take=1")).await.json();
    assert_eq!((&list[0][0]["jobId"], &list[1]), (&job["jobId"], &json!(101)));
    let list = owner
        .get(&format!("{JOBS}?type=backup&status=queued"))
        .await
        .json();
    assert_eq!(list[1], 1);
    assert_eq!(owner.get(&format!("{JOBS}?status=late")).await.status, 400);

    let act = async |action: &str| owner.patch(&target, &json!({"action": action})).await;
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
    assert_eq!(owner.get(&unknown).await.status, 404);
    assert_eq!(
        owner.patch(&unknown, &json!({"action": "pause"})).await.status,
        404
    );

    // A backup requires one more capability.
    let allowed = [Capability::JobsCreate, Capability::JobsRead];
    let user = server.user("worker", false, &["administrator"]).await;
    let token = server.as_token(user, Some(&allowed)).await;
    let backup = json!({"type": "backup", "parameters": {"keep": 0}});
    assert_eq!(token.post(JOBS, &backup).await.status, 403);
    // The capabilities suffice for a 404 about the ids.
    let reread = json!({"type": "reextract", "parameters": {"ids": [UNKNOWN]}});
    let reply = token.post(JOBS, &reread).await;
    assert_eq!(
        (reply.status, &reply.json()["errors"][0]["path"]),
        (404, &json!("parameters.ids[0]"))
    );
}
