//! Roles and who has them: who may give what to whom, and that it counts from the next request on.

use std::sync::Arc;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::{Reply, TestServer};
use svc_domain::id::UserId;
use svc_domain::user::CustomRole;
use svc_identity::capability::Capability;
use svc_identity::role::Role;

const ROLES: &str = "/api/v1/roles";

/// An account that may do just this, made behind the API.
pub(super) async fn allowed_to(server: &TestServer, name: &str, capabilities: &[Capability]) -> UserId {
    let role = CustomRole {
        name: format!("{name}-role"),
        capabilities: capabilities.iter().map(|one| one.as_str().to_owned()).collect(),
        created_at: svc_domain::time::Clock::now(server.clock.as_ref()),
    };
    let mut change = server.store.identity.change_identity().await.unwrap();
    assert!(change.insert_role(&role).await.unwrap());
    change.commit().await.unwrap();
    server.user(name, false, &[&role.name]).await
}

async fn assign(server: &TestServer, token: &str, role: &str, body: &Value) -> Reply {
    server
        .send_as(token, "POST", &format!("{ROLES}/{role}/assignments"), body)
        .await
}

async fn unassign(server: &TestServer, token: &str, role: &str, query: &str) -> Reply {
    server
        .send_as(
            token,
            "DELETE",
            &format!("{ROLES}/{role}/assignments?{query}"),
            &Value::Null,
        )
        .await
}

