//! `/invitations`: kept by this server, and in `at_cloud.rs` by a cloud.

mod at_cloud;
mod by_sign_in;
mod claim;
mod cloud_server;
mod create;
mod events;
mod guesses;
mod held;
mod list;
mod races;
mod revoke;
mod seats;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::accounts::PASSWORD;
use crate::support::{Client, Reply, TestServer};

pub(crate) const INVITATIONS: &str = "/api/v1/invitations";
pub(crate) const CLAIM: &str = "/api/v1/invitations/claim";
/// Lifetime of an invitation.
pub(crate) const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The owner with a new access token, as after a jump of the clock.
pub(crate) async fn owner(server: &TestServer) -> Client {
    server.client(server.user_id("ada").await)
}

pub(crate) async fn invite(client: &Client, role: &str) -> Reply {
    client.post(INVITATIONS, &json!({ "role": role })).await
}

/// A new invitation.
pub(crate) async fn invitation(client: &Client, role: &str) -> Value {
    let reply = invite(client, role).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.json()
}

pub(crate) fn text(value: &Value, key: &str) -> String {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {value}"))
        .to_owned()
}

pub(crate) fn credentials(shortcode: &str, username: &str) -> Value {
    json!({"shortcode": shortcode, "username": username, "password": PASSWORD})
}

/// Uses an invitation, at the music app.
pub(crate) async fn claim(server: &TestServer, shortcode: &str, username: &str) -> Reply {
    claim_at(server, "music", &credentials(shortcode, username)).await
}

pub(crate) async fn claim_at(server: &TestServer, app: &str, body: &Value) -> Reply {
    let headers = [("svc-app", app), ("content-type", "application/json")];
    server.send("POST", CLAIM, &headers, &body.to_string()).await
}

/// The invitation as the inviter reads it.
pub(crate) async fn read(client: &Client, invitation: &Value) -> Value {
    let target = format!("{INVITATIONS}/{}", text(invitation, "invitationId"));
    let reply = client.get(&target).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

pub(crate) async fn revoke(client: &Client, invitation: &Value) -> Value {
    let target = format!("{INVITATIONS}/{}", text(invitation, "invitationId"));
    let reply = client.delete(&target).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

pub(crate) fn assert_unavailable(reply: &Reply, what: &str) {
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (404, Some("invitation_unavailable")),
        "{what}"
    );
}

/// Status and code of a response.
fn answer(reply: &Reply) -> (u16, Option<String>) {
    (reply.status, reply.code())
}

fn refused(status: u16, code: &str) -> (u16, Option<String>) {
    (status, Some(code.to_owned()))
}
