//! The first sign-in of a cloud account that holds an invitation.

use serde_json::json;
use svc_covers::covers;

use super::cloud_server::{invite, sign_in, with_cloud};
use super::{INVITATIONS, answer, read, refused, revoke};
use crate::support::listening::wait_for;
use svc_domain::time::Clock as _;
use svc_identity::cloud::CloudInvitationStatus;

#[covers("C11", "POST /api/v1/auth/login")]
#[tokio::test]
async fn sign_in_of_the_holder_makes_a_linked_account() {
    with_cloud(async |server, cloud, owner| {
        let made = invite(owner).await.json();
        // Nobody holds it.
        assert_eq!(sign_in(server, "bob-at-cloud").await.status, 401);
        cloud.bind("bob-at-cloud", server.clock.now());
        server.state.invitations.sync().await.unwrap();
        let bound = read(owner, &made).await;
        assert_eq!(bound["status"], "bound");
        assert!(bound["boundAt"].is_string());
        let list = owner.get(&format!("{INVITATIONS}?status=bound")).await.json();
        assert_eq!(list.as_array().unwrap().len(), 1);
        assert_eq!(sign_in(server, "eve-at-cloud").await.status, 401);
        let reply = sign_in(server, "bob-at-cloud").await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let user = &reply.json()["user"];
        assert_eq!(
            (&user["username"], &user["cloudLinked"]),
            (&json!("bob-at-cloud"), &json!(true))
        );
        assert_eq!(user["roles"], json!(["member"]));
        let claimed = read(owner, &made).await;
        assert_eq!(
            (&claimed["status"], &claimed["claimedBy"]),
            (&json!("claimed"), &user["userId"])
        );
        wait_for(|| cloud.newest().status == CloudInvitationStatus::Claimed).await;
        // From now on it is an ordinary sign-in.
        cloud.calls();
        assert_eq!(sign_in(server, "bob-at-cloud").await.status, 201);
        assert_eq!(cloud.calls(), ["account"]);
        // The reserved name `guest` becomes another.
        invite(owner).await;
        cloud.bind("guest", server.clock.now());
        assert_eq!(sign_in(server, "guest").await.json()["user"]["username"], "user");
    })
    .await;
}

#[covers("T32")]
#[tokio::test]
async fn parallel_sign_ins_of_the_holder_make_one_account() {
    with_cloud(async |server, cloud, owner| {
        invite(owner).await;
        cloud.bind("bob-at-cloud", server.clock.now());
        let before = server.number("SELECT count(*) FROM users").await;
        let body = json!({"cloudToken": "token-bob-at-cloud"}).to_string();
        let mut sign_ins = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (client, body) = (server.anonymous(), body.clone());
            sign_ins.spawn(async move {
                let headers = [("svc-app", "music"), ("content-type", "application/json")];
                client
                    .request("POST", "/api/v1/auth/login", &headers, &body)
                    .await
                    .status
            });
        }
        assert_eq!(sign_ins.join_all().await, [201; 20]);
        assert_eq!(server.number("SELECT count(*) FROM users").await, before + 1);
    })
    .await;
}

#[tokio::test]
async fn refused_claim_of_the_holder_leaves_the_invitation() {
    with_cloud(async |server, cloud, owner| {
        let made = invite(owner).await.json();
        cloud.bind("bob-at-cloud", server.clock.now());
        let body = json!({"cloudToken": "token-bob-at-cloud"});
        // The app is not permitted.
        assert_eq!(server.login(&[("svc-app", "admin")], &body).await.status, 403);
        cloud.set_away(true);
        assert_eq!(
            answer(&sign_in(server, "bob-at-cloud").await),
            refused(503, "cloud_unavailable")
        );
        cloud.set_away(false);
        assert_eq!(revoke(owner, &made).await, json!(true));
        assert_eq!(sign_in(server, "bob-at-cloud").await.status, 401);
    })
    .await;
}
