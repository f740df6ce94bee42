//! Accounts, roles, sessions, tokens, settings, origins, the audit log, deindexing and factory reset.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::AssertSqlSafe;

use crate::tests::*;
use crate::{Activity, AuditFilter, IdentityChange, Instance, NewUser, Rotation, ServerSetting};
use svc_database::args::args;
use svc_domain::audit::{AuditAccount, AuditEntry, AuditEvent};
use svc_domain::id::UserId;
use svc_domain::library::{Grant, Library};
use svc_domain::list::{Order, Pagination};
use svc_domain::origin::CorsOrigin;
use svc_domain::session::{PersonalAccessToken, Session, SessionKind};
use svc_domain::user::{CustomRole, User};

fn new_user(test_store: &TestStore, name: &str) -> NewUser {
    NewUser {
        id: test_store.id(),
        username: name.to_owned(),
        username_key: name.to_lowercase(),
        display_name: Some("Someone".into()),
        password_hash: Some("$argon2id$".into()),
        is_owner: false,
        is_guest: false,
        created_at: NOW,
    }
}

pub(super) async fn change(test_store: &TestStore) -> IdentityChange {
    test_store.store.identity.change_identity().await.unwrap()
}

/// An account with a role.
pub(super) async fn user(test_store: &TestStore, name: &str, role: &str) -> User {
    test_store.instance().await;
    let new = new_user(test_store, name);
    let mut change = change(test_store).await;
    assert!(change.insert_user(&new).await.unwrap());
    change.assign_role(new.id, role, NOW).await.unwrap();
    change.commit().await.unwrap();
    test_store
        .store
        .users
        .account(new.id)
        .await
        .unwrap()
        .unwrap()
        .user
}

fn later(millis: i64) -> Timestamp {
    Timestamp::from_millis(NOW.millis() + millis)
}