async fn assignments(server: &TestServer, token: &str, query: &str) -> Vec<(String, String)> {
    let reply = server
        .get_as(token, &format!("{ROLES}/assignments?{query}"))
        .await;
    assert_eq!(reply.status, 200, "{query}");
    let list = reply.json().as_array().unwrap().clone();
    list.iter()
        .map(|one| {
            (
                one["userId"].as_str().unwrap().to_owned(),
                one["role"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

fn ids(users: &[UserId]) -> Value {
    json!({"userIds": users})
}

#[covers("GET /api/v1/roles")]
#[tokio::test]
async fn roles_are_listed_with_what_they_allow() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let made = server
        .send_as(
            &token,
            "POST",
            ROLES,
            &json!({"name": "curator", "capabilities": ["Photos.Update", "Photos.Read", "Photos.Read"]}),
        )
        .await;
    let expected = json!({"role": "curator", "builtIn": false, "assignable": true, "capabilities": ["Photos.Read", "Photos.Update"]});
    assert_eq!((made.status, made.json()), (201, expected.clone()));
    let roles = server.get_as(&token, ROLES).await.json();
    let names: Vec<_> = roles
        .as_array()
        .unwrap()
        .iter()
        .map(|role| role["role"].as_str().unwrap())
        .collect();
    let built_in: Vec<_> = Role::ALL.iter().map(|role| role.as_str()).collect();
    assert_eq!(names, [&built_in[..], &["curator"]].concat());
    assert_eq!(roles[8], expected);
    assert_eq!(
        (&roles[0]["assignable"], &roles[6]["assignable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        roles[0]["capabilities"].as_array().unwrap().len(),
        Capability::ALL.len()
    );
}

#[covers("POST /api/v1/roles", "code role_exists")]
#[tokio::test]
async fn names_and_capabilities_of_roles_are_checked() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let long = "x".repeat(65);
    for (name, status) in [
        ("owner", 409),
        ("newcomer", 409),
        ("Curator", 400),
        ("", 400),
        ("a b", 400),
        ("a/b", 400),
        ("assignments", 400),
        ("ä", 400),
        ("2nd", 400),
        (&long, 400),
        ("curator", 201),
        ("curator", 409),
    ] {
        let body = json!({"name": name, "capabilities": []});
        let reply = server.send_as(&token, "POST", ROLES, &body).await;
        let code = (status == 409).then_some("role_exists");
        assert_eq!(
            (reply.status, reply.json()["code"].as_str()),
            (status, code),
            "{name:?}"
        );
    }
    for capabilities in [
        json!(["Users.read"]),
        json!(["*"]),
        json!(["Users.Read", ""]),
        json!([1]),
        json!("Users.Read"),
        json!(null),
        json!([["Users.Read"]]),
    ] {
        let body = json!({"name": "other", "capabilities": capabilities});
        assert_eq!(
            server.send_as(&token, "POST", ROLES, &body).await.status,
            400,
            "{body}"
        );
        let target = format!("{ROLES}/curator");
        assert_eq!(
            server.send_as(&token, "PATCH", &target, &body).await.status,
            400,
            "{body}"
        );
    }
    for (role, status) in [
        ("owner", 403),
        ("administrator", 403),
        ("guest", 403),
        ("nothing", 404),
        ("Curator", 404),
    ] {
        let target = format!("{ROLES}/{role}");
        assert_eq!(
            server
                .send_as(&token, "PATCH", &target, &json!({"capabilities": []}))
                .await
                .status,
            status,
            "{role}"
        );
        assert_eq!(
            server
                .send_as(&token, "DELETE", &target, &Value::Null)
                .await
                .status,
            status,
            "{role}"
        );
    }
}

#[covers("PATCH /api/v1/roles/{role}", "DELETE /api/v1/roles/{role}", "T25")]
#[tokio::test]
async fn a_changed_or_deleted_role_counts_from_the_next_request_on() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let bob = allowed_to(&server, "bob", &[Capability::UsersRead]).await;
    let token = server.token(bob);
    let program = super::access_matrix::personal_access_token(&server, bob, None).await;
    let target = format!("{ROLES}/bob-role");
    let both = async |status: u16| {
        for token in [&token, &program] {
            assert_eq!(server.get_as(token, "/api/v1/users").await.status, status);
        }
    };
    both(200).await;
    for _ in 0..3 {
        server
            .send_as(&owner, "PATCH", &target, &json!({"capabilities": []}))
            .await;
        both(403).await;
        server
            .send_as(&owner, "PATCH", &target, &json!({"capabilities": ["Users.Read"]}))
            .await;
        both(200).await;
    }
    let deleted = server.send_as(&owner, "DELETE", &target, &Value::Null).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
    both(403).await;
    // A new role of the old name is given to nobody.
    server
        .send_as(
            &owner,
            "POST",
            ROLES,
            &json!({"name": "bob-role", "capabilities": ["Users.Read"]}),
        )
        .await;
    both(403).await;
    assign(&server, &owner, "administrator", &ids(&[bob])).await;
    both(200).await;
    unassign(&server, &owner, "administrator", &format!("userIds={bob}")).await;
    both(403).await;
}

#[covers("T25")]
#[tokio::test]
async fn nobody_is_let_in_after_their_role_was_taken() {
    let server = Arc::new(TestServer::start().await);
    let owner = server.owner().await;
    let bob = server.user("bob", false, &["administrator"]).await;
    let token = server.token(bob);
    let revoked = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (server, token, revoked) = (Arc::clone(&server), token.clone(), Arc::clone(&revoked));
        calls.spawn(async move {
            let mut late = 0;
            while late < 20 {
                let known = revoked.load(std::sync::atomic::Ordering::SeqCst);
                let status = server.get_as(&token, "/api/v1/users/owner").await.status;
                if known {
                    assert_eq!(status, 403);
                    late += 1;
                }
                tokio::task::yield_now().await;
            }
        });
    }
    let reply = unassign(&server, &owner, "administrator", &format!("userIds={bob}")).await;
    assert_eq!(reply.status, 200);
    revoked.store(true, std::sync::atomic::Ordering::SeqCst);
    calls.join_all().await;
}

#[tokio::test]
async fn nobody_makes_gives_or_changes_a_role_that_allows_more_than_they_may() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let admin = server.token(server.user("admin", false, &["administrator"]).await);
    let lesser = [
        Capability::RoleAssignmentsCreate,
        Capability::RoleAssignmentsDelete,
        Capability::UsersRead,
    ];
    let lesser = server.token(allowed_to(&server, "lesser", &lesser).await);
    let bob = server.user("bob", false, &[]).await;
    for (token, capability) in [(&admin, "MediaServer.FactoryReset"), (&lesser, "Users.Update")] {
        let reset = json!({"name": "strong", "capabilities": [capability, "Users.Read"]});
        assert_eq!(
            server.send_as(token, "POST", ROLES, &reset).await.status,
            403,
            "{capability}"
        );
        server.send_as(&owner, "POST", ROLES, &reset).await;
        let target = format!("{ROLES}/strong");
        // Neither up nor down.
        for capabilities in [json!([capability]), json!([]), json!(["Users.Read"])] {
            let body = json!({"capabilities": capabilities});
            assert_eq!(
                server.send_as(token, "PATCH", &target, &body).await.status,
                403,
                "{capabilities}"
            );
        }
        assert_eq!(
            server
                .send_as(token, "DELETE", &target, &Value::Null)
                .await
                .status,
            403
        );
        assert_eq!(assign(&server, token, "strong", &ids(&[bob])).await.status, 403);
        assign(&server, &owner, "strong", &ids(&[bob])).await;
        assert_eq!(
            unassign(&server, token, "strong", &format!("userIds={bob}"))
                .await
                .status,
            403
        );
        assert_eq!(
            server
                .send_as(&owner, "DELETE", &target, &Value::Null)
                .await
                .status,
            200
        );
    }
    assert_eq!(
        assign(&server, &lesser, "administrator", &ids(&[bob]))
            .await
            .status,
        403
    );
    assert_eq!(
        assign(&server, &lesser, "newcomer", &ids(&[bob])).await.status,
        201
    );
    assert_eq!(
        server
            .send_as(
                &lesser,
                "POST",
                ROLES,
                &json!({"name": "weak", "capabilities": ["Users.Read"]})
            )
            .await
            .status,
        201
    );
}

#[covers("R45", "T28")]
#[tokio::test]
async fn roles_of_owner_guest_and_stronger_users_are_protected() {
    let server = TestServer::start().await;
    let owner_id = server.user("ada", true, &["owner"]).await;
    let owner = server.token(owner_id);
    let admin_id = server.user("admin", false, &["administrator"]).await;
    let admin = server.token(admin_id);
    let other = server.user("other", false, &["administrator"]).await;
    let guest = server.store.users.guest().await.unwrap().unwrap().id;
    let lesser = [
        Capability::RoleAssignmentsCreate,
        Capability::RoleAssignmentsDelete,
    ];
    let lesser = server.token(allowed_to(&server, "lesser", &lesser).await);
    let before = assignments(&server, &owner, "take=1000").await;
    for (token, role, target, give, take) in [
        (&owner, "owner", admin_id, 403, 403),
        (&owner, "owner", owner_id, 403, 403),
        (&owner, "guest", admin_id, 403, 403),
        (&owner, "guest", guest, 403, 400),
        (&owner, "member", guest, 400, 400),
        (&owner, "administrator", guest, 400, 400),
        (&owner, "nothing", admin_id, 400, 400),
        (&owner, "Owner", admin_id, 400, 400),
        (&owner, "%25", admin_id, 400, 400),
        (&admin, "owner", admin_id, 403, 403),
        (&admin, "member", owner_id, 403, 403),
        (&lesser, "newcomer", admin_id, 403, 403),
        (&lesser, "newcomer", owner_id, 403, 403),
    ] {
        assert_eq!(
            assign(&server, token, role, &ids(&[target])).await.status,
            give,
            "give {role} {target}"
        );
        let query = format!("userIds={target}");
        assert_eq!(
            unassign(&server, token, role, &query).await.status,
            take,
            "take {role} {target}"
        );
    }
    assert_eq!(assignments(&server, &owner, "take=1000").await, before);
    // Administrators are equals.
    assert_eq!(
        unassign(&server, &admin, "administrator", &format!("userIds={other}"))
            .await
            .status,
        200
    );
}

#[covers("POST /api/v1/roles/{role}/assignments", "R50")]
#[tokio::test]
async fn assignments_are_given_and_taken_for_all_or_none() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let guest = server.store.users.guest().await.unwrap().unwrap().id;
    let (bob, eve) = (
        server.user("bob", false, &["member"]).await,
        server.user("eve", false, &[]).await,
    );
    let admin = server.token(server.user("admin", false, &["administrator"]).await);
    let ada = server.store.users.owner().await.unwrap().unwrap().user.id;
    let bad = [
        (json!("0000000000001"), 404),
        (json!("junk"), 400),
        (json!(guest), 400),
        (json!(ada), 403),
        (json!(""), 400),
        (json!(1), 400),
        (json!(null), 400),
    ];
    for (bad, expected) in bad {
        for list in [json!([eve, bad]), json!([bad, eve])] {
            let given = assign(&server, &admin, "music_user", &json!({"userIds": list}))
                .await
                .status;
            assert_eq!(given, expected, "{list}");
        }
        let text = bad.as_str().map_or_else(|| bad.to_string(), str::to_owned);
        let taken = unassign(
            &server,
            &admin,
            "member",
            &format!("userIds={bob}&userIds={text}"),
        )
        .await
        .status;
        assert_eq!(taken, expected, "{bad}");
    }
    for body in [
        json!({}),
        json!({"userIds": []}),
        json!({"userIds": bob}),
        json!([bob]),
        json!({"userIds": null}),
        json!({"userIds": {"0": bob}}),
        json!({"userIds": vec![bob; 201]}),
    ] {
        assert_eq!(
            assign(&server, &admin, "music_user", &body).await.status,
            400,
            "{body}"
        );
    }
    assert_eq!(
        assignments(&server, &owner, &format!("userId={bob}")).await,
        [(bob.to_string(), "member".into())]
    );
    assert_eq!(assignments(&server, &owner, &format!("userId={eve}")).await, []);

    let given = assign(&server, &admin, "music_user", &json!({"users": [bob, eve, bob]})).await;
    assert_eq!((given.status, given.json().as_array().unwrap().len()), (201, 2));
    let record = given.json()[0].clone();
    assert_eq!(
        (&record["userId"], &record["role"]),
        (&json!(bob), &json!("music_user"))
    );
    assert!(record["createdAt"].as_str().unwrap().ends_with('Z'));
    // What is there already is given as it was.
    server.clock.advance(std::time::Duration::from_secs(5));
    let again = assign(&server, &admin, "music_user", &ids(&[bob])).await;
    assert_eq!((again.status, again.json()), (201, json!([record])));
    let taken = unassign(&server, &admin, "music_user", &format!("userIds={bob}")).await;
    assert_eq!((taken.status, taken.json()), (200, json!([record])));
    let nothing = unassign(&server, &admin, "music_user", &format!("userIds={bob}")).await;
    assert_eq!((nothing.status, nothing.json()), (200, json!([])));
}

#[covers("DELETE /api/v1/roles/{role}/assignments", "R44")]
#[tokio::test]
async fn user_ids_are_read_in_every_spelling_of_lists() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let (bob, eve) = (
        server.user("bob", false, &[]).await,
        server.user("eve", false, &[]).await,
    );
    for (query, taken) in [
        (format!("userIds={bob}&userIds={eve}"), 2),
        (format!("userIds[]={bob}&userIds[]={eve}"), 2),
        (format!("userIds%5B%5D={bob}&userIds%5B%5D={eve}"), 2),
        (format!("userIds[0]={bob}&userIds[1]={eve}"), 2),
        (format!("userIds%5B7%5D={bob}"), 1),
        (format!("userIds={bob}"), 1),
        (format!("userIds={bob}&userIds={bob}&userIds[]={bob}"), 1),
    ] {
        assign(&server, &owner, "member", &ids(&[bob, eve])).await;
        let reply = unassign(&server, &owner, "member", &query).await;
        assert_eq!(
            (reply.status, reply.json().as_array().map(Vec::len)),
            (200, Some(taken)),
            "{query}"
        );
    }
    let many: Vec<_> = (0..201).map(|_| format!("userIds={bob}")).collect();
    for query in [
        String::new(),
        "userIds=".into(),
        format!("userIds={bob},{eve}"),
        format!("userIds[x]={bob}"),
        format!("userids={bob}"),
        format!("userIds[={bob}"),
        many.join("&"),
    ] {
        assert_eq!(
            unassign(&server, &owner, "member", &query).await.status,
            400,
            "{query}"
        );
    }
}

