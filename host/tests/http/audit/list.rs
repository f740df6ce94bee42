//! Who reads the audit log, and by which parameters.

use serde_json::json;
use svc_covers::covers;

use super::AUDIT;
use crate::support::TestServer;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[covers("GET /api/v1/audit")]
#[tokio::test]
async fn audit_log_without_its_capability_is_403() {
    let server = TestServer::start().await;
    let reader = server.client(allowed_to(&server, "reader", &[Capability::AuditRead]).await);
    let settings = server.client(
        allowed_to(
            &server,
            "other",
            &[Capability::ServerSettingsRead, Capability::UsersRead],
        )
        .await,
    );
    assert_eq!(reader.get(AUDIT).await.json(), json!([[], 0]));
    assert_eq!(settings.get(AUDIT).await.status, 403);
    assert_eq!(server.get(AUDIT).await.status, 401);
    for query in [
        "event=nothing",
        "event=",
        "userId=junk",
        "take=1001",
        "skip=-1",
        "sort=event",
        "order=asc",
    ] {
        assert_eq!(
            reader.get(&format!("{AUDIT}?{query}")).await.status,
            400,
            "{query}"
        );
    }
}
