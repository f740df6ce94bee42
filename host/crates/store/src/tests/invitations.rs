//! Invitations: each change of a status is one conditional update. Credentials for clouds.

use crate::NewInvitation;
use crate::tests::*;
use svc_domain::id::InvitationId;
use svc_domain::invitation::{CloudInvitation, Invitation, InvitationStatus};

const CLOUD: &str = "https://cloud.example";

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(NOW.millis() + millis)
}

/// An invitation that ends after a second.
fn new(test_store: &TestStore, creator: UserId) -> Invitation {
    Invitation {
        id: test_store.id(),
        role: "member".into(),
        status: InvitationStatus::Active,
        target: None,
        cloud: None,
        created_by: creator,
        created_at: NOW,
        expires_at: at(1_000),
        bound_at: None,
        claimed_at: None,
        claimed_by: None,
    }
}

async fn insert(test_store: &TestStore, invitation: &Invitation, hash: &[u8]) {
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    let new = NewInvitation {
        invitation,
        shortcode_hash: Some(hash),
        creator_cloud_account: None,
        reserved_for: None,
    };
    change.insert_invitation(&new).await.unwrap();
    change.commit().await.unwrap();
}

/// A reserved invitation, and the active one with this id at the cloud.
async fn at_cloud(test_store: &TestStore, creator: UserId, cloud_id: &str) -> Invitation {
    let invitation = new(test_store, creator);
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    let reserved = NewInvitation {
        invitation: &invitation,
        shortcode_hash: None,
        creator_cloud_account: Some("c1"),
        reserved_for: Some(CLOUD),
    };
    change.insert_invitation(&reserved).await.unwrap();
    let active = change
        .activate_invitation(invitation.id, cloud_id, at(900))
        .await
        .unwrap();
    change.commit().await.unwrap();
    active.unwrap()
}

async fn claim(test_store: &TestStore, id: InvitationId, user: UserId, now: Timestamp) -> Option<Invitation> {
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    let claimed = change.claim_invitation(id, user, now).await.unwrap();
    change.commit().await.unwrap();
    claimed
}

async fn revoke(test_store: &TestStore, id: InvitationId, now: Timestamp) -> Option<Invitation> {
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    let revoked = change.revoke_invitation(id, now).await.unwrap();
    change.commit().await.unwrap();
    revoked
}

#[tokio::test]
async fn open_invitation_is_claimed_or_revoked_once_before_its_end() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &["owner"]).await;
        let invitations = &test_store.store.invitations;
        let (first, second, third) = (new(test_store, ada), new(test_store, ada), new(test_store, ada));
        for (invitation, hash) in [(&first, b"1"), (&second, b"2"), (&third, b"3")] {
            insert(test_store, invitation, hash).await;
        }
        assert_eq!(invitations.get(first.id).await.unwrap(), Some(first.clone()));
        assert_eq!(
            invitations.by_shortcode(b"2").await.unwrap(),
            Some(second.clone())
        );
        assert_eq!(invitations.by_shortcode(b"4").await.unwrap(), None);
        let claimed = claim(test_store, first.id, ada, at(999)).await.unwrap();
        assert_eq!(claimed.status, InvitationStatus::Claimed);
        assert_eq!(
            (claimed.claimed_by, claimed.claimed_at),
            (Some(ada), Some(at(999)))
        );
        assert_eq!(claim(test_store, first.id, ada, at(0)).await, None);
        assert_eq!(revoke(test_store, first.id, at(0)).await, None);
        let revoked = revoke(test_store, second.id, at(0)).await.unwrap();
        assert_eq!(revoked.status, InvitationStatus::Revoked);
        assert_eq!(claim(test_store, second.id, ada, at(0)).await, None);
        // At its end it is neither claimed nor revoked.
        assert_eq!(claim(test_store, third.id, ada, at(1_000)).await, None);
        assert_eq!(revoke(test_store, third.id, at(1_000)).await, None);
        let ids = async |status, now| -> Vec<InvitationId> {
            let list = invitations.list(status, now).await.unwrap();
            list.into_iter().map(|one| one.id).collect()
        };
        assert_eq!(ids(None, NOW).await, [third.id, second.id, first.id]);
        for (status, now, expected) in [
            (InvitationStatus::Active, at(999), vec![third.id]),
            (InvitationStatus::Active, at(1_000), vec![]),
            (InvitationStatus::Expired, at(999), vec![]),
            (InvitationStatus::Expired, at(1_000), vec![third.id]),
            (InvitationStatus::Claimed, at(1_000), vec![first.id]),
            (InvitationStatus::Revoked, at(1_000), vec![second.id]),
        ] {
            assert_eq!(ids(Some(status), now).await, expected, "{status:?} {now:?}");
        }
        let expired = invitations.expire(at(1_000)).await.unwrap();
        assert_eq!(expired.iter().map(|one| one.id).collect::<Vec<_>>(), [third.id]);
        assert_eq!(invitations.expire(at(1_000)).await.unwrap(), []);
        assert_eq!(ids(Some(InvitationStatus::Expired), NOW).await, [third.id]);
    })
    .await;
}

