//! The failure switches: each does what it is called, at its endpoint, and only where they are allowed.

use std::time::Instant;

use serde_json::{Value, json};
use svc_tests::cloud::{Cloud, now};
use svc_tests::program::Answer;

fn account(cloud: &Cloud, token: &str) -> Result<Answer, ureq::Error> {
    cloud.try_call("GET", "/api/v1/account", &[("svc-cloud-token", token)], None)
}

/// Sends one request that meets the failure.
fn meet(cloud: &Cloud, token: &str, failure: &Value) -> Result<Answer, ureq::Error> {
    cloud.fail("account", failure, Some(1));
    account(cloud, token)
}

#[test]
fn each_failure_does_what_it_is_called() {
    let cloud = Cloud::start();
    let id = cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    let whole = account(&cloud, &token).unwrap();
    let meet = |failure: &Value| meet(&cloud, &token, failure);

    assert!(meet(&json!({ "kind": "down" })).is_err());
    let started = Instant::now();
    assert_eq!(
        meet(&json!({ "kind": "slow", "milliseconds": 300 }))
            .unwrap()
            .bytes,
        whole.bytes
    );
    assert!(started.elapsed().as_millis() >= 300);
    let started = Instant::now();
    assert_eq!(
        meet(&json!({ "kind": "drip", "milliseconds": 3 })).unwrap().bytes,
        whole.bytes
    );
    assert!(started.elapsed().as_millis() >= 3 * whole.bytes.len() as u128);
    let garbage = meet(&json!({ "kind": "garbage" })).unwrap();
    assert_eq!((garbage.status, garbage.json()), (200, Value::Null));
    let html = meet(&json!({ "kind": "html" })).unwrap();
    assert_eq!(html.header("content-type"), Some("text/html"));
    let shape = meet(&json!({ "kind": "otherShape" })).unwrap().json();
    assert!(shape.is_object() && shape["publicUserId"].is_null());
    let twice = meet(&json!({ "kind": "duplicateKeys" })).unwrap();
    let text = String::from_utf8(twice.bytes).unwrap();
    assert_eq!(text.matches("\"publicUserId\":").count(), 2, "{text}");
    assert!(meet(&json!({ "kind": "truncate" })).is_err());
    let wrong = meet(&json!({ "kind": "wrongAccount", "publicUserId": "u_1111111111111111" })).unwrap();
    assert_eq!(wrong.json()["publicUserId"], "u_1111111111111111");
    let revoked = meet(&json!({ "kind": "revoked" })).unwrap();
    assert_eq!(
        (revoked.status, &revoked.json()["code"]),
        (401, &json!("token_invalid"))
    );
    let redirect = meet(&json!({ "kind": "redirect", "location": "http://169.254.169.254/" })).unwrap();
    assert_eq!(
        (redirect.status, redirect.header("location")),
        (302, Some("http://169.254.169.254/"))
    );
    let oversize = meet(&json!({ "kind": "oversize", "bytes": 5_000_000 })).unwrap();
    assert_eq!(
        (oversize.bytes.len(), &oversize.json()["publicUserId"]),
        (5_000_000, &json!(id))
    );
    let refused = meet(&json!({ "kind": "refuse", "status": 409, "code": "<b>x</b>" })).unwrap();
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (409, &json!("<b>x</b>"))
    );
    assert_eq!(meet(&json!({ "kind": "error" })).unwrap().status, 500);
    assert_eq!(account(&cloud, &token).unwrap().bytes, whole.bytes);
    assert_eq!(cloud.requests("account"), 16);
}

#[test]
fn black_hole_never_answers() {
    let cloud = Cloud::start();
    cloud.fail("*", &json!({ "kind": "blackHole" }), None);
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(std::time::Duration::from_millis(500)))
        .build()
        .into();
    let asked = agent.get(format!("{}/.well-known/svc-cloud", cloud.url)).call();
    assert!(matches!(asked, Err(ureq::Error::Timeout(_))), "{asked:?}");
    cloud.reset();
    assert_eq!(cloud.call("GET", "/.well-known/svc-cloud", &[], None).status, 200);
}

#[test]
fn clock_is_set_and_reset() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    cloud.set_clock(-3_600_000);
    let body = json!({ "username": "ada", "password": svc_tests::program::PASSWORD });
    let ends = |answer: Answer| answer.json()["expiresAt"].as_i64().unwrap() - now();
    let month = 30 * svc_tests::cloud::DAY;
    let early = ends(cloud.call("POST", "/api/v1/session", &[], Some(&body)));
    assert!((early - month + 3_600_000).abs() < 60_000, "{early}");
    cloud.reset();
    assert!((ends(account(&cloud, &token).unwrap()) - month).abs() < 60_000);
}

#[test]
fn stopped_cloud_refuses_connections_and_comes_back() {
    let mut cloud = Cloud::start();
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    cloud.stop();
    assert!(account(&cloud, &token).is_err());
    cloud.restart();
    assert_eq!(account(&cloud, &token).unwrap().status, 200);
}

#[test]
fn switches_exist_only_where_they_are_allowed() {
    let cloud = Cloud::start_with(&[]);
    let body = json!({ "endpoint": "*", "failure": { "kind": "down" } });
    for (method, path, body) in [
        ("POST", "/control/failures", Some(&body)),
        ("DELETE", "/control/failures", None),
        ("POST", "/control/clock", Some(&body)),
        ("GET", "/control/requests", None),
    ] {
        assert_eq!(cloud.call(method, path, &[], body).status, 404, "{method} {path}");
    }
    let cloud = Cloud::start();
    let unknown = json!({ "endpoint": "accont", "failure": { "kind": "down" } });
    assert_eq!(
        cloud
            .call("POST", "/control/failures", &[], Some(&unknown))
            .status,
        400
    );
}