#[tokio::test]
async fn there_is_one_owner_and_one_guest_and_no_name_twice() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        assert!(!test_store.store.users.owner_exists().await.unwrap());
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..20 {
            let new = NewUser {
                is_owner: true,
                ..new_user(test_store, &format!("Owner{number}"))
            };
            let store = test_store.store.clone();
            calls.spawn(async move {
                let mut change = store.identity.change_identity().await.unwrap();
                let made = change.insert_user(&new).await.unwrap();
                change.commit().await.unwrap();
                made
            });
        }
        let made = calls.join_all().await;
        assert_eq!(made.iter().filter(|made| **made).count(), 1);
        assert!(test_store.store.users.owner_exists().await.unwrap());
        let mut change = change(test_store).await;
        let guest = |name: &str| NewUser {
            is_guest: true,
            ..new_user(test_store, name)
        };
        assert!(change.insert_user(&guest("one")).await.unwrap());
        assert!(!change.insert_user(&guest("two")).await.unwrap());
        assert!(!change.insert_user(&new_user(test_store, "ONE")).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn account_is_found_by_id_name_and_cloud_account_with_its_roles() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "Ada", "member").await;
        let role = CustomRole {
            name: "curator".into(),
            capabilities: vec!["Photos.Update".into()],
            created_at: NOW,
        };
        let mut change = change(test_store).await;
        assert!(change.insert_role(&role).await.unwrap());
        assert!(!change.insert_role(&role).await.unwrap());
        change.assign_role(ada.id, "curator", NOW).await.unwrap();
        let sql = "UPDATE users SET cloud_account_id = 'cloud-1' WHERE user_id = $1";
        change.execute(sql, &args![ada.id.get()]).await.unwrap();
        change.commit().await.unwrap();

        let account = test_store.store.users.account(ada.id).await.unwrap().unwrap();
        assert_eq!(account.role_names(), ["curator", "member"]);
        assert_eq!(
            account.roles[0].capabilities.as_deref(),
            Some(&["Photos.Update".to_owned()][..])
        );
        assert_eq!(account.roles[1].capabilities, None);
        assert_eq!(
            test_store.store.users.account_by_cloud("cloud-1").await.unwrap(),
            Some(account.clone())
        );
        assert_eq!(
            test_store.store.users.account_by_cloud("cloud").await.unwrap(),
            None
        );
        let (found, hash) = test_store
            .store
            .users
            .user_for_login("ada")
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (found, hash.as_deref()),
            (account.user.clone(), Some("$argon2id$"))
        );
        for other in ["Ada", "%", "ad_", ""] {
            assert_eq!(
                test_store.store.users.user_for_login(other).await.unwrap(),
                None,
                "{other}"
            );
        }
        assert_eq!(
            test_store.store.users.account(UserId::from(5)).await.unwrap(),
            None
        );
        assert_eq!(test_store.store.users.owner().await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn accounts_are_paged_by_creation_each_with_all_its_roles() {
    on_each_database(async |test_store: &mut TestStore| {
        let mut expected = Vec::new();
        for number in 0..5 {
            let made = user(test_store, &format!("u{number}"), "member").await;
            let mut change = change(test_store).await;
            change.assign_role(made.id, "music_user", NOW).await.unwrap();
            change.commit().await.unwrap();
            expected.push(made.id);
        }
        let page = Pagination { take: 2, skip: 1 };
        let listed = test_store
            .store
            .users
            .list_accounts(page, Order::Ascending)
            .await
            .unwrap();
        assert_eq!(listed.total, 5);
        let ids: Vec<_> = listed.items.iter().map(|account| account.user.id).collect();
        assert_eq!(ids, expected[1..3]);
        assert!(listed.items.iter().all(|account| account.roles.len() == 2));
        let listed = test_store
            .store
            .users
            .list_accounts(page, Order::Descending)
            .await
            .unwrap();
        assert_eq!(listed.items[0].user.id, expected[3]);
        for page in [Pagination { take: 0, skip: 0 }, Pagination { take: 2, skip: 9 }] {
            let listed = test_store
                .store
                .users
                .list_accounts(page, Order::Ascending)
                .await
                .unwrap();
            assert_eq!((listed.items.len(), listed.total), (0, 5));
        }
    })
    .await;
}

#[tokio::test]
async fn change_that_is_not_committed_leaves_nothing_and_others_raise_the_revision() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "ada", "member").await;
        let before = test_store.store.identity.identity_revision();
        let mut dropped = change(test_store).await;
        dropped.set_password_hash(ada.id, "other").await.unwrap();
        drop(dropped);
        assert_eq!(test_store.store.identity.identity_revision(), before);
        let (_, hash) = test_store
            .store
            .users
            .user_for_login("ada")
            .await
            .unwrap()
            .unwrap();
        assert_eq!(hash.as_deref(), Some("$argon2id$"));

        let quiet = change(test_store).await;
        quiet.commit_without_invalidation().await.unwrap();
        assert_eq!(test_store.store.identity.identity_revision(), before);
        change(test_store).await.commit().await.unwrap();
        assert_eq!(
            test_store.store.identity.identity_revision(),
            before,
            "nothing was changed"
        );
        let mut loud = change(test_store).await;
        loud.set_password_hash(ada.id, "loud").await.unwrap();
        loud.commit().await.unwrap();
        assert_eq!(test_store.store.identity.identity_revision(), before + 1);

        // A change by another process is found by the next query.
        let other = Store::open(&test_store.url, StoreOptions::default())
            .await
            .unwrap();
        let mut elsewhere = other.identity.change_identity().await.unwrap();
        elsewhere.set_password_hash(ada.id, "elsewhere").await.unwrap();
        elsewhere.commit().await.unwrap();
        other.database.close().await;
        assert!(
            test_store
                .store
                .identity
                .refresh_identity_revision()
                .await
                .unwrap()
        );
        assert!(
            !test_store
                .store
                .identity
                .refresh_identity_revision()
                .await
                .unwrap()
        );
        assert_eq!(test_store.store.identity.identity_revision(), before + 2);
    })
    .await;
}

#[tokio::test]
async fn account_is_changed_and_its_name_stays_unique() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            user(test_store, "ada", "member").await,
            user(test_store, "bob", "member").await,
        );
        let mut change = change(test_store).await;
        let changed = User {
            username: "Ada".into(),
            display_name: None,
            enabled: false,
            ..ada.clone()
        };
        assert!(change.update_user(&changed, "ada").await.unwrap());
        assert!(!change.update_user(&bob, "ada").await.unwrap());
        change.set_owner(bob.id, NOW).await.unwrap();
        change.commit().await.unwrap();
        assert_eq!(
            test_store
                .store
                .users
                .account(ada.id)
                .await
                .unwrap()
                .unwrap()
                .user,
            changed
        );
        let enabled = test_store.store.users.enabled_users(None).await.unwrap();
        assert_eq!(enabled.iter().map(|user| user.id).collect::<Vec<_>>(), [bob.id]);
        assert_eq!(test_store.store.users.count_people().await.unwrap(), 1);
        let owner = test_store.store.users.owner().await.unwrap().unwrap();
        assert_eq!(
            (owner.user.id, owner.role_names()),
            (bob.id, vec!["member".to_owned(), "owner".to_owned()])
        );
        let mut moved = test_store.store.identity.change_identity().await.unwrap();
        moved.set_owner(ada.id, NOW).await.unwrap();
        assert!(moved.delete_user(bob.id).await.unwrap());
        assert!(!moved.delete_user(bob.id).await.unwrap());
        moved.commit().await.unwrap();
        let owner = test_store.store.users.owner().await.unwrap().unwrap();
        assert!(owner.user.id == ada.id && owner.user.enabled);
    })
    .await;
}

