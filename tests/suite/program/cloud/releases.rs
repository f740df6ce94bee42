//! Releases and their keys at the reference cloud.

use serde_json::{Value, json};
use svc_tests::cloud::Cloud;

fn get(cloud: &Cloud, path: &str) -> (u16, Value) {
    let answer = cloud.call("GET", path, &[], None);
    (answer.status, answer.json())
}

#[test]
fn newest_release_is_the_highest_version_of_its_channel() {
    let cloud = Cloud::start();
    let key = cloud.path("key");
    let key = key.to_str().unwrap();
    let public = cloud.command(&["release-key", "create", "--key", key], "");
    cloud.command(&["channel", "set", "stable"], "");
    cloud.command(&["channel", "set", "beta", "--description", "Early"], "");
    let channels = json!({ "channels": [{ "id": "beta", "description": "Early" }, { "id": "stable" }] });
    assert_eq!(get(&cloud, "/api/v1/release-channels"), (200, channels));
    let (status, refusal) = get(&cloud, "/api/v1/release-channels/stable/latest");
    assert_eq!((status, &refusal["code"]), (404, &json!("no_release")));
    let (status, refusal) = get(&cloud, "/api/v1/release-channels/none/latest");
    assert_eq!((status, &refusal["code"]), (404, &json!("channel_unknown")));
    for version in ["0.9.0", "0.10.0", "0.10.0-rc.1", "0.2.0"] {
        cloud.command(
            &[
                "release",
                "publish",
                "stable",
                version,
                "--key",
                key,
                "--released-at",
                "1795305600000",
            ],
            "",
        );
    }
    let (_, latest) = get(&cloud, "/api/v1/release-channels/stable/latest");
    assert_eq!(latest["version"], "0.10.0");
    assert_eq!(
        (&latest["channel"], &latest["releasedAt"]),
        (&json!("stable"), &json!(1_795_305_600_000_i64))
    );
    assert_eq!(latest["key"], json!(public));
}

#[test]
fn release_that_cannot_be_published_is_refused_in_words() {
    let cloud = Cloud::start();
    let key = cloud.path("key");
    let key = key.to_str().unwrap();
    cloud.command(&["release-key", "create", "--key", key], "");
    let publish = ["release", "publish", "beta", "0.2.0", "--key", key];
    let error = cloud.refused_command(&publish, "");
    assert!(
        error.contains("there is no channel beta: `svc-cloud channel set beta` creates it"),
        "{error}"
    );
    cloud.command(&["channel", "set", "beta"], "");
    cloud.command(&publish, "");
    let error = cloud.refused_command(&publish, "");
    assert!(error.contains("there is a release 0.2.0 already"), "{error}");
    assert!(!error.contains("constraint"), "{error}");
}

#[test]
fn new_key_is_announced_with_the_signature_of_the_old_one() {
    let cloud = Cloud::start();
    let (old, new) = (cloud.path("old"), cloud.path("new"));
    let (old, new) = (old.to_str().unwrap(), new.to_str().unwrap());
    let first = cloud.command(&["release-key", "create", "--key", old], "");
    let second = cloud.command(&["release-key", "create", "--key", new, "--signed-by", old], "");
    let (_, discovery) = get(&cloud, "/.well-known/svc-cloud");
    let keys = discovery["versions"]["1"]["releaseKeys"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(keys[0], json!({ "key": first }));
    assert_eq!(
        (&keys[1]["key"], &keys[1]["signedBy"]),
        (&json!(second), &json!(first))
    );
    assert_eq!(keys[1]["signature"].as_str().map(str::len), Some(88));
}
