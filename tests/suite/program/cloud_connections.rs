//! The connections that a server makes, as the kernel sees them: none without a cloud, and only to the configured one with
//! it, whatever the cloud answers and the plugin wants.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;
use svc_covers::covers;
use svc_test_support::guests;
use svc_tests::cloud::Cloud;
use svc_tests::connections::{Trap, addresses, traced};
use svc_tests::program::{PASSWORD, Server, serve, wait_for};

/// Sign-ins that a stranger may try, with a password and with the cloud.
fn sign_in(server: &Server, cloud_tokens: &[String]) -> Vec<u16> {
    let headers = [("svc-app", "admin")];
    let login = |body| {
        server
            .request("POST", "/api/v1/auth/login", &headers, Some(&body))
            .status
    };
    assert_eq!(login(json!({ "username": "owner", "password": PASSWORD })), 201);
    cloud_tokens
        .iter()
        .map(|token| login(json!({ "cloudToken": token })))
        .collect()
}

#[covers("C1", "T44")]
#[test]
fn server_without_a_cloud_connects_to_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let Some(mut command) = traced(&serve(&dir.path().join("data"), &[]), &trace) else {
        return;
    };
    let mut server = Server::spawn_as_owner(&mut command);
    assert_eq!(sign_in(&server, &["token".to_owned()]), [503]);
    for path in [
        "/api/v1/updates",
        "/api/v1/release-channels",
        "/api/v1/instance",
        "/api/v1/health",
    ] {
        server.open(path);
    }
    assert_eq!(addresses(&mut server, &trace), BTreeSet::new());
}

#[covers("T44")]
#[test]
fn server_with_a_cloud_connects_to_it_alone() {
    let (cloud, trap) = (Cloud::start(), Trap::listen());
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let command = serve(&dir.path().join("data"), &["--cloud-url", &cloud.url]);
    let Some(mut command) = traced(&command, &trace) else {
        return;
    };
    // Proxies of the environment are not for the server.
    for name in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ] {
        command.env(name, trap.url());
    }
    let mut server = Server::spawn_as_owner(&mut command);
    assert_eq!(sign_in(&server, &[token.clone(), "wrong".to_owned()]), [401, 401]);
    for location in [
        trap.url(),
        "http://169.254.169.254/".to_owned(),
        "https://127.0.0.1/".to_owned(),
    ] {
        cloud.fail(
            "account",
            &json!({ "kind": "redirect", "location": location }),
            Some(1),
        );
        assert_eq!(
            sign_in(&server, std::slice::from_ref(&token)),
            [503],
            "{location}"
        );
    }
    server.open("/api/v1/updates");
    let expected = cloud.url.trim_start_matches("http://").to_owned();
    assert_eq!(addresses(&mut server, &trace), BTreeSet::from([expected]));
    trap.assert_untouched();
}