#[tokio::test]
async fn role_assignments_are_idempotent_and_listed_by_role() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            user(test_store, "ada", "member").await,
            user(test_store, "bob", "guest").await,
        );
        let mut roles = change(test_store).await;
        let (again, is_new) = roles.assign_role(ada.id, "member", later(1)).await.unwrap();
        assert_eq!((again.created_at, is_new), (NOW, false));
        roles.assign_role(bob.id, "member", later(1)).await.unwrap();
        roles.commit().await.unwrap();
        let list = async |user, order| {
            let page = Pagination::default();
            let rows = test_store
                .store
                .roles
                .list_role_assignments(user, page, order)
                .await
                .unwrap();
            rows.into_iter()
                .map(|row| (row.role, row.user))
                .collect::<Vec<_>>()
        };
        let (guest, member) = ("guest".to_owned(), "member".to_owned());
        assert_eq!(
            list(None, Order::Ascending).await,
            [
                (guest.clone(), bob.id),
                (member.clone(), ada.id),
                (member.clone(), bob.id)
            ]
        );
        assert_eq!(
            list(Some(bob.id), Order::Descending).await,
            [(member.clone(), bob.id), (guest, bob.id)]
        );
        let mut roles = change(test_store).await;
        assert_eq!(
            roles
                .unassign_role(ada.id, "member")
                .await
                .unwrap()
                .unwrap()
                .created_at,
            NOW
        );
        assert_eq!(roles.unassign_role(ada.id, "member").await.unwrap(), None);
        roles.delete_role("member").await.unwrap();
        roles.commit().await.unwrap();
        assert_eq!(list(None, Order::Ascending).await.len(), 1);
    })
    .await;
}

pub(super) fn session(test_store: &TestStore, user: &User) -> Session {
    Session {
        id: test_store.id(),
        user: user.id,
        app: "music".into(),
        kind: SessionKind::Local,
        user_agent: Some("test".into()),
        address: None,
        created_at: NOW,
        last_active_at: NOW,
        idle_expires_at: later(1000),
        expires_at: later(5000),
        generation: 0,
        ended_at: None,
        signed_in_at: Some(NOW),
    }
}

#[tokio::test]
async fn refresh_tokens_rotate_and_carry_their_generation() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "ada", "member").await;
        let mut first = session(test_store, &ada);
        let mut begun = change(test_store).await;
        begun.insert_session(&first, Some(&[1; 32])).await.unwrap();
        let rotation = Rotation {
            session: first.id,
            used: &[1; 32],
            salt: &[9; 16],
            successor: &[2; 32],
            generation: 1,
            now: later(10),
            idle_expires_at: later(1010),
            delete_before: later(0),
        };
        begun.rotate_refresh_token(&rotation).await.unwrap();
        begun.commit_without_invalidation().await.unwrap();
        first.generation = 1;
        first.last_active_at = later(10);
        first.idle_expires_at = later(1010);
        let presented = async |hash: [u8; 32], generation| {
            let found = test_store
                .store
                .sessions
                .presented_refresh(&hash, first.id, generation);
            found.await.unwrap()
        };
        let used = presented([1; 32], 0).await.unwrap();
        assert_eq!((&used.session, used.generation), (&first, 0));
        assert_eq!(used.rotated_at, Some(later(10)));
        let next = presented([2; 32], 1).await.unwrap();
        assert_eq!((next.generation, next.rotated_at), (1, None));
        for generation in [1, 2] {
            assert!(presented([3; 32], generation).await.is_none());
        }
        // The next rotation deletes it; its generation still shows that it was used.
        let mut rotated = change(test_store).await;
        let second = Rotation {
            session: first.id,
            used: &[2; 32],
            salt: &[9; 16],
            successor: &[4; 32],
            generation: 2,
            now: later(30),
            idle_expires_at: later(1010),
            delete_before: later(20),
        };
        rotated.rotate_refresh_token(&second).await.unwrap();
        assert_eq!(rotated.rotation_salts(first.id, 0).await.unwrap().len(), 1);
        let forgotten = rotated.presented_refresh(&[1; 32], first.id, 0).await.unwrap();
        assert_eq!(forgotten.unwrap().rotated_at, None);
        let known = rotated.presented_refresh(&[2; 32], first.id, 1).await.unwrap();
        assert_eq!(known.unwrap().rotated_at, Some(later(30)));
        drop(rotated);
        assert_eq!(
            test_store
                .store
                .sessions
                .live_sessions(ada.id, later(1009))
                .await
                .unwrap(),
            [first.clone()]
        );
        assert!(
            test_store
                .store
                .sessions
                .live_sessions(ada.id, later(1010))
                .await
                .unwrap()
                .is_empty()
        );
    })
    .await;
}

