//! Devices that wait to be signed in, and sessions that a cloud token continues.

use crate::tests::*;
use crate::{IdentityChange, NewUser};
use svc_domain::device_sign_in::{DeviceSignIn, DeviceSignInStatus};
use svc_domain::id::{SessionId, UserId};
use svc_domain::session::{Session, SessionKind};

const APPROVED: DeviceSignInStatus = DeviceSignInStatus::Approved;
const DENIED: DeviceSignInStatus = DeviceSignInStatus::Denied;

fn later(millis: i64) -> Timestamp {
    Timestamp::from_millis(NOW.millis() + millis)
}

async fn change(test_store: &TestStore) -> IdentityChange {
    test_store.store.identity.change_identity().await.unwrap()
}

async fn user(test_store: &TestStore, name: &str) -> UserId {
    let new = NewUser {
        id: test_store.id(),
        username: name.to_owned(),
        username_key: name.to_owned(),
        display_name: None,
        password_hash: None,
        is_owner: false,
        is_guest: false,
        created_at: NOW,
    };
    let mut adding = change(test_store).await;
    assert!(adding.insert_user(&new).await.unwrap());
    adding.commit().await.unwrap();
    new.id
}

fn device(test_store: &TestStore) -> DeviceSignIn {
    DeviceSignIn {
        id: test_store.id(),
        app: "cinema".into(),
        user_agent: Some("Example TV".into()),
        address: None,
        created_at: NOW,
        expires_at: later(1000),
        status: DeviceSignInStatus::Pending,
        user: None,
        session: None,
    }
}

#[tokio::test]
async fn devices_are_found_by_both_codes_and_decided_once() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        let ada = user(test_store, "ada").await;
        let waiting = device(test_store);
        let mut adding = change(test_store).await;
        let codes = ([1_u8; 32], [2_u8; 32]);
        assert!(
            adding
                .insert_device_sign_in(&waiting, &codes.0, &codes.1)
                .await
                .unwrap()
        );
        // No two devices have a code in common.
        for (device_code, user_code) in [([1_u8; 32], [3_u8; 32]), ([3_u8; 32], [2_u8; 32])] {
            let other = device(test_store);
            assert!(
                !adding
                    .insert_device_sign_in(&other, &device_code, &user_code)
                    .await
                    .unwrap()
            );
        }
        adding.commit().await.unwrap();
        let devices = &test_store.store.device_sign_ins;
        assert_eq!(
            devices.by_device_code(&codes.0).await.unwrap(),
            Some(waiting.clone())
        );
        assert_eq!(
            devices.by_user_code(&codes.1).await.unwrap(),
            Some(waiting.clone())
        );
        assert_eq!(devices.by_user_code(&codes.0).await.unwrap(), None);

        let by = (ada, Some(SessionId::from(7)));
        let mut deciding = change(test_store).await;
        // Not when it has expired, and the first decision stays.
        assert!(
            !deciding
                .decide_device_sign_in(waiting.id, APPROVED, by, later(1000))
                .await
                .unwrap()
        );
        assert!(!deciding.redeem_device_sign_in(waiting.id).await.unwrap());
        assert!(
            deciding
                .decide_device_sign_in(waiting.id, APPROVED, by, later(999))
                .await
                .unwrap()
        );
        assert!(
            !deciding
                .decide_device_sign_in(waiting.id, DENIED, by, later(999))
                .await
                .unwrap()
        );
        let approved = deciding.device_by_user_code(&codes.1).await.unwrap().unwrap();
        assert_eq!(
            (approved.status, approved.user, approved.session),
            (APPROVED, Some(ada), by.1)
        );
        deciding.commit().await.unwrap();

        let mut redeeming = change(test_store).await;
        assert!(redeeming.redeem_device_sign_in(waiting.id).await.unwrap());
        assert!(!redeeming.redeem_device_sign_in(waiting.id).await.unwrap());
        assert_eq!(redeeming.device_by_device_code(&codes.0).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn expired_withdrawn_and_orphaned_devices_open_nothing() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        let ada = user(test_store, "ada").await;
        let (one, two) = (device(test_store), device(test_store));
        let mut adding = change(test_store).await;
        for (number, waiting) in [&one, &two].into_iter().enumerate() {
            let number = number as u8;
            adding
                .insert_device_sign_in(waiting, &[number; 32], &[number + 8; 32])
                .await
                .unwrap();
            assert!(
                adding
                    .decide_device_sign_in(waiting.id, APPROVED, (ada, None), NOW)
                    .await
                    .unwrap()
            );
        }
        adding.withdraw_device_approval(one.id).await.unwrap();
        assert!(!adding.redeem_device_sign_in(one.id).await.unwrap());
        assert_eq!(adding.prune_device_sign_ins(later(999)).await.unwrap(), 2);
        // A deleted account takes its decisions along.
        assert!(adding.delete_user(ada).await.unwrap());
        assert_eq!(adding.prune_device_sign_ins(later(999)).await.unwrap(), 0);
        adding.commit().await.unwrap();

        let mut adding = change(test_store).await;
        adding
            .insert_device_sign_in(&one, &[1; 32], &[2; 32])
            .await
            .unwrap();
        adding.commit().await.unwrap();
        let sessions = &test_store.store.sessions;
        let count = async || {
            let sql = "SELECT count(*) FROM device_sign_ins";
            test_store.store.database.pools().count(sql, &[]).await.unwrap()
        };
        sessions.prune_identity(later(1000), NOW, 10).await.unwrap();
        assert_eq!(count().await, 1);
        sessions.prune_identity(later(1001), NOW, 10).await.unwrap();
        assert_eq!(count().await, 0);
    })
    .await;
}

