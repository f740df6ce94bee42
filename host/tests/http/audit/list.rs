//! Who reads the audit log, and by which parameters.

use serde_json::json;
use svc_covers::covers;

use super::AUDIT;
use crate::support::TestServer;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[covers("GET /api/v1/audit")]
#[tokio::test]
async fn only_who_may_reads_the_log() {
    let server = TestServer::start().await;
    let reader = server.token(allowed_to(&server, "reader", &[Capability::AuditRead]).await);
    let settings = server.token(
        allowed_to(
            &server,
            "other",
            &[Capability::ServerSettingsRead, Capability::UsersRead],
        )
        .await,
    );
    assert_eq!(server.get_as(&reader, AUDIT).await.json(), json!([[], 0]));
    assert_eq!(server.get_as(&settings, AUDIT).await.status, 403);
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
            server.get_as(&reader, &format!("{AUDIT}?{query}")).await.status,
            400,
            "{query}"
        );
    }
}