#[tokio::test]
async fn sessions_are_revoked_retired_and_pruned() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "ada", "member").await;
        let all: Vec<_> = (0..4).map(|_| session(test_store, &ada)).collect();
        let mut begun = change(test_store).await;
        for (number, one) in all.iter().enumerate() {
            begun
                .insert_session(one, Some(&[number as u8; 32]))
                .await
                .unwrap();
        }
        // Sessions that cannot be refreshed do not count towards the limit.
        for _ in 0..3 {
            let mut passing = session(test_store, &ada);
            passing.idle_expires_at = later(2);
            begun.insert_session(&passing, None).await.unwrap();
        }
        begun.retire_sessions(ada.id, 3, later(1)).await.unwrap();
        assert!(begun.revoke_session(ada.id, all[1].id, later(1)).await.unwrap());
        assert!(!begun.revoke_session(ada.id, all[1].id, later(1)).await.unwrap());
        assert!(
            !begun
                .revoke_session(UserId::from(1), all[2].id, later(1))
                .await
                .unwrap()
        );
        begun.commit().await.unwrap();
        let counts = async |at: usize| {
            test_store
                .store
                .sessions
                .session_end(all[at].id, ada.id)
                .await
                .unwrap()
                .is_some()
        };
        // A retired session's access token ends by itself, a revoked one's at once.
        assert!(counts(0).await && !counts(1).await && counts(2).await);
        assert!(
            test_store
                .store
                .sessions
                .session_end(all[2].id, UserId::from(1))
                .await
                .unwrap()
                .is_none()
        );
        let live = test_store
            .store
            .sessions
            .live_sessions(ada.id, later(2))
            .await
            .unwrap();
        assert_eq!(
            live.iter().map(|one| one.id).collect::<Vec<_>>(),
            [all[3].id, all[2].id]
        );
        let mut ended = change(test_store).await;
        assert_eq!(
            ended
                .revoke_sessions(ada.id, Some(all[3].id), later(3))
                .await
                .unwrap(),
            5
        );
        ended
            .record_known_address(ada.id, "192.0.2.1", later(3))
            .await
            .unwrap();
        ended
            .record_known_address(ada.id, "192.0.2.1", later(4))
            .await
            .unwrap();
        ended.commit().await.unwrap();
        let known = async |since| {
            test_store
                .store
                .users
                .is_known_address(ada.id, "192.0.2.1", since)
                .await
                .unwrap()
        };
        assert!(known(later(4)).await && !known(later(5)).await);
        test_store
            .store
            .sessions
            .prune_identity(later(4), later(5), 10)
            .await
            .unwrap();
        assert!(!known(later(0)).await);
        let rows = test_store
            .store
            .database
            .pools()
            .count("SELECT count(*) FROM sessions", &[])
            .await
            .unwrap();
        assert_eq!(rows, 1);
    })
    .await;
}

