//! Every example of `docs/cloud-protocol.md`, sent to the reference cloud.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use svc_tests::cloud::{Cloud, DAY, INSTANCE, now};
use svc_tests::program::PASSWORD;
use svc_tests::workspace;

/// A request of the page and the response that follows it.
struct Example {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
    status: u16,
    cache_control: Option<String>,
    expected: Value,
}

/// The blocks of the page that are marked as `http`.
fn blocks(page: &str) -> Vec<String> {
    let blocks = page.split("```http\n").skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

/// First line, headers, body.
fn parts(block: &str) -> (String, Vec<(String, String)>, Option<String>) {
    let (head, body) = block
        .split_once("\n\n")
        .map_or((block, None), |(head, body)| (head, Some(body.trim())));
    let mut lines = head.lines();
    let first = lines.next().unwrap().to_owned();
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_lowercase(), value.to_owned())
    });
    (first, headers.collect(), body.map(str::to_owned))
}

fn examples(page: &str) -> Vec<Example> {
    let blocks = blocks(page);
    assert_eq!(blocks.len() % 2, 0, "each request has a response");
    let pairs = blocks.chunks_exact(2).map(|pair| {
        let (request, headers, body) = parts(&pair[0]);
        let (method, target) = request.split_once(' ').unwrap();
        let (status, response_headers, expected) = parts(&pair[1]);
        let cache = response_headers
            .into_iter()
            .find(|(name, _)| name == "cache-control");
        Example {
            method: method.to_owned(),
            target: target.to_owned(),
            headers,
            body,
            status: status.strip_prefix("HTTP/1.1 ").unwrap().parse().unwrap(),
            cache_control: cache.map(|(_, value)| value),
            expected: serde_json::from_str(&expected.unwrap()).unwrap(),
        }
    });
    pairs.collect()
}

/// Texts that the page fixes; other texts differ from run to run.
const FIXED: [&str; 6] = ["status", "code", "role", "tier", "channel", "version"];

/// Compares fields and types, fixed texts and truth values.
fn assert_same_shape(at: &str, expected: &Value, actual: &Value) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            let names =
                |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<BTreeSet<_>>();
            assert_eq!(names(expected), names(actual), "{at}");
            for (name, value) in expected {
                assert_same_shape(&format!("{at}.{name}"), value, &actual[name]);
            }
        }
        (Value::Array(expected), Value::Array(actual)) => {
            assert_eq!(expected.len(), actual.len(), "{at}");
            for (index, pair) in expected.iter().zip(actual).enumerate() {
                assert_same_shape(&format!("{at}[{index}]"), pair.0, pair.1);
            }
        }
        (Value::String(expected), Value::String(actual)) => {
            let is_fixed = FIXED.iter().any(|name| at.ends_with(&format!(".{name}")));
            assert!(
                !is_fixed || expected == actual,
                "{at}: {actual:?} is not {expected:?}"
            );
        }
        (Value::Number(_), Value::Number(actual)) => assert!(actual.is_i64(), "{at}: {actual}"),
        (expected, actual) => assert_eq!(expected, actual, "{at}"),
    }
}

