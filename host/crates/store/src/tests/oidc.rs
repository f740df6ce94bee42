//! Sessions with a provider, and values that are accepted once.

use crate::CloudSessionRow;
use crate::tests::accounts::{change, session, user};
use crate::tests::*;

fn later(millis: i64) -> Timestamp {
    Timestamp::from_millis(NOW.millis() + millis)
}

fn row(account: &str, session: Option<&str>, token: Option<&[u8]>) -> CloudSessionRow {
    CloudSessionRow {
        account_id: account.to_owned(),
        provider_session_id: session.map(str::to_owned),
        token: token.map(<[u8]>::to_vec),
        validations: 0,
        validating_until: None,
    }
}

#[tokio::test]
async fn sessions_with_a_provider_are_replaced_validated_and_deleted_with_their_session() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "Ada", "member").await;
        let one = session(test_store, &ada);
        let mut begun = change(test_store).await;
        begun.insert_session(&one, Some(&[1; 32])).await.unwrap();
        assert_eq!(begun.cloud_session(one.id).await.unwrap(), None);
        begun
            .put_cloud_session(one.id, &row("i|a", None, None))
            .await
            .unwrap();
        let stored = row("i|ada", Some("s-1"), Some(b"sealed"));
        begun.put_cloud_session(one.id, &stored).await.unwrap();
        assert_eq!(begun.cloud_session(one.id).await.unwrap(), Some(stored.clone()));
        begun.set_validating(one.id, Some(later(5))).await.unwrap();
        begun.commit_without_invalidation().await.unwrap();
        let read = async || test_store.store.sessions.cloud_session(one.id).await.unwrap();
        let validating = CloudSessionRow {
            validating_until: Some(later(5)),
            ..stored.clone()
        };
        assert_eq!(read().await, Some(validating));

        let mut begun = change(test_store).await;
        begun.set_validated(one.id, Some(b"next")).await.unwrap();
        begun.commit_without_invalidation().await.unwrap();
        let validated = CloudSessionRow {
            token: Some(b"next".to_vec()),
            validations: 1,
            ..stored
        };
        assert_eq!(read().await, Some(validated));

        let mut begun = change(test_store).await;
        begun.limit_session(one.id, later(7)).await.unwrap();
        begun.limit_session(one.id, later(9)).await.unwrap();
        begun.commit_without_invalidation().await.unwrap();
        let live = test_store
            .store
            .sessions
            .live_sessions(ada.id, later(6))
            .await
            .unwrap();
        assert_eq!(
            (live[0].expires_at, live[0].idle_expires_at),
            (later(7), later(7))
        );

        let mut begun = change(test_store).await;
        assert!(begun.delete_user(ada.id).await.unwrap());
        begun.commit().await.unwrap();
        assert_eq!(read().await, None);
    })
    .await;
}

#[tokio::test]
async fn sessions_are_found_by_account_and_session_of_the_provider() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, eve) = (
            user(test_store, "Ada", "member").await,
            user(test_store, "Eve", "member").await,
        );
        let mut begun = change(test_store).await;
        let mut sessions = Vec::new();
        for (number, (user, account, provider)) in [
            (&ada, "i|ada", Some("s-1")),
            (&ada, "i|ada", Some("s-2")),
            (&ada, "i|ada", None),
            (&eve, "i|eve", Some("s-1")),
        ]
        .into_iter()
        .enumerate()
        {
            let one = session(test_store, user);
            begun
                .insert_session(&one, Some(&[number as u8; 32]))
                .await
                .unwrap();
            begun
                .put_cloud_session(one.id, &row(account, provider, None))
                .await
                .unwrap();
            sessions.push((one.id, user.id));
        }
        for (account, provider, expected) in [
            (Some("i|ada"), None, &[0, 1, 2][..]),
            (Some("i|ada"), Some("s-1"), &[0]),
            (None, Some("s-1"), &[0, 3]),
            (Some("i|eve"), Some("s-2"), &[]),
            (Some("i|bob"), None, &[]),
            (None, None, &[]),
        ] {
            let expected: Vec<_> = expected.iter().map(|index| sessions[*index]).collect();
            let found = begun.sessions_of_cloud(account, provider).await.unwrap();
            assert_eq!(found, expected, "{account:?} {provider:?}");
        }
        // One that has ended is not found again.
        assert!(begun.revoke_session(ada.id, sessions[0].0, NOW).await.unwrap());
        let found = begun.sessions_of_cloud(Some("i|ada"), None).await.unwrap();
        assert_eq!(found, [sessions[1], sessions[2]]);
    })
    .await;
}

