//! `GET /users/active`.

use svc_covers::covers;

use super::{USERS, names};
use crate::support::TestServer;

#[covers("GET /api/v1/users/active")]
#[tokio::test]
async fn active_users_are_those_of_the_last_fifteen_minutes() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let bob = server.user("bob", false, &[]).await;
    server.client(bob).get("/api/v1/versions").await;
    let active = token.get(&format!("{USERS}/active")).await.json();
    assert_eq!(names(&active), ["ada", "bob"]);
    assert!(active[0]["lastActiveAt"].is_string() && active[0].get("roles").is_none());
    server.clock.advance(std::time::Duration::from_secs(15 * 60 + 1));
    let ada = server.client(server.store.users.owner().await.unwrap().unwrap().user.id);
    assert_eq!(names(&ada.get(&format!("{USERS}/active")).await.json()), ["ada"]);
}