/// A cloud in which every example makes sense, and the values of the page's variables.
fn prepare() -> (Cloud, BTreeMap<&'static str, String>) {
    let cloud = Cloud::start_with(&[]);
    let ada = cloud.command(
        &[
            "account",
            "add",
            "ada",
            "--email",
            "ada@example.org",
            "--display-name",
            "Ada",
        ],
        "correct horse battery staple\n",
    );
    let bob = cloud.add_account("bob");
    cloud.add_account("carol");
    let body = json!({ "username": "ada", "password": "correct horse battery staple" });
    let sign_in = || cloud.call("POST", "/api/v1/session", &[], Some(&body)).json()["token"].clone();
    let token = sign_in().as_str().unwrap().to_owned();
    let holder = cloud.sign_in("carol");
    let credential = cloud.register(&token);
    let bearer = format!("Bearer {credential}");
    let invite = |target: Option<&str>| {
        let body = json!({ "role": "music_user", "target": target, "expiresAt": now() + 7 * DAY });
        let headers = [
            ("authorization", bearer.as_str()),
            ("svc-cloud-token", token.as_str()),
        ];
        let answer = cloud.call("POST", "/api/v1/invitations", &headers, Some(&body));
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (active, bound, to_bind) = (invite(None), invite(None), invite(None));
    assert_eq!(
        cloud.bind(&holder, bound["shortcode"].as_str().unwrap()).status,
        200
    );
    invite(Some(&bob));
    cloud.command(
        &[
            "subscription",
            "set",
            "ada",
            "--tier",
            "family",
            "--seats",
            "6",
            "--ends-at",
            "1826928000000",
        ],
        "",
    );
    cloud.command(
        &["channel", "set", "stable", "--description", "Tested releases"],
        "",
    );
    let key = cloud.path("release.key");
    let key = key.to_str().unwrap();
    cloud.command(&["release-key", "create", "--key", key], "");
    cloud.command(&["release", "publish", "stable", "0.2.0", "--key", key], "");
    let variables = BTreeMap::from([
        ("publicUserId", ada),
        ("targetPublicUserId", bob),
        ("targetToken", cloud.sign_in("bob")),
        ("holderToken", holder),
        ("spentToken", text(&sign_in())),
        ("approvalCode", cloud.approval_code("bob@example.org")),
        ("invitationId", text(&active["id"])),
        ("boundInvitationId", text(&bound["id"])),
        ("shortcode", text(&to_bind["shortcode"])),
        ("credential", credential),
        ("token", token),
    ]);
    (cloud, variables)
}

#[test]
fn every_example_of_the_page_is_answered_as_it_says() {
    let page = std::fs::read_to_string(workspace().join("docs/cloud-protocol.md")).unwrap();
    assert!(page.contains(INSTANCE) && PASSWORD.len() >= 8);
    let examples = examples(&page);
    assert!(examples.len() > 15, "{} examples", examples.len());
    let (cloud, variables) = prepare();
    let discovery = cloud.call("GET", "/.well-known/svc-cloud", &[], None).json();
    let endpoints = discovery["versions"]["1"]["endpoints"]
        .as_object()
        .unwrap()
        .clone();
    let fill = |text: &str| {
        let mut text = text.replace("1795996800000", &(now() + 7 * DAY).to_string());
        for (name, value) in &variables {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        for (name, url) in &endpoints {
            text = text.replace(&format!("{{{name}}}"), url.as_str().unwrap());
        }
        assert!(
            !text.contains('{') || text.starts_with('{'),
            "{text} has an unknown variable"
        );
        text
    };
    for example in examples {
        let headers: Vec<(String, String)> = example
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), fill(value)))
            .collect();
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let body = example.body.as_deref().map(&fill);
        let at = format!("{} {}", example.method, example.target);
        let answer = cloud
            .try_call(&example.method, &fill(&example.target), &headers, body.as_deref())
            .unwrap();
        assert_eq!(answer.status, example.status, "{at}: {answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{at}");
        assert_eq!(
            answer.header("cache-control"),
            example.cache_control.as_deref(),
            "{at}"
        );
        assert_same_shape(&at, &example.expected, &answer.json());
    }
}

#[test]
fn every_code_of_the_page_is_one_that_the_cloud_sends() {
    let page = std::fs::read_to_string(workspace().join("docs/cloud-protocol.md")).unwrap();
    let source = std::fs::read_to_string(workspace().join("tests/cloud/src/error.rs")).unwrap();
    let codes: Vec<&str> = source
        .lines()
        .filter_map(|line| line.split('"').nth(1))
        .filter(|text| {
            text.contains('_') && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase())
        })
        .collect();
    assert!(codes.len() > 8, "{codes:?}");
    for code in codes {
        assert!(page.contains(&format!("`{code}`")), "the page lacks {code}");
    }
}
