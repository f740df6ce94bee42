//! `PATCH /users/{id}`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{USERS, create, names, new, update};
use crate::support::accounts::{PASSWORD, allowed_to};
use crate::support::{TestServer, TestServerOptions};
use svc_domain::id::UserId;
use svc_identity::capability::Capability;

#[covers("PATCH /api/v1/users/{id}", "T16", "T29")]
#[tokio::test]
async fn account_with_more_capabilities_cannot_be_changed() {
    let server = TestServer::start_with(TestServerOptions {
        // Guest access is on in kiosk mode.
        kiosk: true,
        ..TestServerOptions::default()
    })
    .await;
    let owner_id = server.user("ada", true, &["owner"]).await;
    let admin_id = server.user("admin", false, &["administrator"]).await;
    let other_id = server.user("other", false, &["administrator"]).await;
    let bob = server.user("bob", false, &["newcomer"]).await;
    let editor = allowed_to(
        &server,
        "editor",
        &[
            Capability::UsersUpdate,
            Capability::UsersCreate,
            Capability::CurrentUserUpdate,
        ],
    )
    .await;
    let guest = server.store.users.guest().await.unwrap().unwrap().id;
    let tokens = |id: UserId| server.client(id);
    for (by, target, status) in [
        (owner_id, owner_id, 200),
        (owner_id, admin_id, 200),
        (owner_id, bob, 200),
        (owner_id, guest, 403),
        (admin_id, owner_id, 403),
        (admin_id, other_id, 200),
        (admin_id, admin_id, 200),
        (admin_id, editor, 200),
        (admin_id, guest, 403),
        (editor, owner_id, 403),
        (editor, admin_id, 403),
        (editor, editor, 200),
        (editor, bob, 403),
        (editor, guest, 403),
        (bob, owner_id, 403),
    ] {
        for body in [
            json!({"displayName": "Changed"}),
            json!({"password": "another password"}),
            json!({"enabled": true}),
        ] {
            let reply = update(&tokens(by), target, &body).await;
            // These tokens belong to no session, and a new password of one's own needs one that signed in lately.
            let needs_sign_in = by == target && body.get("password").is_some();
            let expected = if needs_sign_in { 403 } else { status };
            assert_eq!(reply.status, expected, "{by} {target} {body}");
            let pats = format!("{USERS}/{target}/personal-access-tokens");
            let minted = tokens(by).post(&pats, &json!({"label": "x"})).await.status;
            assert_eq!(minted, if status == 200 { 201 } else { 403 }, "{by} {target}");
        }
    }
    for (target, status) in [(owner_id, 403), (guest, 403), (admin_id, 200), (bob, 200)] {
        assert_eq!(
            update(&tokens(owner_id), target, &json!({"enabled": false}))
                .await
                .status,
            status,
            "{target}"
        );
    }
    for (by, path) in [
        (owner_id, owner_id.to_string()),
        (other_id, other_id.to_string()),
        (other_id, "current".into()),
    ] {
        assert_eq!(
            update(&tokens(by), path, &json!({"enabled": false})).await.status,
            403
        );
    }
    let by_editor = json!({"username": "new", "password": PASSWORD, "role": "member"});
    assert_eq!(create(&tokens(editor), &by_editor).await.status, 403);
    assert_eq!(create(&tokens(editor), &new("new")).await.status, 201);
    // A narrowed token acts with its remaining capabilities.
    let narrowed = server.as_token(owner_id, Some(&[Capability::UsersUpdate])).await;
    assert_eq!(
        update(&narrowed, other_id, &json!({"displayName": "x"}))
            .await
            .status,
        403
    );
    let guest = tokens(guest);
    assert_eq!(
        update(&guest, "current", &json!({"displayName": "x"}))
            .await
            .status,
        403
    );
}