#[tokio::test]
async fn cloud_token_finds_the_open_session_of_its_account_and_app() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        let (ada, bob) = (user(test_store, "ada").await, user(test_store, "bob").await);
        let mut session = Session {
            id: test_store.id(),
            user: ada,
            app: "music".into(),
            kind: SessionKind::Cloud,
            user_agent: None,
            address: None,
            created_at: NOW,
            last_active_at: NOW,
            idle_expires_at: later(500),
            expires_at: later(1000),
            generation: 0,
            ended_at: None,
            signed_in_at: None,
        };
        let mut opening = change(test_store).await;
        opening.insert_session(&session, None).await.unwrap();
        opening.set_cloud_token(session.id, &[1; 32]).await.unwrap();
        opening.commit().await.unwrap();
        let mut finding = change(test_store).await;
        for (hash, user_id, app, now, found) in [
            ([1_u8; 32], ada, "music", 999, true),
            ([1; 32], ada, "music", 1000, false),
            ([1; 32], ada, "photos", 0, false),
            ([1; 32], bob, "music", 0, false),
            ([2; 32], ada, "music", 0, false),
        ] {
            let session = finding
                .session_by_cloud_token(&hash, user_id, app, later(now))
                .await;
            assert_eq!(session.unwrap().is_some(), found, "{app} {now}");
        }
        session.expires_at = later(2000);
        session.idle_expires_at = later(1500);
        session.last_active_at = later(900);
        finding.continue_session(&session).await.unwrap();
        let found = finding
            .session_by_cloud_token(&[1; 32], ada, "music", later(1999))
            .await;
        assert_eq!(found.unwrap(), Some(session.clone()));
        assert_eq!(
            finding.open_session(session.id, ada).await.unwrap(),
            Some(session.clone())
        );
        assert_eq!(finding.open_session(session.id, bob).await.unwrap(), None);

        // Unlinking ends what the cloud account signed in, and frees it for another account.
        finding.set_cloud_account(ada, Some("c1")).await.unwrap();
        assert_eq!(
            finding.account_by_cloud("c1").await.unwrap().unwrap().user.id,
            ada
        );
        finding.set_cloud_account(ada, None).await.unwrap();
        finding.set_cloud_account(bob, Some("c1")).await.unwrap();
        assert_eq!(
            finding.account_by_cloud("c1").await.unwrap().unwrap().user.id,
            bob
        );
        assert!(!finding.has_password(ada).await.unwrap());
        finding.set_password_hash(ada, "$argon2id$").await.unwrap();
        assert!(finding.has_password(ada).await.unwrap());
        assert_eq!(finding.revoke_cloud_sessions(bob, NOW).await.unwrap(), 0);
        assert_eq!(finding.revoke_cloud_sessions(ada, NOW).await.unwrap(), 1);
        let found = finding.session_by_cloud_token(&[1; 32], ada, "music", NOW).await;
        assert_eq!(found.unwrap(), None);
        assert_eq!(finding.open_session(session.id, ada).await.unwrap(), None);
        finding.commit().await.unwrap();
        let sessions = &test_store.store.sessions;
        assert_eq!(sessions.session_end(session.id, ada).await.unwrap(), None);
        assert_eq!(sessions.signed_in_at(session.id, ada).await.unwrap(), None);
    })
    .await;
}
