//! Invitations at the reference cloud: five states, quota, targets, races.

use std::sync::Barrier;

use serde_json::{Value, json};
use svc_tests::cloud::{Cloud, DAY, now};
use svc_tests::program::Answer;

/// A cloud with an owner, a registered server and two more accounts.
struct Setup {
    cloud: Cloud,
    token: String,
    bearer: String,
    bob: String,
    bob_token: String,
    carol_token: String,
}

impl Setup {
    fn new() -> Self {
        let cloud = Cloud::start();
        cloud.add_account("ada");
        let bob = cloud.add_account("bob");
        cloud.add_account("carol");
        let token = cloud.sign_in("ada");
        let bearer = format!("Bearer {}", cloud.register(&token));
        let (bob_token, carol_token) = (cloud.sign_in("bob"), cloud.sign_in("carol"));
        Self {
            cloud,
            token,
            bearer,
            bob,
            bob_token,
            carol_token,
        }
    }

    /// Sends a request with the server's credential and an account's token.
    fn send(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> Answer {
        let headers = [
            ("authorization", self.bearer.as_str()),
            ("svc-cloud-token", token),
        ];
        self.cloud.call(method, path, &headers, body)
    }

    fn try_create(&self, token: &str, target: Option<&str>) -> Answer {
        let body = json!({ "role": "music_user", "target": target, "expiresAt": now() + 7 * DAY });
        self.send("POST", "/api/v1/invitations", token, Some(&body))
    }

    fn create(&self, target: Option<&str>) -> Value {
        let answer = self.try_create(&self.token, target);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()
    }

    fn statuses(&self, ids: &[&Value]) -> Vec<Value> {
        let answer = self.send(
            "POST",
            "/api/v1/invitation-statuses",
            &self.token,
            Some(&json!({ "ids": ids })),
        );
        answer.json()["statuses"].as_array().unwrap().clone()
    }

    fn status(&self, created: &Value) -> String {
        self.statuses(&[&created["id"]])[0]["status"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn bind(&self, token: &str, created: &Value) -> Answer {
        self.cloud.bind(token, created["shortcode"].as_str().unwrap())
    }

    fn claim(&self, token: &str, created: &Value) -> Value {
        let path = format!("/api/v1/invitations/{}/claim", created["id"].as_str().unwrap());
        self.send("POST", &path, token, None).json()["claimed"].clone()
    }

    fn revoke(&self, created: &Value) -> Value {
        let path = format!("/api/v1/invitations/{}", created["id"].as_str().unwrap());
        self.send("DELETE", &path, &self.token, None).json()["revoked"].clone()
    }
}

fn code(answer: &Answer) -> (u16, String) {
    (
        answer.status,
        answer.json()["code"].as_str().unwrap_or_default().to_owned(),
    )
}

#[test]
fn shareable_invitation_goes_through_its_states() {
    let setup = Setup::new();
    let created = setup.create(None);
    let url = created["url"].as_str().unwrap();
    assert_eq!(
        url,
        format!(
            "{}/invite/{}",
            setup.cloud.url,
            created["shortcode"].as_str().unwrap()
        )
    );
    assert_eq!(setup.status(&created), "active");
    assert_eq!(setup.claim(&setup.bob_token, &created), false);

    let bound = setup.bind(&setup.bob_token, &created);
    assert_eq!(
        (bound.status, &bound.json()["server"]["name"]),
        (200, &json!("Living room"))
    );
    let status = &setup.statuses(&[&created["id"]])[0];
    assert_eq!(status["status"], "bound");
    assert!((now() - status["boundAt"].as_i64().unwrap()).abs() < 60_000);
    assert_eq!(setup.bind(&setup.bob_token, &created).json()["id"], created["id"]);
    assert_eq!(
        code(&setup.bind(&setup.carol_token, &created)),
        (404, "invitation_unknown".to_owned())
    );
    let held =
        |token: &str| setup.send("GET", "/api/v1/bound-invitations", token, None).json()["ids"].clone();
    assert_eq!(held(&setup.bob_token), json!([created["id"]]));
    assert_eq!(held(&setup.carol_token), json!([]));

    assert_eq!(setup.claim(&setup.carol_token, &created), false);
    assert_eq!(setup.claim(&setup.bob_token, &created), true);
    assert_eq!(setup.claim(&setup.bob_token, &created), true);
    assert_eq!(setup.status(&created), "claimed");
    assert_eq!(held(&setup.bob_token), json!([]));
    assert_eq!(setup.revoke(&created), false);
    assert_eq!(setup.status(&created), "claimed");
}

#[test]
fn revoked_and_expired_invitations_stay_so() {
    let setup = Setup::new();
    let (active, bound, expiring, held) = (
        setup.create(None),
        setup.create(None),
        setup.create(None),
        setup.create(None),
    );
    assert_eq!(setup.bind(&setup.bob_token, &bound).status, 200);
    assert_eq!(setup.bind(&setup.bob_token, &held).status, 200);
    for revoked in [&active, &bound] {
        assert_eq!(setup.revoke(revoked), true);
        assert_eq!(setup.revoke(revoked), false);
        assert_eq!(setup.status(revoked), "revoked");
        assert_eq!(setup.bind(&setup.bob_token, revoked).status, 404);
        assert_eq!(setup.claim(&setup.bob_token, revoked), false);
    }
    setup.cloud.set_clock(8 * DAY);
    for expired in [&expiring, &held] {
        assert_eq!(setup.status(expired), "expired");
        assert_eq!(setup.bind(&setup.carol_token, expired).status, 404);
        assert_eq!(setup.claim(&setup.bob_token, expired), false);
        assert_eq!(setup.revoke(expired), false);
    }
    assert_eq!(setup.status(&active), "revoked");
    let unknown = json!("i_0000000000000000");
    let statuses = setup.statuses(&[&unknown, &held["id"], &unknown]);
    assert_eq!(
        statuses,
        [Value::Null, json!({ "status": "expired" }), Value::Null]
    );
}

#[test]
fn direct_invitation_is_approved_by_its_target_alone() {
    let setup = Setup::new();
    let created = setup.create(Some(&setup.bob));
    let mut names: Vec<&String> = created.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["expiresAt", "id"]);
    let mail = setup.cloud.mails().pop().unwrap();
    assert!(
        mail.contains("To: bob@example.org\r\n") && mail.contains("Living room"),
        "{mail}"
    );
    let approval = setup.cloud.approval_code("bob@example.org");
    let approve = |token: &str| {
        let body = json!({ "code": approval });
        setup.cloud.call(
            "POST",
            "/api/v1/approvals",
            &[("svc-cloud-token", token)],
            Some(&body),
        )
    };
    assert_eq!(
        code(&approve(&setup.carol_token)),
        (404, "invitation_unknown".to_owned())
    );
    assert_eq!(setup.status(&created), "active");
    assert_eq!(approve(&setup.bob_token).json()["id"], created["id"]);
    assert_eq!(setup.status(&created), "bound");
    assert_eq!(setup.claim(&setup.bob_token, &created), true);
}

#[test]
fn unavailable_targets_are_refused_alike() {
    let setup = Setup::new();
    let ada = setup
        .cloud
        .call(
            "GET",
            "/api/v1/account",
            &[("svc-cloud-token", &setup.token)],
            None,
        )
        .json();
    let shy = setup.cloud.add_account("shy");
    setup
        .cloud
        .command(&["account", "change", "shy", "--takes-invitations", "false"], "");
    let off = setup.cloud.add_account("off");
    setup
        .cloud
        .command(&["account", "change", "off", "--enabled", "false"], "");
    for _ in 0..5 {
        setup.create(Some(&setup.bob));
    }
    let refused: Vec<Answer> = [
        "u_0000000000000000",
        "",
        &shy,
        &off,
        &setup.bob,
        ada["publicUserId"].as_str().unwrap(),
    ]
    .iter()
    .map(|target| setup.try_create(&setup.token, Some(target)))
    .collect();
    for answer in &refused {
        assert_eq!(code(answer), (404, "target_unavailable".to_owned()));
        assert_eq!(answer.bytes, refused[0].bytes);
    }
    assert_eq!(setup.cloud.mails().len(), 5);
    setup
        .cloud
        .command(&["account", "change", "ada", "--may-invite", "false"], "");
    assert_eq!(
        code(&setup.try_create(&setup.token, None)),
        (403, "forbidden".to_owned())
    );
}

#[test]
fn twenty_of_thirty_parallel_creations_succeed() {
    let setup = Setup::new();
    let start = Barrier::new(30);
    let statuses: Vec<(u16, String)> = std::thread::scope(|scope| {
        let creations: Vec<_> = (0..30)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    code(&setup.try_create(&setup.token, None))
                })
            })
            .collect();
        creations
            .into_iter()
            .map(|creation| creation.join().unwrap())
            .collect()
    });
    let count = |status: u16| statuses.iter().filter(|(found, _)| *found == status).count();
    assert_eq!((count(201), count(409)), (20, 10), "{statuses:?}");
    assert!(statuses.contains(&(409, "daily_invitation_limit".to_owned())));
    // Each account has its own quota, and a day later it is free again.
    assert_eq!(setup.try_create(&setup.bob_token, None).status, 201);
    setup.cloud.set_clock(DAY + 60_000);
    assert_eq!(setup.try_create(&setup.token, None).status, 201);
}