#[tokio::test]
async fn open_sessions_that_a_provider_can_validate_are_found_newest_first() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, eve) = (
            user(test_store, "Ada", "member").await,
            user(test_store, "Eve", "member").await,
        );
        let mut begun = change(test_store).await;
        let mut sessions = Vec::new();
        for (number, (user, account, token)) in [
            (&ada, "i|ada", Some(&b"one"[..])),
            (&ada, "i|ada", Some(b"two")),
            (&ada, "i|ada", None),
            (&ada, "i|old", Some(b"old")),
            (&eve, "i|ada", Some(b"eve")),
            (&ada, "i|ada", Some(b"expired")),
            (&ada, "i|ada", Some(b"revoked")),
        ]
        .into_iter()
        .enumerate()
        {
            let one = session(test_store, user);
            begun
                .insert_session(&one, Some(&[number as u8; 32]))
                .await
                .unwrap();
            begun
                .put_cloud_session(one.id, &row(account, None, token))
                .await
                .unwrap();
            sessions.push(one.id);
        }
        begun.limit_session(sessions[5], later(1)).await.unwrap();
        assert!(begun.revoke_session(ada.id, sessions[6], NOW).await.unwrap());
        begun.commit_without_invalidation().await.unwrap();
        let repository = &test_store.store.sessions;
        let find = async |limit: i64| {
            let found = repository.open_cloud_sessions(ada.id, "i|ada", later(1), limit);
            found.await.unwrap()
        };
        let expected = [
            (sessions[1], row("i|ada", None, Some(b"two"))),
            (sessions[0], row("i|ada", None, Some(b"one"))),
        ];
        assert_eq!(find(3).await, expected);
        assert_eq!(find(1).await, expected[..1]);
    })
    .await;
}

#[tokio::test]
async fn single_use_value_is_taken_once_and_until_it_expires() {
    on_each_database(async |test_store: &mut TestStore| {
        let put = async |hash: u8, content: Option<&[u8]>, now: Timestamp| {
            let mut begun = change(test_store).await;
            let is_new = begun
                .insert_single_use(&[hash; 32], content, now, later(10))
                .await
                .unwrap();
            begun.commit_without_invalidation().await.unwrap();
            is_new
        };
        let take = async |hash: u8, now: Timestamp| {
            let mut begun = change(test_store).await;
            let taken = begun.take_single_use(&[hash; 32], now).await.unwrap();
            begun.commit_without_invalidation().await.unwrap();
            taken
        };
        assert!(put(1, Some(b"content"), NOW).await);
        assert!(!put(1, Some(b"other"), NOW).await);
        assert_eq!(take(2, NOW).await, None);
        assert_eq!(take(1, later(9)).await, Some(b"content".to_vec()));
        assert_eq!(take(1, later(9)).await, None);
        assert!(put(1, None, NOW).await);
        assert_eq!(take(1, later(10)).await, None);
        // What has expired is deleted, so that the value is new again.
        assert!(put(1, None, later(10)).await);
        assert_eq!(take(1, later(9)).await, Some(Vec::new()));
    })
    .await;
}

#[tokio::test]
async fn single_use_value_is_taken_by_one_of_many() {
    on_each_database(async |test_store: &mut TestStore| {
        let mut begun = change(test_store).await;
        assert!(
            begun
                .insert_single_use(&[1; 32], Some(b"x"), NOW, later(10))
                .await
                .unwrap()
        );
        begun.commit_without_invalidation().await.unwrap();
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let store = test_store.store.clone();
            calls.spawn(async move {
                let mut change = store.identity.change_identity().await.unwrap();
                let taken = change.take_single_use(&[1; 32], NOW).await.unwrap();
                change.commit_without_invalidation().await.unwrap();
                taken.is_some()
            });
        }
        let taken = calls.join_all().await;
        assert_eq!(taken.iter().filter(|taken| **taken).count(), 1);
    })
    .await;
}

#[tokio::test]
async fn roles_by_a_provider_are_removed_and_others_stay() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "Ada", "member").await;
        let mut begun = change(test_store).await;
        for role in ["music_user", "administrator", "member"] {
            begun.assign_role_by_provider(ada.id, role, NOW).await.unwrap();
        }
        // Assigned again by hand, it is still the provider's.
        begun.assign_role(ada.id, "music_user", NOW).await.unwrap();
        let removed = begun.unassign_roles_by_provider(ada.id).await.unwrap();
        assert_eq!(removed, ["administrator", "music_user"]);
        let account = begun.account(ada.id).await.unwrap().unwrap();
        assert_eq!(account.role_names(), ["member"]);
        assert_eq!(
            begun.unassign_roles_by_provider(ada.id).await.unwrap(),
            Vec::<String>::new()
        );
    })
    .await;
}
