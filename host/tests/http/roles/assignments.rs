//! `/roles/{role}/assignments` and `/roles/assignments`.

use serde_json::json;
use svc_covers::covers;

use super::{ROLES, assign, assignments, ids, unassign};
use crate::support::TestServer;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[covers("R45", "T28")]
#[tokio::test]
async fn roles_of_owner_guest_and_stronger_users_are_protected() {
    let server = TestServer::start().await;
    let owner_id = server.user("ada", true, &["owner"]).await;
    let owner = server.client(owner_id);
    let admin_id = server.user("admin", false, &["administrator"]).await;
    let admin = server.client(admin_id);
    let other = server.user("other", false, &["administrator"]).await;
    let guest = server.store.users.guest().await.unwrap().unwrap().id;
    let lesser = [
        Capability::RoleAssignmentsCreate,
        Capability::RoleAssignmentsDelete,
    ];
    let lesser = server.client(allowed_to(&server, "lesser", &lesser).await);
    let before = assignments(&owner, "take=1000").await;
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
            assign(token, role, &ids(&[target])).await.status,
            give,
            "give {role} {target}"
        );
        let query = format!("userIds={target}");
        assert_eq!(
            unassign(token, role, &query).await.status,
            take,
            "take {role} {target}"
        );
    }
    assert_eq!(assignments(&owner, "take=1000").await, before);
    // Administrators may change each other.
    assert_eq!(
        unassign(&admin, "administrator", &format!("userIds={other}"))
            .await
            .status,
        200
    );
}

#[covers("POST /api/v1/roles/{role}/assignments", "R50")]
#[tokio::test]
async fn assignments_apply_to_all_users_or_none() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let guest = server.store.users.guest().await.unwrap().unwrap().id;
    let (bob, eve) = (
        server.user("bob", false, &["member"]).await,
        server.user("eve", false, &[]).await,
    );
    let admin = server.as_user("admin", &["administrator"]).await;
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
            let given = assign(&admin, "music_user", &json!({"userIds": list}))
                .await
                .status;
            assert_eq!(given, expected, "{list}");
        }
        let text = bad.as_str().map_or_else(|| bad.to_string(), str::to_owned);
        let taken = unassign(&admin, "member", &format!("userIds={bob}&userIds={text}"))
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
        assert_eq!(assign(&admin, "music_user", &body).await.status, 400, "{body}");
    }
    assert_eq!(
        assignments(&owner, &format!("userId={bob}")).await,
        [(bob.to_string(), "member".into())]
    );
    assert_eq!(assignments(&owner, &format!("userId={eve}")).await, []);

    let given = assign(&admin, "music_user", &json!({"users": [bob, eve, bob]})).await;
    assert_eq!((given.status, given.json().as_array().unwrap().len()), (201, 2));
    let record = given.json()[0].clone();
    assert_eq!(
        (&record["userId"], &record["role"]),
        (&json!(bob), &json!("music_user"))
    );
    assert!(record["createdAt"].as_str().unwrap().ends_with('Z'));
    // An existing assignment is returned unchanged.
    server.clock.advance(std::time::Duration::from_secs(5));
    let again = assign(&admin, "music_user", &ids(&[bob])).await;
    assert_eq!((again.status, again.json()), (201, json!([record])));
    let taken = unassign(&admin, "music_user", &format!("userIds={bob}")).await;
    assert_eq!((taken.status, taken.json()), (200, json!([record])));
    let nothing = unassign(&admin, "music_user", &format!("userIds={bob}")).await;
    assert_eq!((nothing.status, nothing.json()), (200, json!([])));
}

#[covers("DELETE /api/v1/roles/{role}/assignments", "R44")]
#[tokio::test]
async fn user_ids_are_accepted_in_every_list_syntax() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
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
        assign(&owner, "member", &ids(&[bob, eve])).await;
        let reply = unassign(&owner, "member", &query).await;
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
        assert_eq!(unassign(&owner, "member", &query).await.status, 400, "{query}");
    }
}

#[covers("GET /api/v1/roles/assignments", "R46")]
#[tokio::test]
async fn assignments_are_a_paged_array_ordered_by_name() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    for number in 0..15 {
        server
            .user(&format!("user{number:02}"), false, &["member", "newcomer"])
            .await;
    }
    let all = assignments(&owner, "take=1000").await;
    assert_eq!(all.len(), 15 * 2 + 2);
    let names = |list: &[(String, String)]| list.iter().map(|(_, role)| role.clone()).collect::<Vec<_>>();
    assert!(names(&all).is_sorted());
    assert_eq!(assignments(&owner, "").await, all[..12]);
    assert_eq!(
        assignments(&owner, "sort=name&order=ASC&take=5&skip=10").await,
        all[10..15]
    );
    assert!(
        names(&assignments(&owner, "order=DESC&take=1000").await)
            .iter()
            .rev()
            .is_sorted()
    );
    assert_eq!(assignments(&owner, "take=0").await, []);
    assert_eq!(assignments(&owner, "skip=1000000").await, []);
    assert_eq!(assignments(&owner, "userId=0000000000001").await, []);
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
            owner.get(&format!("{ROLES}/assignments?{query}")).await.status,
            400,
            "{query}"
        );
    }
}