#[test]
fn revoked_invitations_count_against_the_quota() {
    let setup = Setup::new();
    for _ in 0..20 {
        assert_eq!(setup.revoke(&setup.create(None)), true);
    }
    let limited = setup.try_create(&setup.token, None);
    assert_eq!(code(&limited), (409, "daily_invitation_limit".to_owned()));
}

#[test]
fn one_of_many_parallel_binds_wins() {
    let setup = Setup::new();
    let created = setup.create(None);
    let tokens: Vec<String> = (0..10)
        .map(|number| {
            let name = format!("guest{number}");
            setup.cloud.add_account(&name);
            setup.cloud.sign_in(&name)
        })
        .collect();
    let start = Barrier::new(tokens.len());
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let binds: Vec<_> = tokens
            .iter()
            .map(|token| {
                scope.spawn(|| {
                    start.wait();
                    setup.bind(token, &created).status
                })
            })
            .collect();
        binds.into_iter().map(|bind| bind.join().unwrap()).collect()
    });
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(
        statuses.iter().filter(|status| **status == 404).count(),
        9,
        "{statuses:?}"
    );
}

#[test]
fn unknown_shortcodes_are_limited() {
    let setup = Setup::new();
    let created = setup.create(None);
    for _ in 0..10 {
        assert_eq!(
            setup.cloud.bind(&setup.bob_token, "0000-0000-0000-0000").status,
            404
        );
    }
    assert_eq!(setup.bind(&setup.bob_token, &created).status, 429);
    let typed = created["shortcode"]
        .as_str()
        .unwrap()
        .to_lowercase()
        .replace('-', " ");
    assert_eq!(setup.cloud.bind(&setup.carol_token, &typed).status, 200);
}

#[test]
fn end_of_an_invitation_is_at_most_thirty_days_ahead() {
    let setup = Setup::new();
    let create = |expires_at: i64| {
        let body = json!({ "role": "music_user", "expiresAt": expires_at });
        setup.send("POST", "/api/v1/invitations", &setup.token, Some(&body))
    };
    let ends = create(i64::MAX).json()["expiresAt"].as_i64().unwrap();
    assert!((now() + 30 * DAY - ends).abs() < 60_000, "{ends}");
    assert_eq!(create(now() - 1_000).status, 400);
    let asked = now() + DAY;
    assert_eq!(create(asked).json()["expiresAt"], asked);
}
