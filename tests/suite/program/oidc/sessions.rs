//! Sessions of the provider: refresh, outage, their end, and the reports of it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;

use super::browser::{Browser, Page};
use super::{Bed, ProviderOptions};

const ROLE: [&str; 2] = ["--oidc-default-role", "music_user"];

fn signed_in(bed: &Bed) -> Browser {
    let mut browser = Browser::new();
    let page = bed.sign_in(&mut browser, "ada");
    assert_eq!(page.location(), "/app", "{}", bed.log());
    browser
}

fn code_of(page: &Page) -> Option<String> {
    let body: Value = serde_json::from_str(&page.body).unwrap();
    body["code"].as_str().map(str::to_owned)
}

#[covers("T31", "POST /api/v1/auth/refresh")]
#[test]
fn refresh_asks_the_provider_and_an_outage_changes_nothing() {
    let Some(mut bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let mut browser = signed_in(&bed);
    for _ in 0..3 {
        let before = bed.proxy.token_requests();
        assert_eq!(bed.refresh(&mut browser).status, 201);
        assert_eq!(bed.proxy.token_requests(), before + 1);
    }
    bed.proxy.set_away(true);
    let cookie = browser.cookie("svc_refresh_token_");
    let away = bed.refresh(&mut browser);
    assert_eq!(
        (away.status, code_of(&away).as_deref()),
        (503, Some("cloud_unavailable"))
    );
    assert_eq!(
        (away.header("set-cookie"), browser.cookie("svc_refresh_token_")),
        (None, cookie)
    );
    bed.proxy.set_away(false);
    assert_eq!(bed.refresh(&mut browser).status, 201, "{}", bed.log());
    // The provider forgets its sessions.
    bed.restart_provider("b");
    for _ in 0..2 {
        let ended = bed.refresh(&mut browser);
        assert_eq!(
            (ended.status, code_of(&ended).as_deref()),
            (401, Some("cloud_token_required"))
        );
        assert_eq!(ended.header("set-cookie"), None);
    }
    assert!(bed.log().contains("the provider has ended the session"));
}

/// Signs in a device that the user of an access token approves.
fn device(bed: &Bed, token: &str) -> Browser {
    let url = |path: &str| format!("{}/api/v1/auth/device{path}", bed.base);
    let (mut device, app) = (Browser::new(), ("svc-app", "music"));
    let started = device.post_json(&url(""), app, &json!({ "app": "music" }));
    assert_eq!(started.status, 201, "{}", started.body);
    let codes: Value = serde_json::from_str(&started.body).unwrap();
    let bearer = format!("Bearer {token}");
    let approval = json!({ "userCode": codes["userCode"] });
    let approved = Browser::new().post_json(&url("/approve"), ("authorization", &bearer), &approval);
    assert_eq!(approved.status, 201, "{}", approved.body);
    let poll = json!({ "deviceCode": codes["deviceCode"] });
    let signed_in = device.post_json(&url("/token"), app, &poll);
    assert_eq!(signed_in.status, 201, "{}", signed_in.body);
    device
}

#[covers("C9", "T31", "POST /api/v1/auth/refresh")]
#[test]
fn device_refreshes_while_the_provider_confirms_a_session_of_its_account() {
    let Some(mut bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let mut browser = signed_in(&bed);
    let token = bed.access_token(&mut browser);
    let mut tv = device(&bed, &token);
    for _ in 0..3 {
        let before = bed.proxy.token_requests();
        assert_eq!(bed.refresh(&mut tv).status, 201, "{}", bed.log());
        assert_eq!(bed.proxy.token_requests(), before + 1);
    }
    // The provider accepts each token once, and the browser's session has the next one.
    assert_eq!(bed.refresh(&mut browser).status, 201, "{}", bed.log());
    let cookie = tv.cookie("svc_refresh_token_");
    bed.proxy.set_away(true);
    let away = bed.refresh(&mut tv);
    assert_eq!(
        (away.status, code_of(&away).as_deref(), away.header("set-cookie")),
        (503, Some("cloud_unavailable"), None)
    );
    bed.proxy.set_away(false);
    // The provider forgets its sessions.
    bed.restart_provider("b");
    for _ in 0..2 {
        let ended = bed.refresh(&mut tv);
        assert_eq!(
            (
                ended.status,
                code_of(&ended).as_deref(),
                ended.header("set-cookie")
            ),
            (401, Some("cloud_token_required"), None)
        );
    }
    assert_eq!(tv.cookie("svc_refresh_token_"), cookie);
    // The user signs in again, and the same cookie is as good as before.
    signed_in(&bed);
    assert_eq!(bed.refresh(&mut tv).status, 201, "{}", bed.log());
    assert_ne!(tv.cookie("svc_refresh_token_"), cookie);
}

#[test]
fn tabs_that_refresh_at_once_ask_the_provider_once_each_and_stay_signed_in() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let mut browser = signed_in(&bed);
    let cookie = browser.cookie("svc_refresh_token_").unwrap();
    let before = bed.proxy.token_requests();
    let url = format!("{}/api/v1/auth/refresh", bed.base);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let tabs: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let agent: ureq::Agent = ureq::Agent::config_builder()
                        .http_status_as_error(false)
                        .build()
                        .into();
                    let request = ureq::http::Request::builder()
                        .method("POST")
                        .uri(&url)
                        .header("cookie", &cookie);
                    agent.run(request.body(()).unwrap()).unwrap().status().as_u16()
                })
            })
            .collect();
        tabs.into_iter().map(|tab| tab.join().unwrap()).collect()
    });
    assert_eq!(statuses, [201; 8], "{}", bed.log());
    // Requests that came during a validation share it.
    let asked = bed.proxy.token_requests() - before;
    assert!((1..8).contains(&asked), "{asked}");
    // Its rotated token was not lost: the provider still accepts the session.
    assert_eq!(bed.refresh(&mut browser).status, 201, "{}", bed.log());
}

