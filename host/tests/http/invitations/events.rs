//! Events of invitations.

use serde_json::json;
use svc_covers::covers;

use super::{WEEK, claim, invitation, revoke, text};
use crate::support::listening::{EventClient, ListeningServer, quick};

#[covers("C13")]
#[tokio::test]
async fn changes_of_invitations_reach_those_who_may_read_them() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let member = server.as_user("member", &["member"]).await;
    let mut client = listening.listen(&owner).await;
    let mut other = listening.listen(&member).await;
    let expect = async |client: &mut EventClient, kind: &str, payload: serde_json::Value| {
        let message = client.next().await.unwrap();
        assert_eq!(message, json!({"type": kind, "payload": payload}));
    };
    let first = invitation(&owner, "member").await;
    let id = &first["invitationId"];
    let event = |status: &str| json!({"invitationId": id, "role": "member", "status": status});
    expect(&mut client, "invitation.created", event("active")).await;
    assert_eq!(claim(server, &text(&first, "shortcode"), "bob").await.status, 201);
    let bob = server.user_id("bob").await.to_string();
    let mut claimed = event("claimed");
    claimed["claimedBy"] = json!(bob);
    expect(&mut client, "invitation.claimed", claimed).await;

    let second = invitation(&owner, "music_user").await;
    let id = &second["invitationId"];
    let event = |status: &str| json!({"invitationId": id, "role": "music_user", "status": status});
    expect(&mut client, "invitation.created", event("active")).await;
    assert_eq!(revoke(&owner, &second).await, json!(true));
    expect(&mut client, "invitation.revoked", event("revoked")).await;

    let third = invitation(&owner, "member").await;
    let id = &third["invitationId"];
    let event = |status: &str| json!({"invitationId": id, "role": "member", "status": status});
    expect(&mut client, "invitation.created", event("active")).await;
    server.clock.advance(WEEK);
    server.state.invitations.expire().await.unwrap();
    expect(&mut client, "invitation.expired", event("expired")).await;
    server.state.invitations.expire().await.unwrap();
    assert!(client.is_silent().await);
    assert!(other.is_silent().await);
}
