//! Releases and the keys that are trusted.

use serde_json::{Value, json};
use svc_plugin_api::cloud::{Cloud, CloudError, simulate, state};

use super::{KEY, NOW, ORIGIN, cloud, document, response};
use ::cloud::CloudClient;

const SIGNATURE: &str =
    "VmjxMB7AnuvhxE08vBvcTyoq6clRtwZOFOb8V+dXb0u6ozpUF8c74QOpmOOCRetc7qpBLU5vsYVS0GmsuydDCg==";
const SECOND_KEY: &str = "E5j2LG0aRXxRumpLXz29L2n8qTIWIY3ImX5Ba9F9k8o=";
const SECOND_KEY_SIGNATURE: &str =
    "2dFAlYWttOfEKH6Qe2Tr0ZADnuB+FU/REoHYHRThJnMF0vnHR2M85UqVac8rfl4apNibR3UPEgf2R/5y1KrMCA==";

fn release() -> Value {
    json!({"channel": "stable", "version": "0.2.0", "releasedAt": 1_795_305_600_000_u64, "key": KEY, "signature": SIGNATURE})
}

fn latest(keys: Value, release: Value) -> Result<String, CloudError> {
    cloud(document(&keys), move |_| Ok(response(200, &release)));
    latest_again()
}

fn latest_again() -> Result<String, CloudError> {
    CloudClient::latest_release("stable".to_owned()).map(|release| release.version)
}

#[test]
fn release_is_signed_by_a_trusted_key() {
    assert_eq!(latest(json!([{"key": KEY}]), release()).unwrap(), "0.2.0");
    for (field, wrong) in [
        ("channel", json!("beta")),
        ("version", json!("0.2.1")),
        ("releasedAt", json!(1)),
        ("key", json!(SECOND_KEY)),
        ("signature", json!(SECOND_KEY_SIGNATURE)),
        ("signature", json!("")),
    ] {
        let mut changed = release();
        changed[field] = wrong;
        assert_eq!(
            latest(json!([{"key": KEY}]), changed),
            Err(CloudError::Unavailable),
            "{field}"
        );
    }
    assert_eq!(
        latest(json!([{"key": SECOND_KEY}]), release()),
        Err(CloudError::Unavailable)
    );
    assert!(matches!(
        CloudClient::latest_release("../x".to_owned()),
        Err(CloudError::Refused(_))
    ));
}

#[test]
fn cloud_that_gets_its_first_key_later_is_trusted() {
    let sent = cloud(document(&json!([])), |_| Ok(response(200, &release())));
    assert_eq!(latest_again(), Err(CloudError::Unavailable));
    // The document was requested for this call.
    assert_eq!(sent.borrow().len(), 2);
    let trusted = || state::get(&format!("release-keys {ORIGIN}"));
    assert_eq!(trusted(), None);
    for before in [None, Some(b"[]".as_slice())] {
        state::set(&format!("release-keys {ORIGIN}"), before).unwrap();
        let mut kept = document(&json!([]))["versions"]["1"].take();
        kept["origin"] = json!(ORIGIN);
        let kept = json!({"until": NOW + 1, "endpoints": kept}).to_string();
        state::set("discovery", Some(kept.as_bytes())).unwrap();
        let (keys, release) = (document(&json!([{"key": KEY}])), release());
        simulate::requests(move |request| {
            let is_discovery = request.url.ends_with("svc-cloud");
            Ok(response(200, if is_discovery { &keys } else { &release }))
        });
        assert_eq!(latest_again().unwrap(), "0.2.0");
        assert_eq!(trusted().unwrap(), format!("[\"{KEY}\"]").into_bytes());
    }
}

#[test]
fn further_keys_are_trusted_if_a_trusted_key_signed_them() {
    let trusted = || {
        let stored = state::get(&format!("release-keys {ORIGIN}")).unwrap();
        serde_json::from_slice::<Vec<String>>(&stored).unwrap()
    };
    let signed = json!({"key": SECOND_KEY, "signedBy": KEY, "signature": SECOND_KEY_SIGNATURE});
    latest(json!([{"key": KEY}]), release()).unwrap();
    assert_eq!(trusted(), [KEY]);
    // The document that is kept expires, and the cloud has another one.
    for (offered, expected) in [
        (json!([{"key": SECOND_KEY}]), vec![KEY]),
        (
            json!([{"key": SECOND_KEY, "signedBy": SECOND_KEY, "signature": SECOND_KEY_SIGNATURE}]),
            vec![KEY],
        ),
        (json!([signed]), vec![KEY, SECOND_KEY]),
    ] {
        state::set("discovery", None).unwrap();
        let document = document(&offered);
        simulate::requests(move |request| {
            let is_discovery = request.url.ends_with("svc-cloud");
            Ok(response(200, if is_discovery { &document } else { &Value::Null }))
        });
        drop(latest_again());
        assert_eq!(trusted(), expected, "{offered}");
    }
}