#[covers("T44")]
#[test]
fn hostile_plugin_reaches_the_configured_origin_alone() {
    let (cloud, trap) = (Cloud::start(), Trap::listen());
    let dir = tempfile::tempdir().unwrap();
    let (trace, plugin) = (dir.path().join("trace"), dir.path().join("hostile.wasm"));
    fs::write(&plugin, guests::cloud_plugin("cloud_hostile", "hostile")).unwrap();
    let arguments = [
        "--cloud-url",
        &cloud.url,
        "--cloud-plugin",
        plugin.to_str().unwrap(),
    ];
    let command = serve(&dir.path().join("data"), &arguments);
    let Some(mut command) = traced(&command, &trace) else {
        return;
    };
    let mut server = Server::spawn_as_owner(&mut command);
    let port = trap.port();
    let requests = [
        trap.url(),
        format!("http://localhost:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("{}@127.0.0.1:{port}/", cloud.url),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[::1]/".to_owned(),
        "https://192.168.0.1/".to_owned(),
        "https://example.com/".to_owned(),
    ];
    // Requests to other places, requests to the cloud, and faults, which end in quarantine. The plugin vouches for nobody.
    let mut tokens: Vec<String> = requests.iter().map(|url| format!("u{url}")).collect();
    tokens.extend(
        ["i", "v", "h", "b", "u"].map(|letter| format!("{letter}{}/.well-known/svc-cloud", cloud.url)),
    );
    tokens.extend(["m", "s", "f", "g", "r", "l"].map(str::to_owned));
    // Its refusals are 401; its faults are 503: a body beyond its budget, memory, log lines, recursion, a loop.
    let faults = ["b", "m", "g", "r", "l"];
    let expected: Vec<u16> = tokens
        .iter()
        .map(|token| if faults.contains(&&token[..1]) { 503 } else { 401 })
        .collect();
    assert_eq!(sign_in(&server, &tokens), expected);
    assert_eq!(server.open("/api/v1/health").status, 200);
    let expected = cloud.url.trim_start_matches("http://").to_owned();
    assert_eq!(addresses(&mut server, &trace), BTreeSet::from([expected]));
    trap.assert_untouched();
}

#[covers("T44")]
#[test]
fn invitations_licence_and_releases_are_asked_of_the_cloud_alone() {
    let (cloud, trap) = (Cloud::start(), Trap::listen());
    for name in ["ada", "bob"] {
        cloud.add_account(name);
    }
    let (token, guest) = (cloud.sign_in("ada"), cloud.sign_in("bob"));
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let command = serve(&dir.path().join("data"), &["--cloud-url", &cloud.url]);
    let Some(mut command) = traced(&command, &trace) else {
        return;
    };
    let mut server = Server::spawn_as_owner(&mut command);
    let invite = || {
        let headers = [("svc-cloud-token", token.as_str())];
        let role = json!({ "role": "music_user" });
        server.request("POST", "/api/v1/invitations", &headers, Some(&role))
    };
    // Endpoints of other places, as far as a cloud may name them.
    for endpoint in ["servers", "createInvitation", "releaseChannels", "latestRelease"] {
        let redirect = json!({ "kind": "redirect", "location": trap.url() });
        cloud.fail(endpoint, &redirect, Some(1));
    }
    assert_eq!((invite().status, invite().status), (503, 503));
    let (used, unused) = (invite(), invite());
    assert_eq!((used.status, unused.status), (201, 201), "{used:?} {unused:?}");
    let shortcode = used.json()["shortcode"].as_str().unwrap().to_owned();
    assert_eq!(cloud.bind(&guest, &shortcode).status, 200);
    let body = json!({ "cloudToken": guest });
    let login = server.anonymous("POST", "/api/v1/auth/login", &[("svc-app", "music")], Some(&body));
    assert_eq!(login.status, 201, "{login:?}");
    let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap();
    let headers = [("cookie", cookie), ("svc-cloud-token", guest.as_str())];
    let refreshed = server.anonymous("POST", "/api/v1/auth/refresh", &headers, None);
    assert_eq!(refreshed.status, 201, "{refreshed:?}");
    let id = unused.json()["invitationId"].as_str().unwrap().to_owned();
    let revoked = server.request("DELETE", &format!("/api/v1/invitations/{id}"), &[], None);
    assert_eq!(revoked.json(), true);
    for (path, status) in [
        ("/api/v1/invitations", 200),
        ("/api/v1/licensing/subscription", 200),
        ("/api/v1/licensing/seats", 200),
        ("/api/v1/release-channels", 200),
        ("/api/v1/updates", 503),
    ] {
        assert_eq!(server.get(path).status, status, "{path}");
    }
    for endpoint in [
        "claimInvitation",
        "revokeInvitation",
        "subscription",
        "releaseChannels",
        "latestRelease",
    ] {
        wait_for(endpoint, || cloud.requests(endpoint) > 0);
    }
    let expected = cloud.url.trim_start_matches("http://").to_owned();
    assert_eq!(addresses(&mut server, &trace), BTreeSet::from([expected]));
    trap.assert_untouched();
}