#[tokio::test]
async fn personal_access_tokens_are_found_by_hash_and_go_with_their_user() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "ada", "member").await;
        let token = PersonalAccessToken {
            id: test_store.id(),
            user: ada.id,
            label: "backup".into(),
            hint: "abcd".into(),
            capabilities: Some(vec!["Photos.Read".into()]),
            created_by: Some(ada.id),
            created_at: NOW,
            expires_at: Some(later(10)),
            last_used_at: None,
        };
        let mut made = change(test_store).await;
        made.insert_personal_access_token(&token, &[7; 32]).await.unwrap();
        assert_eq!(made.count_live_tokens(ada.id, later(9)).await.unwrap(), 1);
        assert_eq!(made.count_live_tokens(ada.id, later(10)).await.unwrap(), 0);
        made.commit().await.unwrap();
        assert_eq!(
            test_store
                .store
                .tokens
                .personal_access_token(&[7; 32])
                .await
                .unwrap(),
            Some(token.clone())
        );
        assert_eq!(
            test_store
                .store
                .tokens
                .personal_access_token(&[8; 32])
                .await
                .unwrap(),
            None
        );
        let activity = Activity {
            users: vec![(ada.id.get(), later(3))],
            sessions: vec![],
            tokens: vec![(token.id.get(), later(3))],
        };
        test_store.store.users.record_activity(&activity).await.unwrap();
        let listed = test_store
            .store
            .tokens
            .personal_access_tokens(ada.id)
            .await
            .unwrap();
        assert_eq!(listed[0].last_used_at, Some(later(3)));
        assert_eq!(
            test_store
                .store
                .users
                .enabled_users(Some(later(3)))
                .await
                .unwrap()
                .len(),
            1
        );
        assert!(
            test_store
                .store
                .users
                .enabled_users(Some(later(4)))
                .await
                .unwrap()
                .is_empty()
        );
        let mut gone = change(test_store).await;
        assert!(
            !gone
                .delete_personal_access_token(UserId::from(1), token.id)
                .await
                .unwrap()
        );
        assert!(gone.delete_user(ada.id).await.unwrap());
        gone.commit().await.unwrap();
        assert_eq!(
            test_store
                .store
                .tokens
                .personal_access_token(&[7; 32])
                .await
                .unwrap(),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn setting_for_all_apps_replaces_those_of_single_ones() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "ada", "member").await;
        let mut set = change(test_store).await;
        set.set_server_setting("", "a", Some("1")).await.unwrap();
        set.set_server_setting("music", "a", Some("2")).await.unwrap();
        set.set_server_setting("music", "b", Some("\"x\"")).await.unwrap();
        set.set_account_setting(ada.id, "theme", Some("\"dark\""))
            .await
            .unwrap();
        set.set_account_setting(ada.id, "theme", Some("\"light\""))
            .await
            .unwrap();
        set.commit().await.unwrap();
        assert_eq!(
            test_store.store.settings.server_settings().await.unwrap().len(),
            3
        );
        let mut all = change(test_store).await;
        all.set_server_setting("", "a", Some("3")).await.unwrap();
        all.commit().await.unwrap();
        let setting = |app: &str, key: &str, value: &str| ServerSetting {
            app: app.into(),
            key: key.into(),
            value: value.into(),
        };
        assert_eq!(
            test_store.store.settings.server_settings().await.unwrap(),
            [setting("", "a", "3"), setting("music", "b", "\"x\"")]
        );
        assert_eq!(
            test_store.store.settings.account_settings(ada.id).await.unwrap(),
            [("theme".to_owned(), "\"light\"".to_owned())]
        );
    })
    .await;
}

#[tokio::test]
async fn origin_is_stored_once() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        let origin = |at| CorsOrigin {
            id: test_store.id(),
            origin: "https://a.example".into(),
            created_at: at,
        };
        let first = origin(NOW);
        let mut added = change(test_store).await;
        assert_eq!(
            added.insert_cors_origin(&first).await.unwrap(),
            (first.clone(), true)
        );
        assert_eq!(
            added.insert_cors_origin(&origin(later(1))).await.unwrap(),
            (first.clone(), false)
        );
        added.commit().await.unwrap();
        assert_eq!(
            test_store.store.settings.cors_origins().await.unwrap(),
            std::slice::from_ref(&first)
        );
        let mut removed = change(test_store).await;
        assert_eq!(
            removed.delete_cors_origin(first.id).await.unwrap(),
            Some(first.origin)
        );
        assert_eq!(removed.delete_cors_origin(first.id).await.unwrap(), None);
    })
    .await;
}

