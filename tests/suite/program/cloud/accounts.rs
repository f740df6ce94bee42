//! Accounts, tokens and servers of the reference cloud: who is accepted, what refusals reveal, what is stored.

use serde_json::{Value, json};
use svc_tests::cloud::{Cloud, INSTANCE, now};
use svc_tests::program::{Answer, PASSWORD};

fn sign_in(cloud: &Cloud, username: &str, password: &str, audience: Option<&str>) -> Answer {
    let body = json!({ "username": username, "password": password, "audience": audience });
    cloud.call("POST", "/api/v1/session", &[], Some(&body))
}

fn account(cloud: &Cloud, token: &str, instance: Option<&str>) -> Answer {
    let mut headers = vec![("svc-cloud-token", token)];
    headers.extend(instance.map(|instance| ("svc-instance", instance)));
    cloud.call("GET", "/api/v1/account", &headers, None)
}

fn code(answer: &Answer) -> (u16, String) {
    (
        answer.status,
        answer.json()["code"].as_str().unwrap_or_default().to_owned(),
    )
}

#[test]
fn sign_ins_and_servers_are_logged_without_what_was_typed() {
    let cloud = Cloud::start();
    let id = cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    cloud.register(&token);
    for (username, password) in [("ada", "a wrong password"), ("a typed secret", PASSWORD)] {
        assert_eq!(sign_in(&cloud, username, password, None).status, 401);
    }
    let log = cloud.log();
    let network = "network=\"127.0.0.1\"";
    for expected in [
        format!("signed in account=\"{id}\" {network}"),
        format!("sign-in refused account=\"{id}\" {network}"),
        format!("sign-in refused account=\"\" {network}"),
        format!("server registered owner=\"{id}\" instance_id=\"{INSTANCE}\""),
    ] {
        assert!(log.contains(&expected), "{expected}: {log}");
    }
    for secret in [token.as_str(), PASSWORD, "a wrong password", "a typed secret"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[test]
fn name_that_is_in_use_is_refused_in_words() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let again = ["account", "add", "Ada", "--email", "other@example.org"];
    let error = cloud.refused_command(&again, PASSWORD);
    assert!(error.contains("there is an account Ada already"), "{error}");
    assert!(!error.contains("constraint"), "{error}");
}

#[test]
fn token_ends_with_sign_out_expiry_disabling_and_the_command() {
    let cloud = Cloud::start();
    let id = cloud.add_account("ada");
    let refused = (401, "token_invalid".to_owned());
    let token = cloud.sign_in("ada");
    let shown = account(&cloud, &token, None);
    assert_eq!((shown.status, &shown.json()["publicUserId"]), (200, &json!(id)));
    assert_eq!(shown.json()["groups"], json!([]));
    let header = [("svc-cloud-token", token.as_str())];
    assert_eq!(cloud.call("DELETE", "/api/v1/session", &header, None).status, 200);
    assert_eq!(cloud.call("DELETE", "/api/v1/session", &header, None).status, 200);
    assert_eq!(code(&account(&cloud, &token, None)), refused);

    let token = cloud.sign_in("ada");
    let ends = account(&cloud, &token, None).json()["expiresAt"]
        .as_i64()
        .unwrap();
    cloud.set_clock(ends - now() - 5_000);
    assert_eq!(account(&cloud, &token, None).status, 200);
    cloud.set_clock(ends - now());
    assert_eq!(code(&account(&cloud, &token, None)), refused);
    cloud.reset();

    cloud.command(&["account", "change", "ada", "--enabled", "false"], "");
    assert_eq!(code(&account(&cloud, &token, None)), refused);
    assert_eq!(
        code(&sign_in(&cloud, "ada", PASSWORD, None)),
        (401, "sign_in_refused".to_owned())
    );
    cloud.command(&["account", "change", "ada", "--enabled", "true"], "");
    assert_eq!(account(&cloud, &token, None).status, 200);
    assert_eq!(
        cloud.command(&["account", "sign-out", "ada"], ""),
        "1 sessions of ada are ended"
    );
    assert_eq!(code(&account(&cloud, &token, None)), refused);
}

#[test]
fn token_of_one_installation_is_refused_for_every_other() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let answer = sign_in(&cloud, "ada", PASSWORD, Some(INSTANCE));
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(account(&cloud, &token, Some(INSTANCE)).status, 200);
    let refused = (401, "token_invalid".to_owned());
    for instance in [None, Some("another"), Some("")] {
        assert_eq!(code(&account(&cloud, &token, instance)), refused, "{instance:?}");
    }
    let body = |instance: &str| json!({ "instanceId": instance, "name": "Cellar" });
    let register = |instance: &str| {
        cloud.call(
            "POST",
            "/api/v1/servers",
            &[("svc-cloud-token", &token)],
            Some(&body(instance)),
        )
    };
    assert_eq!(code(&register("another")), refused);
    assert_eq!(register(INSTANCE).status, 201);
}

#[test]
fn refused_sign_ins_reveal_nothing_and_are_limited() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    cloud.add_account("off");
    cloud.command(&["account", "change", "off", "--enabled", "false"], "");
    let refusals: Vec<Vec<u8>> = [
        ("ada", "wrong password"),
        ("nobody", PASSWORD),
        ("off", PASSWORD),
        ("ada", ""),
    ]
    .iter()
    .map(|(username, password)| {
        let answer = sign_in(&cloud, username, password, None);
        assert_eq!(answer.status, 401);
        answer.bytes
    })
    .collect();
    assert!(refusals.iter().all(|body| *body == refusals[0]), "{refusals:?}");
    for _ in 0..8 {
        assert_eq!(sign_in(&cloud, "ADA", "wrong password", None).status, 401);
    }
    let limited = sign_in(&cloud, "ada", PASSWORD, None);
    assert_eq!(code(&limited), (429, "too_many_requests".to_owned()));
    let seconds: u32 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((800..=900).contains(&seconds), "{seconds}");
    cloud.set_clock(900_000);
    assert_eq!(sign_in(&cloud, "ada", PASSWORD, None).status, 201);
}

