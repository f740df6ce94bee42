//! The seats of the subscription.

use serde_json::json;
use svc_covers::covers;

use super::cloud_server::{invite, sign_in, with_cloud};
use super::{answer, read, refused};
use crate::support::listening::wait_for;
use crate::users::{create, new, update};
use svc_domain::time::Clock as _;

#[covers("code seats_exhausted")]
#[tokio::test]
async fn claim_beyond_the_seats_is_refused() {
    with_cloud(async |server, cloud, owner| {
        let made = invite(owner).await.json();
        cloud.bind("bob-at-cloud", server.clock.now());
        cloud.set_seats(Some(1));
        assert_eq!(
            answer(&sign_in(server, "bob-at-cloud").await),
            refused(409, "seats_exhausted")
        );
        server.state.invitations.sync().await.unwrap();
        assert_eq!(read(owner, &made).await["status"], "bound");
        cloud.set_seats(Some(2));
        assert_eq!(sign_in(server, "bob-at-cloud").await.status, 201);
        let seats = owner.get("/api/v1/licensing/seats").await.json();
        assert_eq!(seats, json!({"used": 2, "total": 2}));
        let subscription = owner.get("/api/v1/licensing/subscription").await.json();
        assert_eq!(
            (&subscription["tier"], &subscription["source"]),
            (&json!("family"), &json!("cloud"))
        );
        // The last report counts for new accounts, and is shown.
        cloud.set_away(true);
        let away = owner.get("/api/v1/licensing/subscription").await.json();
        assert_eq!(away, subscription);
        let seats = owner.get("/api/v1/licensing/seats").await.json();
        assert_eq!(seats, json!({"used": 2, "total": 2}));
    })
    .await;
}

#[covers("code seats_exhausted", "POST /api/v1/users", "PATCH /api/v1/users/{id}")]
#[tokio::test]
async fn accounts_beyond_the_seats_are_neither_created_nor_enabled() {
    with_cloud(async |server, cloud, owner| {
        // The owner's first invitation obtains the credential, without which nothing is known of seats.
        assert_eq!(invite(owner).await.status, 201);
        cloud.set_seats(Some(2));
        let bob = create(owner, &new("bob")).await.json();
        let bob = bob["userId"].as_str().unwrap();
        cloud.calls();
        let invitations = server.state.invitations.clone();
        let upkeep = svc_platform::tasks::spawn("upkeep", async move { invitations.run().await });
        wait_for(|| cloud.calls().contains(&"subscription")).await;
        upkeep.abort();
        // From now on it is known, whether the cloud responds or not.
        cloud.set_slow(true);
        let exhausted = refused(409, "seats_exhausted");
        assert_eq!(answer(&create(owner, &new("carl")).await), exhausted);
        let enable = |enabled: bool| json!({ "enabled": enabled });
        // Nobody more has a seat.
        assert_eq!(update(owner, bob, &enable(true)).await.status, 200);
        assert_eq!(update(owner, bob, &enable(false)).await.status, 200);
        assert_eq!(create(owner, &new("carl")).await.status, 201);
        assert_eq!(answer(&update(owner, bob, &enable(true)).await), exhausted);
        let name = json!({"displayName": "Bob"});
        assert_eq!(update(owner, bob, &name).await.status, 200);
        assert_eq!(cloud.calls(), [""; 0]);
    })
    .await;
}
