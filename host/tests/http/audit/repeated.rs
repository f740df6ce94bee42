//! Repeated entries are counted, and entries of background work are written.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::accounts::allowed_to;
use crate::support::databases::{kiosk, on_each_database_with};
use crate::support::{Client, TestServer, TestServerOptions};
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_domain::kind::MediaKind;
use svc_identity::capability::Capability;
use svc_plugin_host::{BuiltIn, Component};
use svc_test_support::guests;

fn times(lines: &[AuditEntry]) -> Vec<i64> {
    lines.iter().map(|line| line.times).collect()
}

fn detail<'a>(line: &'a AuditEntry, key: &str) -> &'a str {
    line.details.get(key).map_or("", String::as_str)
}

async fn repeated_lines_are_counted(server: TestServer) {
    let server = &server;
    server.clock.stop();
    let owner = server.as_owner().await;
    let renames = [Capability::CurrentUserUpdate, Capability::CurrentUserRead];
    let eve = server.client(allowed_to(server, "eve", &renames).await);
    let rename = async |token: &Client, name: String| {
        let body = json!({"displayName": name});
        let reply = token.patch("/api/v1/users/current", &body).await;
        assert_eq!(reply.status, 200);
    };
    for number in 0..50 {
        server.clock.advance(Duration::from_secs(1));
        rename(&eve, format!("Eve {number}")).await;
    }
    rename(&owner, "Ada".to_owned()).await;
    let lines = server.audit(AuditEvent::UserUpdated).await;
    assert_eq!(times(&lines), [1, 50], "one entry per actor");
    assert_eq!(lines[1].last_at.millis() - lines[1].at.millis(), 49_000);
    let shown = owner.get("/api/v1/audit?event=user_updated").await.json();
    assert_eq!((&shown[1], &shown[0][1]["count"]), (&json!(2), &json!(50)));
    assert!(shown[0][1]["lastAt"].as_str() > shown[0][1]["at"].as_str());
    // An entry counts repetitions for one minute.
    server.clock.advance(Duration::from_secs(11));
    rename(&eve, "Eve".to_owned()).await;
    assert_eq!(times(&server.audit(AuditEvent::UserUpdated).await), [1, 1, 50]);
    // Logins of guests are counted too.
    let guest = server.store.users.guest().await.unwrap().unwrap();
    for _ in 0..10 {
        let body = json!({"username": guest.username});
        assert_eq!(server.login(&[("svc-app", "music")], &body).await.status, 201);
    }
    assert_eq!(times(&server.audit(AuditEvent::LoginSucceeded).await), [10]);
}

#[covers("S8")]
#[tokio::test]
async fn repeated_action_is_one_audit_entry_with_a_count() {
    on_each_database_with(kiosk, repeated_lines_are_counted).await;
}

async fn different_lines_are_kept_apart(server: TestServer) {
    let server = &server;
    server.clock.stop();
    let owner = server.as_owner().await;
    let mut ids = Vec::new();
    for number in 0..40 {
        ids.push(
            server
                .user(&format!("user{number}"), false, &[])
                .await
                .to_string(),
        );
    }
    let assign = "/api/v1/roles/member/assignments";
    let some = owner.post(assign, &json!({"userIds": &ids[..3]})).await;
    assert_eq!(some.status, 201);
    let lines = server.audit(AuditEvent::RoleAssigned).await;
    let targets: Vec<_> = lines
        .iter()
        .map(|line| line.target.as_ref().unwrap().id.unwrap().to_string())
        .collect();
    assert_eq!(times(&lines), [1, 1, 1]);
    assert!(ids[..3].iter().all(|id| targets.contains(id)), "{targets:?}");
    // At most thirty entries per actor, event and minute; the rest is counted.
    let rest = owner.post(assign, &json!({"userIds": &ids[3..]})).await;
    assert_eq!(rest.status, 201);
    let lines = server.audit(AuditEvent::RoleAssigned).await;
    assert_eq!(lines.len(), 31);
    let more: Vec<_> = lines.iter().filter(|line| line.target.is_none()).collect();
    assert_eq!((more.len(), more[0].times), (1, 10));
    assert_eq!(detail(more[0], "more"), "not told one by one");
    assert_eq!(times(&lines).iter().sum::<i64>(), 40);
}

#[tokio::test]
async fn entries_about_different_targets_are_separate_up_to_a_limit() {
    on_each_database_with(kiosk, different_lines_are_kept_apart).await;
}

async fn runs_leave_lines(server: TestServer) {
    let server = &server;
    let owner = server.as_owner().await;
    server.folder(MediaKind::music()).await;
    let body = json!({"type": "full"});
    let run = owner.post("/api/v1/index/run", &body).await;
    assert_eq!(run.status, 201);
    server.state.indexing.wait_until_idle().await;
    for event in [AuditEvent::IndexRunStarted, AuditEvent::IndexRunEnded] {
        let lines = server.audit(event).await;
        assert_eq!(lines.len(), 1, "{event:?}");
        let line = &lines[0];
        let actor = line.actor.as_ref().unwrap();
        assert_eq!(actor.name.as_deref(), Some("ada"));
        assert_eq!(json!(detail(line, "runId")), run.json()["runId"]);
        assert_eq!(
            (detail(line, "trigger"), detail(line, "runType")),
            ("user", "full")
        );
        let status = if event == AuditEvent::IndexRunEnded {
            "completed"
        } else {
            ""
        };
        assert_eq!(detail(line, "status"), status);
    }
}

#[covers("S8")]
#[tokio::test]
async fn index_run_writes_an_entry_at_start_and_end() {
    on_each_database_with(kiosk, runs_leave_lines).await;
}

#[covers("S8")]
#[tokio::test]
async fn quarantine_writes_an_entry_for_each_plugin() {
    let plugin = |id: &'static str| BuiltIn {
        name: id,
        component: Component::Plain(guests::plugin("trap", id).leak()),
    };
    let server = TestServer::start_with(TestServerOptions {
        plugins: vec![plugin("one"), plugin("two")],
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    server.folder(MediaKind::music()).await;
    for number in 0..8 {
        for extension in ["one", "two"] {
            std::fs::write(server.root.join(format!("{number}.{extension}")), b"x").unwrap();
        }
    }
    let body = json!({"type": "quick"});
    let run = owner.post("/api/v1/index/run", &body).await;
    assert_eq!(run.status, 201);
    server.state.indexing.wait_until_idle().await;
    let plugins = owner.get("/api/v1/plugins").await.json();
    let states: Vec<&Value> = plugins
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["state"])
        .collect();
    assert_eq!(states, ["quarantined", "quarantined"]);
    let maintenance = server.app.maintenance.clone();
    let upkeep = svc_platform::tasks::spawn("upkeep", async move { maintenance.run().await });
    let mut lines = Vec::new();
    let reported = async {
        while lines.len() < 2 {
            tokio::task::yield_now().await;
            lines = server.audit(AuditEvent::PluginQuarantined).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reported)
        .await
        .unwrap();
    upkeep.abort();
    assert_eq!(times(&server.audit(AuditEvent::PluginQuarantined).await), [1, 1]);
    let mut named: Vec<_> = lines.iter().map(|line| detail(line, "plugin")).collect();
    named.sort_unstable();
    assert_eq!(named, ["one", "two"]);
    assert!(
        lines
            .iter()
            .all(|line| !detail(line, "reason").is_empty() && line.actor.is_none())
    );
}
