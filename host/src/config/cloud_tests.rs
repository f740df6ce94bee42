//! Tests of the options about the cloud.

use std::fs;

use clap::Parser;

use super::*;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    cloud: CloudOptions,
}

fn load(arguments: &[&str]) -> Result<CloudConfig> {
    let arguments = Arguments::parse_from(std::iter::once("svc").chain(arguments.iter().copied()));
    CloudConfig::load(arguments.cloud, CloudOptions::default())
}

fn message(arguments: &[&str]) -> String {
    load(arguments).unwrap_err().to_string()
}

#[test]
fn modes_follow_from_the_options() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    fs::write(at("own.wasm"), "").unwrap();
    fs::write(at("secret"), "s3cret\n").unwrap();
    let oidc = [
        "--oidc-issuer",
        "https://id.example/realms/a/",
        "--oidc-client-id",
        "svc",
    ];
    let cases: [(Vec<&str>, CloudMode); 5] = [
        (vec![], CloudMode::None),
        (vec!["--cloud-url", "https://cloud.example"], CloudMode::Cloud),
        (vec!["--cloud-url", "http://127.0.0.1:9000"], CloudMode::Cloud),
        (oidc.to_vec(), CloudMode::Oidc),
        (vec!["--cloud-origin", "https://a.example"], CloudMode::Plugin),
    ];
    let own = at("own.wasm");
    for (arguments, mode) in cases {
        let with_plugin = [&arguments[..], &["--cloud-plugin", &own]].concat();
        assert_eq!(
            load(&with_plugin).unwrap().mode(),
            CloudMode::Plugin,
            "{arguments:?}"
        );
        if mode != CloudMode::Plugin {
            assert_eq!(load(&arguments).unwrap().mode(), mode, "{arguments:?}");
        }
    }
    let secret = at("secret");
    let loaded = load(&[&oidc[..], &["--oidc-client-secret-file", &secret]].concat()).unwrap();
    let CloudService::Oidc(options) = &loaded.service else {
        panic!("{loaded:?}");
    };
    assert_eq!(options.issuer, "https://id.example/realms/a/");
    assert_eq!(
        options.client_secret.as_ref().map(ClientSecret::secret),
        Some("s3cret")
    );
    assert!(!format!("{loaded:?}").contains("s3cret"));
}

#[test]
fn options_that_do_not_fit_together_are_refused_with_what_to_do() {
    let both = message(&[
        "--cloud-url",
        "https://a.example",
        "--oidc-issuer",
        "https://b.example",
    ]);
    assert!(
        both.contains("`cloud-url` and `oidc-issuer` exclude each other"),
        "{both}"
    );
    assert!(both.ends_with("remove one of them"), "{both}");
    for (arguments, given, missing) in [
        (
            &["--oidc-issuer", "https://b.example"][..],
            "oidc-issuer",
            "oidc-client-id",
        ),
        (&["--oidc-client-id", "svc"], "oidc-client-id", "oidc-issuer"),
        (
            &["--oidc-client-secret-file", "/none"],
            "oidc-client-secret-file",
            "oidc-issuer",
        ),
        (
            &["--oidc-groups-claim", "groups"],
            "oidc-groups-claim",
            "oidc-issuer",
        ),
        (
            &["--cloud-origin", "https://a.example"],
            "cloud-origins",
            "cloud-url",
        ),
        (
            &["--cloud-private-host", "a.lan"],
            "cloud-private-hosts",
            "cloud-url",
        ),
        (&["--cloud-ca-file", "/none"], "cloud-ca-file", "cloud-url"),
    ] {
        let message = message(arguments);
        assert!(
            message.contains(&format!("`{given}` needs `{missing}`")),
            "{message}"
        );
    }
}

#[test]
fn addresses_are_encrypted_or_of_this_machine() {
    for wrong in [
        "http://cloud.example",
        "cloud.example",
        "ftp://cloud.example",
        "https://",
        "https://user:secret@cloud.example",
        "https://cloud.example/path",
        "https://cloud.example/?a",
    ] {
        let message = message(&["--cloud-url", wrong]);
        assert!(message.starts_with("cloud: `cloud-url`"), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
    for host in ["https://keycloak.lan", "keycloak.lan:8443", "10.0.0.1", ""] {
        let arguments = ["--cloud-url", "https://a.example", "--cloud-private-host", host];
        assert!(
            message(&arguments).contains("is not the name of a host"),
            "{host}"
        );
    }
    let named = load(&[
        "--cloud-url",
        "https://a.lan",
        "--cloud-private-host",
        "A.lan., b.lan",
    ])
    .unwrap();
    assert_eq!(named.private_hosts, ["a.lan", "b.lan"]);
}

#[test]
fn files_are_checked_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    fs::write(at("empty"), "\n").unwrap();
    fs::write(at("long"), "x".repeat(5000)).unwrap();
    fs::write(at("lines"), "a\nb\n").unwrap();
    for (file, reason) in [
        ("none", "No such file"),
        (".", "is not a file"),
        ("empty", "holds no secret"),
        ("lines", "holds no secret"),
        ("long", "has 5000 bytes"),
    ] {
        let file = at(file);
        let arguments = [
            "--oidc-issuer",
            "https://b.example",
            "--oidc-client-id",
            "svc",
            "--oidc-client-secret-file",
            &file,
        ];
        let message = message(&arguments);
        assert!(
            message.contains(reason) && message.contains("oidc-client-secret-file"),
            "{message}"
        );
    }
    for option in ["--cloud-plugin", "--cloud-ca-file"] {
        let file = at("none");
        let message = message(&["--cloud-url", "https://a.example", option, &file]);
        assert!(
            message.contains(&option[2..]) && message.contains("No such file"),
            "{message}"
        );
    }
}
