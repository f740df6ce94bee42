//! Subscription and seats, from the reference cloud and without it.

use serde_json::{Value, json};
use svc_covers::covers;

use super::Both;

fn get(both: &Both, path: &str) -> Value {
    let answer = both.server.get(path);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[covers("GET /api/v1/licensing/subscription", "GET /api/v1/licensing/seats")]
#[test]
fn subscription_is_that_of_the_cloud_once_the_server_is_registered() {
    let mut both = Both::start();
    both.cloud.add_account("ada");
    let token = both.cloud.sign_in("ada");
    let local = get(&both, "/api/v1/licensing/subscription");
    assert_eq!(
        (&local["source"], &local["seats"]),
        (&json!("local"), &Value::Null)
    );
    assert_eq!(
        get(&both, "/api/v1/licensing/seats"),
        json!({ "used": 1, "total": null })
    );
    // The first invitation registers the server.
    both.invite(&token, None);
    both.cloud.command(
        &[
            "subscription",
            "set",
            "ada",
            "--tier",
            "family",
            "--seats",
            "2",
            "--ends-at",
            "1826928000000",
        ],
        "",
    );
    both.restart_server();
    let subscription = get(&both, "/api/v1/licensing/subscription");
    assert_eq!(subscription["tier"], "family");
    assert_eq!(
        (&subscription["source"], &subscription["seats"]),
        (&json!("cloud"), &json!(2))
    );
    assert_eq!(subscription["expiresAt"], "2027-11-23T00:00:00.000Z");
    assert_eq!(
        get(&both, "/api/v1/licensing/seats"),
        json!({ "used": 1, "total": 2 })
    );
    // The last report counts while the cloud is away.
    both.cloud.stop();
    assert_eq!(get(&both, "/api/v1/licensing/subscription"), subscription);
    both.cloud.restart();
}
