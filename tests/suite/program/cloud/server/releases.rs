//! Updates and release channels of the reference cloud: which releases the server believes.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::cloud::Cloud;

use super::Both;

/// A cloud with a release on `stable`, and the file of its key.
pub(super) fn with_release() -> (Cloud, String) {
    let cloud = Cloud::start();
    let key = release_first(&cloud);
    (cloud, key)
}

/// Makes the first key of a cloud, and the first release on `stable`. Returns the file of the key.
fn release_first(cloud: &Cloud) -> String {
    let key = cloud.path("key").to_str().unwrap().to_owned();
    cloud.command(&["release-key", "create", "--key", &key], "");
    cloud.command(
        &["channel", "set", "stable", "--description", "For living rooms"],
        "",
    );
    publish(cloud, &key, "99.0.0");
    key
}

fn publish(cloud: &Cloud, key: &str, version: &str) {
    let released = ["--released-at", "1795305600000"];
    cloud.command(
        &[
            &["release", "publish", "stable", version, "--key", key],
            &released[..],
        ]
        .concat(),
        "",
    );
}

fn updates(both: &Both) -> (u16, Value) {
    let answer = both.server.open("/api/v1/updates");
    (answer.status, answer.json())
}

#[covers("GET /api/v1/updates", "GET /api/v1/release-channels", "R57")]
#[test]
fn newest_release_of_the_channel_is_shown() {
    let (cloud, _) = with_release();
    let both = Both::start_beside(cloud, &[]);
    let (status, shown) = updates(&both);
    assert_eq!(status, 200);
    assert_eq!(
        (&shown["updateIsAvailable"], &shown["latestVersion"]),
        (&json!(true), &json!("99.0.0"))
    );
    assert_eq!(shown["latestVersionReleasedAt"], "2026-11-22T00:00:00.000Z");
    assert!(shown["daysBehindLatestVersion"].is_u64(), "{shown}");
    let channels = both.server.open("/api/v1/release-channels").json();
    assert_eq!(channels["current"], "stable");
    assert!(
        channels["available"]
            .as_array()
            .unwrap()
            .iter()
            .any(|channel| channel["name"] == "stable")
    );
    // Both are cached.
    let asked = both.cloud.requests("latestRelease");
    updates(&both);
    assert_eq!(both.cloud.requests("latestRelease"), asked);
}

#[covers("GET /api/v1/updates", "R57")]
#[test]
fn update_check_that_fails_is_503_without_a_code() {
    for failure in [
        json!({ "kind": "down" }),
        json!({ "kind": "garbage" }),
        json!({ "kind": "otherShape" }),
        json!({ "kind": "truncate" }),
        json!({ "kind": "redirect", "location": "http://127.0.0.1:1/" }),
        json!({ "kind": "refuse", "status": 404, "code": "no_release" }),
    ] {
        let (cloud, _) = with_release();
        cloud.fail("latestRelease", &failure, None);
        let both = Both::start_beside(cloud, &[]);
        let (status, body) = updates(&both);
        assert_eq!((status, body.get("code")), (503, None), "{failure}: {body}");
        assert_eq!(both.server.open("/api/v1/release-channels").status, 200);
    }
}

#[covers("R57")]
#[test]
fn development_mode_asks_for_no_release() {
    let (cloud, _) = with_release();
    let both = Both::start_beside(cloud, &["--dev"]);
    assert_eq!(updates(&both).0, 503);
    assert_eq!(both.cloud.requests("latestRelease"), 0);
}

/// Lets the server read the discovery document again, as after an hour: an endpoint is gone, without a word of the protocol.
fn forget_discovery(both: &mut Both) {
    both.cloud.fail(
        "latestRelease",
        &json!({ "kind": "refuse", "status": 404, "code": "<gone>" }),
        Some(1),
    );
    both.restart_server();
    assert_eq!(updates(both).0, 503);
    both.restart_server();
}

#[covers("C12", "R57")]
#[test]
fn release_of_a_cloud_that_had_no_key_before_is_trusted() {
    let mut both = Both::start();
    assert_eq!(updates(&both).0, 503);
    release_first(&both.cloud);
    // A failure is remembered for a minute, the discovery document without keys for longer.
    both.restart_server();
    assert_eq!(updates(&both).1["latestVersion"], "99.0.0");
}

#[covers("C12")]
#[test]
fn release_with_a_key_that_nobody_trusts_is_ignored() {
    let (cloud, key) = with_release();
    let mut both = Both::start_beside(cloud, &[]);
    assert_eq!(updates(&both).0, 200);
    // The key of one who took the web server over: it is announced, and no trusted key signed it.
    let stranger = both.cloud.path("stranger").to_str().unwrap().to_owned();
    both.cloud
        .command(&["release-key", "create", "--key", &stranger], "");
    publish(&both.cloud, &stranger, "100.0.0");
    forget_discovery(&mut both);
    assert_eq!(updates(&both).0, 503);
    // The owner's next key, which the first one signed.
    let next = both.cloud.path("next").to_str().unwrap().to_owned();
    both.cloud.command(
        &["release-key", "create", "--key", &next, "--signed-by", &key],
        "",
    );
    publish(&both.cloud, &next, "101.0.0");
    forget_discovery(&mut both);
    assert_eq!(updates(&both).1["latestVersion"], "101.0.0");
}