#[test]
fn credentials_are_replaced_after_five_and_end_with_their_owner() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    cloud.add_account("bob");
    let token = cloud.sign_in("ada");
    let credentials: Vec<String> = (0..6).map(|_| cloud.register(&token)).collect();
    let subscription = |credential: &str| {
        let bearer = format!("Bearer {credential}");
        cloud.call("GET", "/api/v1/subscription", &[("authorization", &bearer)], None)
    };
    assert_eq!(
        code(&subscription(&credentials[0])),
        (401, "credential_invalid".to_owned())
    );
    for valid in &credentials[1..] {
        assert_eq!(
            subscription(valid).json(),
            json!({ "tier": "free", "seats": null, "expiresAt": null })
        );
    }
    // The same installation, registered by another account, is another server.
    let other = cloud.register(&cloud.sign_in("bob"));
    cloud.command(
        &[
            "subscription",
            "set",
            "bob",
            "--instance-id",
            INSTANCE,
            "--tier",
            "family",
            "--seats",
            "3",
        ],
        "",
    );
    assert_eq!(subscription(&other).json()["seats"], 3);
    assert_eq!(subscription(&credentials[5]).json()["tier"], "free");
    // Neither kind of credential is the other.
    assert_eq!(
        code(&subscription(&token)),
        (401, "credential_invalid".to_owned())
    );
    assert_eq!(
        code(&account(&cloud, &other, None)),
        (401, "token_invalid".to_owned())
    );
    cloud.command(&["account", "change", "bob", "--enabled", "false"], "");
    assert_eq!(
        code(&subscription(&other)),
        (401, "credential_invalid".to_owned())
    );
}

#[test]
fn bodies_that_are_no_objects_of_their_form_are_refused() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    let long = format!("{{\"instanceId\":\"x\",\"name\":\"{}\"}}", "x".repeat(70_000));
    let line = json!({ "instanceId": INSTANCE, "name": "a\nb" }).to_string();
    for body in [
        "",
        "null",
        "[\"x\",\"y\"]",
        "{}",
        "{\"instanceId\":1,\"name\":\"x\"}",
        "{",
        &long,
        &line,
    ] {
        let headers = [("svc-cloud-token", token.as_str())];
        let answer = cloud
            .try_call("POST", "/api/v1/servers", &headers, Some(body))
            .unwrap();
        assert_eq!(
            code(&answer),
            (400, "invalid_request".to_owned()),
            "{}",
            &body[..body.len().min(40)]
        );
    }
    let headers = [
        ("svc-cloud-token", token.as_str()),
        ("content-type", "text/plain"),
    ];
    let plain = json!({ "instanceId": INSTANCE, "name": "x" }).to_string();
    let answer = cloud
        .try_call("POST", "/api/v1/servers", &headers, Some(&plain))
        .unwrap();
    assert_eq!(code(&answer), (400, "invalid_request".to_owned()));
}

#[test]
fn database_holds_no_secret_in_the_clear() {
    let mut cloud = Cloud::start();
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    let credential = cloud.register(&token);
    let body = json!({ "role": "music_user", "expiresAt": now() + 1_000_000 });
    let bearer = format!("Bearer {credential}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("svc-cloud-token", token.as_str()),
    ];
    let created = cloud
        .call("POST", "/api/v1/invitations", &headers, Some(&body))
        .json();
    let shortcode = created["shortcode"].as_str().unwrap().to_owned();
    cloud.stop();
    let stored: Vec<u8> = ["cloud.db", "cloud.db-wal"]
        .iter()
        .flat_map(|name| std::fs::read(cloud.path(name)).unwrap_or_default())
        .collect();
    let holds = |text: &str| stored.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("ada@example.org") && holds("$argon2id$"));
    for secret in [
        token.as_str(),
        credential.as_str(),
        shortcode.as_str(),
        &shortcode.replace('-', ""),
        PASSWORD,
    ] {
        assert!(!holds(secret), "{secret}");
    }
}

#[test]
fn account_look_ups_of_a_server_are_limited() {
    let cloud = Cloud::start();
    let id = cloud.add_account("ada");
    let bearer = format!("Bearer {}", cloud.register(&cloud.sign_in("ada")));
    let look_up = |id: &str| {
        cloud.call(
            "GET",
            &format!("/api/v1/accounts/{id}"),
            &[("authorization", &bearer)],
            None,
        )
    };
    assert_eq!(
        look_up(&id).json(),
        json!({ "publicUserId": id, "username": "ada" })
    );
    for _ in 1..100 {
        assert_eq!(
            code(&look_up("u_0000000000000000")),
            (404, "account_unknown".to_owned())
        );
    }
    assert_eq!(look_up(&id).status, 429);
    let anonymous = cloud.call("GET", &format!("/api/v1/accounts/{id}"), &[], None);
    assert_eq!(code(&anonymous), (401, "credential_invalid".to_owned()));
    assert_ne!(anonymous.json(), Value::Null);
}
