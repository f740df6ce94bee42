//! A cloud behind HTTPS with a certificate of an authority of the operator's own, as self-hosted ones have it.

use std::net::{IpAddr, ToSocketAddrs as _};

use serde_json::json;
use svc_covers::covers;
use svc_tests::cloud::Cloud;
use svc_tests::program::{Answer, run};
use svc_tests::skipped;
use svc_tests::tls::{TlsProxy, authority};

use super::{Both, Session, code, cookie_of, start_server};

/// The reference cloud behind TLS at `localhost`.
fn encrypted_cloud() -> (Cloud, TlsProxy) {
    let proxy = TlsProxy::bind();
    let cloud = Cloud::start_with(&["--allow-failures", "--public-url", &proxy.url("localhost")]);
    proxy.start(cloud.url.trim_start_matches("http://"));
    (cloud, proxy)
}

/// The options of a server with the cloud at an address.
fn options(url: &str, further: &[&str]) -> Vec<String> {
    let options = [&["--cloud-url", url][..], further].concat();
    options.into_iter().map(str::to_owned).collect()
}

fn assert_away(answer: &Answer, case: &str) {
    let away = (503, Some("cloud_unavailable".to_owned()));
    assert_eq!(code(answer), away, "{case}: {answer:?}");
    assert_eq!(answer.header("set-cookie"), None, "{case}");
}

/// Restarts the server with other options, lets sign-ins and refreshes fail, and shows that the session is what it was.
fn cannot_be_reached(both: &mut Both, arguments: Vec<String>, session: &Session, token: &str, case: &str) {
    both.arguments = arguments;
    both.restart_server();
    let before = both.stored_sessions();
    let asked = both.cloud.requests("account");
    assert_away(&both.refresh(&session.cookie, Some(token)), case);
    assert_away(&both.login_by_cloud(token), case);
    assert_eq!(both.cloud.requests("account"), asked, "{case}");
    assert_eq!(both.stored_sessions(), before, "{case}");
}

#[covers("R15", "R21", "R33c", "T30")]
#[test]
fn cloud_behind_https_is_used_with_the_authority_that_the_operator_named_alone() {
    let (cloud, proxy) = encrypted_cloud();
    let (url, file) = (proxy.url("localhost"), authority().display().to_string());
    let trusting = options(&url, &["--cloud-ca-file", &file]);
    let data = tempfile::tempdir().unwrap();
    let server = start_server(&data, &trusting);
    let mut both = Both {
        cloud,
        server,
        data,
        arguments: trusting.clone(),
    };
    let (mut session, token) = both.linked_user("bob", "music_user");
    let login = both.login_by_cloud(&token);
    assert_eq!(login.json()["user"]["username"], "bob", "{login:?}");
    let refreshed = both.refresh(&session.cookie, Some(&token));
    assert_eq!(refreshed.status, 201, "{refreshed:?}");
    session.cookie = cookie_of(&refreshed);
    both.cloud.add_account("ada");
    let owner = both.cloud.sign_in("ada");
    let created = both.invite(&owner, None);
    assert!(created["url"].as_str().unwrap().starts_with(&url), "{created}");

    let unknown = options(&url, &[]);
    cannot_be_reached(&mut both, unknown, &session, &token, "no authority");
    // The same server by an address that its certificate does not name.
    let other = options(&proxy.url("127.0.0.1"), &["--cloud-ca-file", &file]);
    cannot_be_reached(&mut both, other, &session, &token, "another host");
    both.arguments = trusting;
    both.restart_server();
    let refreshed = both.refresh(&session.cookie, Some(&token));
    assert_eq!(refreshed.status, 201, "{refreshed:?}");
    assert_eq!(both.login_by_cloud(&token).status, 201);
    assert_eq!(both.revoke(&created), json!(true));
}

/// Runs `svc doctor cloud`; returns whether all is well, and what it reported.
fn doctor(arguments: &[&str]) -> (bool, String) {
    let output = run(&[&["doctor", "cloud"], arguments].concat());
    let report = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), report)
}

#[test]
fn doctor_says_whether_the_certificate_is_valid() {
    let (_cloud, proxy) = encrypted_cloud();
    let (url, file) = (proxy.url("localhost"), authority().display().to_string());
    let (is_well, report) = doctor(&["--cloud-url", &url, "--cloud-ca-file", &file]);
    assert!(is_well, "{report}");
    assert!(
        report.contains("status 200, certificate valid") && report.contains(&format!("authorities   {file}")),
        "{report}"
    );
    let (is_well, report) = doctor(&["--cloud-url", &url]);
    assert!(!is_well, "{report}");
    assert!(
        report.contains("not reached") && report.contains("`cloud-ca-file`"),
        "{report}"
    );
}

/// A name of this machine besides `localhost`, all of whose addresses are its own.
fn own_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim().to_owned();
    let addresses = (name.as_str(), 0).to_socket_addrs().ok()?;
    let addresses: Vec<IpAddr> = addresses.map(|address| address.ip()).collect();
    let is_own = |address: &IpAddr| *address == IpAddr::from([127, 0, 0, 1]);
    let is_usable = name != "localhost" && !addresses.is_empty() && addresses.iter().all(is_own);
    is_usable.then_some(name)
}

#[covers("T44")]
#[test]
fn private_address_is_refused_unless_the_operator_named_its_host() {
    let Some(name) = own_name() else {
        skipped("the name of this machine does not stand for 127.0.0.1");
        return;
    };
    let (_cloud, proxy) = encrypted_cloud();
    let (url, file) = (proxy.url(&name), authority().display().to_string());
    let arguments = ["--cloud-url", &url, "--cloud-ca-file", &file];
    let (is_well, report) = doctor(&arguments);
    assert!(!is_well, "{report}");
    let line = format!("{name} has the address 127.0.0.1, which is not public");
    assert!(
        report.contains("refused") && report.contains(&line) && report.contains("`cloud-private-hosts`"),
        "{report}"
    );
    // Named, it is connected to; there the certificate, which is for `localhost`, ends it.
    let named = [&arguments[..], &["--cloud-private-host", &name]].concat();
    let (is_well, report) = doctor(&named);
    assert!(!is_well, "{report}");
    assert!(
        report.contains(&format!("private host  {name}")) && report.contains("not reached"),
        "{report}"
    );
    assert!(
        !report.contains("refused") && report.contains("`cloud-ca-file`"),
        "{report}"
    );
}
