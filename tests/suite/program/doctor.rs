//! `svc doctor cloud`: what it says of a cloud that answers, of one that does not, and of options that cannot work.

use std::fs;
use std::net::TcpListener;

use svc_covers::covers;
use svc_tests::program::run;
use svc_tests::service::serve;
use svc_tests::workspace;

/// Runs `svc doctor cloud`; returns whether all is well, what it reported, and its errors.
fn doctor(arguments: &[&str]) -> (bool, String, String) {
    let output = run(&[&["doctor", "cloud"], arguments].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// Serves documents by their path, until the process ends. Returns its origin.
fn cloud(documents: impl Fn(&str, &str) -> Option<String> + Send + 'static) -> String {
    serve(move |origin, path, _| {
        documents(origin, path).map_or(("404 Not Found", String::new()), |body| ("200 OK", body))
    })
}

fn document(origin: &str, path: &str) -> Option<String> {
    match path {
        "/.well-known/svc-cloud" => Some(format!(
            r#"{{"versions": {{"1": {{"features": ["accounts", "releases"],
                "endpoints": {{"account": "{origin}/account", "releaseChannels": "{origin}/channels"}}}}}}}}"#
        )),
        "/channels" => {
            Some(r#"{"channels": [{"id": "stable"}, {"id": "lts", "description": "For years"}]}"#.to_owned())
        }
        _ => None,
    }
}

#[covers("C1")]
#[test]
fn without_a_cloud_nothing_is_called() {
    let (is_well, report, _) = doctor(&[]);
    assert!(is_well, "{report}");
    assert!(
        report.contains("none") && report.contains("calls nobody"),
        "{report}"
    );
}

#[test]
fn cloud_that_answers_is_reached() {
    let origin = cloud(document);
    let (is_well, report, errors) = doctor(&["--cloud-url", &origin]);
    assert!(is_well, "{report}{errors}");
    for part in [
        &origin,
        "built-in",
        "/.well-known/svc-cloud in ",
        "status 200, not encrypted",
        "accounts, invitations, licensing, releases",
        "2 channels",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn cloud_that_is_away_or_another_service_is_a_problem() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (is_well, report, _) = doctor(&["--cloud-url", &format!("http://{closed}")]);
    assert!(!is_well, "{report}");
    assert!(
        report.contains("not reached") && report.contains("does not work"),
        "{report}"
    );
    // What the plugin could do is nothing that this cloud offers.
    assert!(!report.contains("features"), "{report}");
    let origin = cloud(|_, _| None);
    let (is_well, report, _) = doctor(&["--cloud-url", &origin]);
    assert!(!is_well && report.contains("status 404"), "{report}");
    let origin = cloud(|_, _| Some("{}".to_owned()));
    let (is_well, report, _) = doctor(&["--cloud-url", &origin]);
    assert!(
        !is_well && report.contains("does not answer it as expected"),
        "{report}"
    );
}

#[test]
fn cloud_that_names_another_address_is_told_with_both() {
    let origin = cloud(|origin, path| document(&origin.replace("127.0.0.1", "localhost"), path));
    let named = origin.replace("127.0.0.1", "localhost");
    let (is_well, report, _) = doctor(&["--cloud-url", &origin]);
    assert!(!is_well, "{report}");
    let line = format!("the cloud names addresses of {named}, and `cloud-url` is {origin}:");
    assert!(
        report.contains(&line) && report.contains("`--public-url`"),
        "{report}"
    );
    assert!(!report.contains("features"), "{report}");
}

/// A provider that knows one client, `svc` with the secret `s3cr3t-1`.
fn provider() -> String {
    serve(|origin, path, head| match path {
        "/.well-known/openid-configuration" => {
            let document = serde_json::json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "jwks_uri": format!("{origin}/keys"),
            });
            ("200 OK", document.to_string())
        }
        "/keys" => ("200 OK", r#"{"keys": []}"#.to_owned()),
        // `svc:s3cr3t-1` in Base64.
        "/token" if head.contains("Basic c3ZjOnMzY3IzdC0x\r\n") => {
            ("400 Bad Request", r#"{"error": "invalid_grant"}"#.to_owned())
        }
        "/token" => ("401 Unauthorized", r#"{"error": "invalid_client"}"#.to_owned()),
        _ => ("404 Not Found", String::new()),
    })
}

#[test]
fn secret_of_the_client_is_tried() {
    let issuer = provider();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("secret");
    for (secret, is_right) in [("s3cr3t-1", true), ("s3cr3t-2", false)] {
        fs::write(&file, secret).unwrap();
        let (is_well, report, errors) = doctor(&[
            "--oidc-issuer",
            &issuer,
            "--oidc-client-id",
            "svc",
            "--oidc-client-secret-file",
            file.to_str().unwrap(),
        ]);
        assert_eq!(is_well, is_right, "{report}{errors}");
        assert_eq!(report.contains("accepted by the provider"), is_right, "{report}");
        assert_eq!(errors.contains("invalid_client"), !is_right, "{errors}");
        assert!(
            !report.contains(secret) && !errors.contains(secret),
            "{report}{errors}"
        );
    }
}

/// A provider whose discovery document names its keys at another place.
fn provider_with_keys_at(keys: &'static str) -> String {
    serve(move |origin, path, _| match path {
        "/.well-known/openid-configuration" => {
            let document = serde_json::json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "jwks_uri": keys,
            });
            ("200 OK", document.to_string())
        }
        _ => ("404 Not Found", String::new()),
    })
}

#[covers("T44")]
#[test]
fn what_the_rules_of_the_server_refuse_is_told_as_refused() {
    // The metadata service of cloud providers is refused even if it is configured.
    let (is_well, report, _) = doctor(&["--cloud-url", "https://169.254.169.254"]);
    assert!(!is_well, "{report}");
    for part in [
        "refused       does not work: https://169.254.169.254/.well-known/svc-cloud after ",
        "169.254.169.254 has the address 169.254.169.254, which is not public",
        "an origin is allowed by `cloud-origins`, a host with a private address by `cloud-private-hosts`",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(!report.contains("reached"), "{report}");
    for keys in [
        "https://keys.example/jwks",
        "http://127.0.0.1:1/jwks",
        "https://169.254.169.254/jwks",
    ] {
        let issuer = provider_with_keys_at(keys);
        let (is_well, report, _) = doctor(&["--oidc-issuer", &issuer, "--oidc-client-id", "svc"]);
        assert!(!is_well, "{report}");
        let refused = format!("refused       does not work: {keys} after ");
        assert!(
            report.contains(&refused) && report.contains("is not configured"),
            "{keys}: {report}"
        );
        let reached = format!("reached       {issuer}/.well-known/openid-configuration in ");
        assert!(report.contains(&reached), "{report}");
    }
}

#[test]
fn options_that_cannot_work_are_named() {
    let (is_well, _, errors) = doctor(&["--oidc-issuer", "https://id.example"]);
    assert!(
        !is_well && errors.contains("`oidc-issuer` needs `oidc-client-id`"),
        "{errors}"
    );
    let reader = workspace()
        .join("target/plugins/music.wasm")
        .display()
        .to_string();
    let (is_well, _, errors) = doctor(&["--cloud-plugin", &reader]);
    assert!(
        !is_well && errors.contains("is not a plugin for accounts"),
        "{errors}"
    );
}
