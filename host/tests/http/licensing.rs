//! `/licensing`.

use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;

#[covers("GET /api/v1/licensing/seats", "GET /api/v1/licensing/subscription")]
#[tokio::test]
async fn seats_and_subscription_are_reported() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    server.user("bob", false, &[]).await;
    let seats = token.get("/api/v1/licensing/seats").await;
    assert_eq!((seats.status, &seats.json()["used"]), (200, &json!(2)));
    let subscription = token.get("/api/v1/licensing/subscription").await;
    assert_eq!(subscription.status, 200);
    assert!(subscription.json()["tier"].is_string());
}