#[covers("C8", "POST /api/v1/auth/oidc/logout")]
#[test]
fn sign_out_at_the_provider_ends_sessions_and_streams_within_five_seconds() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let mut browser = signed_in(&bed);
    let token = bed.access_token(&mut browser);
    let mut other = signed_in(&bed);
    let address = bed.base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET /api/v1/events/subscribe HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");

    let since = Instant::now();
    browser.sign_out_at_provider(&bed.proxy.issuer);
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    let bearer = format!("Bearer {token}");
    let current = bed.server.request(
        "GET",
        "/api/v1/users/current",
        &[("authorization", &bearer)],
        None,
    );
    assert_eq!(current.status, 401);
    assert_eq!(bed.refresh(&mut browser).status, 401);
    // The session of another browser goes on.
    assert_eq!(bed.refresh(&mut other).status, 201, "{}", bed.log());

    // The same report again, one that is changed, and none.
    let report = bed.proxy.relayed().pop().unwrap();
    let report = report.strip_prefix("logout_token=").unwrap().to_owned();
    let url = format!("{}/api/v1/auth/oidc/logout", bed.base);
    // A character in the middle of the signature.
    let (start, end) = report.split_at(report.len() - 100);
    let other = if end.starts_with('A') { "B" } else { "A" };
    let changed = format!("{start}{other}{}", &end[1..]);
    for (token, line) in [
        (report.as_str(), "it was sent before"),
        (&changed, "the signature is wrong"),
        ("junk", "the token is no signed JWT"),
    ] {
        let page = Browser::new().post(&url, &[("logout_token", token)]);
        assert_eq!(
            (page.status, page.header("cache-control")),
            (400, Some("no-store")),
            "{line}"
        );
        assert!(bed.log().contains(line), "{line} {}", bed.log());
    }
    assert_eq!(Browser::new().post(&url, &[]).status, 400);
}

#[covers("C3", "T31")]
#[test]
fn provider_that_never_answers_is_an_outage_in_time_and_delays_no_local_sign_in() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let (mut browser, mut other) = (signed_in(&bed), Browser::new());
    let callback = bed.to_callback(&mut other, "ada");
    bed.proxy.set_silent(true);
    let since = Instant::now();
    let (refused, failed) = std::thread::scope(|scope| {
        let refreshing = scope.spawn(|| bed.refresh(&mut browser));
        let finishing = scope.spawn(|| other.get(&callback));
        bed.login(&mut Browser::new(), "owner", "admin");
        assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
        (refreshing.join().unwrap(), finishing.join().unwrap())
    });
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    assert_eq!(
        (refused.status, code_of(&refused).as_deref()),
        (503, Some("cloud_unavailable"))
    );
    assert_eq!(refused.header("set-cookie"), None);
    assert_eq!(
        (failed.status, failed.location()),
        (303, "/app?error=cloud_unavailable")
    );
    assert!(failed.cookies("svc_refresh_token_").is_empty());
    bed.proxy.set_silent(false);
    assert_eq!(bed.refresh(&mut browser).status, 201, "{}", bed.log());
}