#[covers("GET /api/v1/roles/assignments", "R46")]
#[tokio::test]
async fn assignments_are_a_plain_array_by_name_in_pages() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    for number in 0..15 {
        server
            .user(&format!("user{number:02}"), false, &["member", "newcomer"])
            .await;
    }
    let all = assignments(&server, &owner, "take=1000").await;
    assert_eq!(all.len(), 15 * 2 + 2);
    let names = |list: &[(String, String)]| list.iter().map(|(_, role)| role.clone()).collect::<Vec<_>>();
    assert!(names(&all).is_sorted());
    assert_eq!(assignments(&server, &owner, "").await, all[..12]);
    assert_eq!(
        assignments(&server, &owner, "sort=name&order=ASC&take=5&skip=10").await,
        all[10..15]
    );
    assert!(
        names(&assignments(&server, &owner, "order=DESC&take=1000").await)
            .iter()
            .rev()
            .is_sorted()
    );
    assert_eq!(assignments(&server, &owner, "take=0").await, []);
    assert_eq!(assignments(&server, &owner, "skip=1000000").await, []);
    assert_eq!(assignments(&server, &owner, "userId=0000000000001").await, []);
    for query in [
        "take=-1",
        "take=1001",
        "take=1.5",
        "take=1e1",
        "skip=-1",
        "order=asc",
        "sort=role",
        "userId=junk",
        "userId=",
        "take=9223372036854775808",
    ] {
        assert_eq!(
            server
                .get_as(&owner, &format!("{ROLES}/assignments?{query}"))
                .await
                .status,
            400,
            "{query}"
        );
    }
}