fn line(test_store: &TestStore, event: AuditEvent, actor: Option<i64>, target: Option<i64>) -> AuditEntry {
    let party = |id: i64| AuditAccount {
        id: Some(UserId::from(id)),
        name: Some(format!("user {id}")),
    };
    AuditEntry {
        id: test_store.id(),
        at: NOW,
        times: 1,
        last_at: NOW,
        event,
        actor: actor.map(party),
        target: target.map(party),
        address: Some("192.0.2.1".into()),
        details: BTreeMap::from([("app".to_owned(), "music".to_owned())]),
    }
}

#[tokio::test]
async fn audit_log_is_filtered_by_event_and_by_who_took_part() {
    on_each_database(async |test_store: &mut TestStore| {
        let lines = [
            line(test_store, AuditEvent::LoginFailed, None, Some(1)),
            line(test_store, AuditEvent::UserUpdated, Some(1), Some(2)),
            line(test_store, AuditEvent::UserUpdated, Some(2), Some(2)),
            line(test_store, AuditEvent::LoginFailed, None, None),
        ];
        for line in &lines {
            test_store.store.audit.write_audit(line).await.unwrap();
        }
        let list = async |event, user: Option<i64>, order| {
            let filter = AuditFilter {
                event,
                user: user.map(UserId::from),
            };
            let page = Pagination::default();
            let listing = test_store
                .store
                .audit
                .list_audit(&filter, page, order)
                .await
                .unwrap();
            assert_eq!(listing.total, listing.items.len() as u64);
            listing.items
        };
        assert_eq!(list(None, None, Order::Ascending).await, lines);
        assert_eq!(list(None, None, Order::Descending).await[0], lines[3]);
        assert_eq!(list(None, Some(1), Order::Ascending).await, lines[..2]);
        assert_eq!(
            list(Some(AuditEvent::UserUpdated), Some(2), Order::Ascending).await,
            lines[1..3]
        );
        test_store
            .store
            .sessions
            .prune_identity(NOW, NOW, 2)
            .await
            .unwrap();
        assert_eq!(list(None, None, Order::Ascending).await, lines[2..]);
    })
    .await;
}

#[tokio::test]
async fn deindexing_keeps_accounts_and_a_factory_reset_keeps_nothing() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = user(test_store, "ada", "owner").await;
        let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
        let file = test_store.file(folder, "a.mp3", record(track("Song", &["Ann"], "Album", 2)));
        test_store.persist(vec![file]).await;
        let library = Library {
            id: test_store.id(),
            name: "All".into(),
            kind: MediaKind::music(),
            paths: vec![RelativePath::root()],
            restricted: true,
            grants: vec![Grant::User(ada.id), Grant::Role("member".into())],
            created_at: NOW,
        };
        let mut used = change(test_store).await;
        used.insert_session(&session(test_store, &ada), Some(&[1; 32]))
            .await
            .unwrap();
        used.set_server_setting("", "server_name", Some("\"Home\""))
            .await
            .unwrap();
        used.insert_library(&library).await.unwrap();
        used.audit(&line(test_store, AuditEvent::SetupCompleted, Some(1), None))
            .await
            .unwrap();
        used.commit().await.unwrap();

        let mut deindexed = change(test_store).await;
        deindexed.delete_media().await.unwrap();
        deindexed.commit().await.unwrap();
        test_store.store.database.shrink().await.unwrap();
        let counts = test_store.store.directories.file_counts().await.unwrap();
        assert_eq!(counts.values().sum::<i64>(), 0);
        assert_eq!(
            test_store
                .store
                .directories
                .list_directories()
                .await
                .unwrap()
                .len(),
            1
        );
        assert!(test_store.store.users.account(ada.id).await.unwrap().is_some());

        let mut reset = change(test_store).await;
        let new = Instance {
            instance_id: "new".into(),
            created_at: later(1),
        };
        reset.delete_everything(&new).await.unwrap();
        reset.commit().await.unwrap();
        assert_eq!(test_store.store.instance.instance().await.unwrap(), Some(new));
        for table in tables(test_store).await {
            let count = test_store
                .store
                .database
                .pools()
                .count(AssertSqlSafe(format!("SELECT count(*) FROM {table}")), &[]);
            let kept = ["server", "schema_migrations"].contains(&table.as_str());
            assert_eq!(count.await.unwrap() > 0, kept, "{table}");
        }
    })
    .await;
}

async fn tables(test_store: &TestStore) -> BTreeSet<String> {
    let columns = super::schema::columns(test_store).await;
    columns
        .iter()
        .map(|column| column.split('.').next().unwrap().to_owned())
        .collect()
}