#[covers("R50b", "T26")]
#[tokio::test]
async fn read_only_fields_in_a_body_are_ignored() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let forbidden = json!({
        "userId": "0000000000001", "id": "0000000000001", "user_id": 1, "isOwner": true, "is_owner": true, "isGuest": true,
        "is_guest": 1, "roles": ["owner", "administrator"], "role_assignments": ["owner"], "capabilities": ["Users.Read"],
        "createdAt": "2000-01-01T00:00:00.000Z", "created_at": 0, "lastActiveAt": "2000-01-01T00:00:00.000Z",
        "passwordHash": "$argon2id$x", "password_hash": "$argon2id$x", "cloudLinked": true, "cloudAccount": "evil",
        "cloud_account": "evil", "username_key": "ada", "usernameKey": "ada", "ownerId": "0000000000001", "__proto__": {"isOwner": true},
    });
    assert!(forbidden.as_object().unwrap().len() >= 20);
    let with = |body: Value| {
        let mut all = forbidden.clone();
        all.as_object_mut()
            .unwrap()
            .extend(body.as_object().unwrap().clone());
        all
    };
    let made = create(&owner, &with(new("bob"))).await;
    assert_eq!(made.status, 201);
    let before = made.json();
    assert_ne!(before["userId"], "0000000000001");
    assert_eq!(
        (&before["isOwner"], &before["isGuest"], &before["cloudLinked"]),
        (&json!(false), &json!(false), &json!(false))
    );
    assert_eq!(before["roles"], json!(["newcomer"]));
    assert!(before["createdAt"].as_str().unwrap() > "2020");
    let bob = server.try_password("bob", PASSWORD).await.client();
    let id = before["userId"].as_str().unwrap();
    let before = owner.get(&format!("{USERS}/{id}")).await.json();
    let same = |mut user: Value| {
        user.as_object_mut().unwrap().remove("lastActiveAt");
        user
    };
    for (token, path) in [(&owner, id), (&bob, "current")] {
        let reply = update(token, path, &forbidden).await;
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(same(reply.json()), same(before.clone()), "{path}");
    }
    let settings = with(json!({"app": null, "settings": {"theme": "dark"}}));
    assert_eq!(
        bob.patch("/api/v1/settings", &settings).await.json(),
        json!({"app": null, "updated": {"theme": "dark"}})
    );
    let origin = owner
        .post(
            "/api/v1/cors-origins",
            &with(json!({"origin": "https://a.example"})),
        )
        .await
        .json();
    assert_ne!(origin["id"], "0000000000001");
    let mut role = with(json!({"name": "curator", "builtIn": true, "assignable": false}));
    role["capabilities"] = json!(["Photos.Read"]);
    let role = owner.post("/api/v1/roles", &role).await.json();
    assert_eq!(
        (&role["builtIn"], &role["assignable"]),
        (&json!(false), &json!(true))
    );
    let given = with(json!({"userIds": [id], "role": "administrator"}));
    let given = owner
        .post("/api/v1/roles/curator/assignments", &given)
        .await
        .json();
    assert_eq!(
        (&given[0]["userId"], &given[0]["role"]),
        (&json!(id), &json!("curator"))
    );
    assert!(given[0]["createdAt"].as_str().unwrap() > "2020");
    let mut token =
        with(json!({"label": "x", "token": "svc_pat_mine", "createdBy": "0000000000001", "hint": "mine"}));
    token["capabilities"] = json!(["CurrentUser.Read"]);
    let token = owner
        .post(&format!("{USERS}/{id}/personal-access-tokens"), &token)
        .await;
    assert_eq!(token.status, 201);
    let stored = owner
        .get(&format!("{USERS}/{id}/personal-access-tokens"))
        .await
        .json()[0]
        .clone();
    assert_ne!(stored["createdBy"], "0000000000001");
    assert_ne!(stored["hint"], "mine");
    let after = owner.get(&format!("{USERS}?roles=1&order=ASC")).await.json();
    assert_eq!(names(&after[0]), ["guest", "ada", "bob"]);
    assert_eq!(after[0][2]["roles"], json!(["curator", "newcomer"]));
    assert_eq!(after[0][1]["isOwner"], true);
}

#[tokio::test]
async fn refused_change_changes_nothing() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bob = server.user("bob", false, &["member"]).await;
    let before = owner.get(&format!("{USERS}/{bob}")).await.json();
    for (status, body) in [
        (409, json!({"displayName": "New", "username": "ada"})),
        (400, json!({"displayName": "New", "password": "short"})),
        (400, json!({"displayName": "New", "enabled": "no"})),
        (
            400,
            json!({"displayName": "New", "enabled": false, "username": ""}),
        ),
        (
            403,
            json!({"displayName": "New", "currentPassword": "wrong password"}),
        ),
        (400, json!({"displayName": 1})),
    ] {
        assert_eq!(update(&owner, bob, &body).await.status, status, "{body}");
        assert_eq!(
            owner.get(&format!("{USERS}/{bob}")).await.json(),
            before,
            "{body}"
        );
    }
    let named = update(&owner, bob, &json!({"displayName": "New"})).await.json();
    assert_eq!(named["displayName"], "New");
    let unnamed = update(&owner, bob, &json!({"displayName": null})).await.json();
    assert_eq!(
        (unnamed.get("displayName"), &unnamed["username"]),
        (None, &json!("bob"))
    );
    assert_eq!(update(&owner, "0000000000001", &json!({})).await.status, 404);
}