#[tokio::test]
async fn reserved_invitation_counts_and_is_seen_by_nobody() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &["owner"]).await;
        let bob = test_store.user("bob", &["member"]).await;
        let invitations = test_store.store.invitations.clone();
        let reserved = new(test_store, ada);
        let mut change = test_store.store.identity.change_identity().await.unwrap();
        let row = NewInvitation {
            invitation: &reserved,
            shortcode_hash: None,
            creator_cloud_account: Some("c1"),
            reserved_for: Some(CLOUD),
        };
        change.insert_invitation(&row).await.unwrap();
        for (user, cloud_account, after, count) in [
            (ada, None, at(-1), 1),
            (ada, Some("c1"), at(-1), 1),
            (bob, Some("c1"), at(-1), 1),
            (bob, Some("c2"), at(-1), 0),
            (bob, None, at(-1), 0),
            (ada, None, NOW, 0),
        ] {
            let counted = change
                .count_invitations(user, cloud_account, after)
                .await
                .unwrap();
            assert_eq!(counted, count, "{user} {cloud_account:?}");
        }
        change.commit().await.unwrap();
        assert_eq!(invitations.list(None, NOW).await.unwrap(), []);
        assert_eq!(invitations.get(reserved.id).await.unwrap(), None);
        assert_eq!(claim(test_store, reserved.id, bob, NOW).await, None);
        invitations.delete_reservations(NOW).await.unwrap();
        let mut change = test_store.store.identity.change_identity().await.unwrap();
        assert_eq!(change.count_invitations(ada, None, at(-1)).await.unwrap(), 1);
        drop(change);
        invitations.release(reserved.id).await.unwrap();
        let mut change = test_store.store.identity.change_identity().await.unwrap();
        assert_eq!(change.count_invitations(ada, None, at(-1)).await.unwrap(), 0);
        assert_eq!(
            change.activate_invitation(reserved.id, "i", NOW).await.unwrap(),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn statuses_of_the_cloud_change_open_invitations_alone() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &["owner"]).await;
        let invitations = test_store.store.invitations.clone();
        let made = at_cloud(test_store, ada, "i_1").await;
        let kept = CloudInvitation {
            cloud: CLOUD.into(),
            id: "i_1".into(),
        };
        assert_eq!((&made.cloud, made.expires_at), (&Some(kept), at(900)));
        assert_eq!(
            invitations.by_cloud_id(CLOUD, "i_1").await.unwrap(),
            Some(made.clone())
        );
        assert_eq!(invitations.by_cloud_id("other", "i_1").await.unwrap(), None);
        assert_eq!(invitations.open_at_cloud(CLOUD, at(899)).await.unwrap().len(), 1);
        assert_eq!(invitations.open_at_cloud(CLOUD, at(900)).await.unwrap(), []);
        let bound = invitations.bind(made.id, at(5)).await.unwrap().unwrap();
        assert_eq!(
            (bound.status, bound.bound_at),
            (InvitationStatus::Bound, Some(at(5)))
        );
        assert_eq!(invitations.bind(made.id, at(6)).await.unwrap(), None);
        let claimed = claim(test_store, made.id, ada, at(7)).await.unwrap();
        assert_eq!(claimed.bound_at, Some(at(5)));
        let end = InvitationStatus::Revoked;
        assert_eq!(invitations.end(made.id, end, at(8)).await.unwrap(), None);

        let other = at_cloud(test_store, ada, "i_2").await;
        let ended = invitations.end(other.id, InvitationStatus::Claimed, at(8)).await;
        assert_eq!(ended.unwrap().unwrap().claimed_at, Some(at(8)));
        let third = at_cloud(test_store, ada, "i_3").await;
        assert!(revoke(test_store, third.id, at(8)).await.is_some());
        let pending = invitations.pending_revocations(CLOUD, at(8)).await.unwrap();
        assert_eq!(pending.iter().map(|one| one.id).collect::<Vec<_>>(), [third.id]);
        assert_eq!(invitations.pending_revocations(CLOUD, at(900)).await.unwrap(), []);
        invitations.settle_revocation(third.id).await.unwrap();
        assert_eq!(invitations.pending_revocations(CLOUD, at(8)).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn role_takes_its_open_invitations_with_it() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &["owner"]).await;
        let (first, second) = (new(test_store, ada), new(test_store, ada));
        insert(test_store, &first, b"1").await;
        insert(test_store, &second, b"2").await;
        claim(test_store, second.id, ada, NOW).await.unwrap();
        let mut change = test_store.store.identity.change_identity().await.unwrap();
        assert_eq!(change.revoke_invitations_of_role("other", NOW).await.unwrap(), []);
        let revoked = change.revoke_invitations_of_role("member", NOW).await.unwrap();
        assert_eq!(revoked.iter().map(|one| one.id).collect::<Vec<_>>(), [first.id]);
    })
    .await;
}

#[tokio::test]
async fn cloud_has_one_credential() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        let invitations = test_store.store.invitations.clone();
        assert_eq!(invitations.credential(CLOUD).await.unwrap(), None);
        for sealed in [b"one", b"two"] {
            let mut change = test_store.store.identity.change_identity().await.unwrap();
            change.store_credential(CLOUD, sealed, NOW).await.unwrap();
            change.commit().await.unwrap();
        }
        assert_eq!(
            invitations.credential(CLOUD).await.unwrap().as_deref(),
            Some(b"two".as_slice())
        );
        assert_eq!(invitations.credential("other").await.unwrap(), None);
    })
    .await;
}
