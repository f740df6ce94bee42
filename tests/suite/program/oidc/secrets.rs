//! Secrets of sign-ins with a provider, on a server that logs all that it does: they are in no log line, event, audit
//! entry, file or answer to another request.

use svc_covers::covers;
use svc_tests::event_client::EventClient;
use svc_tests::leaks::Secrets;
use svc_tests::program::wait_for;

use super::browser::{Browser, Page};
use super::{Bed, ProviderOptions, SECRET};

/// What the owner is shown.
const PAGES: [&str; 12] = [
    "/api/v1/instance",
    "/api/v1/auth/methods",
    "/api/v1/users/current",
    "/api/v1/users/current/sessions",
    "/api/v1/users?take=1000",
    "/api/v1/invitations",
    "/api/v1/plugins",
    "/api/v1/audit?take=1000",
    "/api/v1/dev/options/oidc-issuer",
    "/api/v1/dev/options/oidc-client-id",
    "/api/v1/dev/options/oidc-client-secret-file",
    "/api/v1/dev/last-claim-attempt",
];

/// A parameter of an address.
fn parameter(url: &str, name: &str) -> String {
    let (_, query) = url.split_once('?').unwrap();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(known, _)| *known == name);
    values.next().unwrap().1.to_owned()
}

/// The value of a cookie of the browser.
fn cookie(browser: &Browser, prefix: &str) -> String {
    let cookie = browser.cookie(prefix).unwrap();
    cookie.split_once('=').unwrap().1.to_owned()
}

/// Starts a sign-in, and notes what it hands out; returns the address of the callback.
fn begin(bed: &Bed, browser: &mut Browser, start: &str, user: &str, secrets: &mut Secrets) -> String {
    let started = browser.get(&format!("{}{start}", bed.base));
    assert_eq!(started.status, 303, "{}", started.body);
    secrets.add("sign-in cookie", &cookie(browser, "svc_sign_in_"));
    for name in ["state", "nonce"] {
        secrets.add(name, &parameter(started.location(), name));
    }
    let callback = format!("{}/api/v1/auth/oidc/callback", bed.base);
    let callback = browser.through_provider(started.location(), user, &callback);
    secrets.add("code", &parameter(&callback, "code"));
    callback
}

/// The text of a response, without the cookies that it sets on purpose.
fn shown(page: &Page) -> Vec<u8> {
    let headers = page.headers.iter().filter(|(name, _)| name != "set-cookie");
    let mut text: Vec<u8> = headers
        .flat_map(|(name, value)| format!("{name}: {value}\n").into_bytes())
        .collect();
    text.extend(page.body.bytes());
    text
}

#[covers("C14", "T08", "T30")]
#[test]
fn secrets_of_sign_ins_are_in_no_log_event_audit_file_or_other_answer() {
    let arguments = ["--dev"];
    let Some(bed) = Bed::start_logging(ProviderOptions::default(), &arguments, "trace") else {
        return;
    };
    let mut secrets = Secrets::default();
    secrets.add("client secret", SECRET);
    // As it is sent.
    secrets.add("encoded client secret", "a+secret+with+%3A+and+%25");
    secrets.add("escaped client secret", "a%20secret%20with%20%3A%20and%20%25");
    let mut events = EventClient::open(&bed.server);
    let mut answers = Vec::new();

    // A link.
    let mut browser = Browser::new();
    let token = bed.login(&mut browser, "owner", "admin");
    secrets.add("access token", &token);
    secrets.add("refresh cookie", &cookie(&browser, "svc_refresh_token_"));
    let path = bed.link_path(&mut browser, &token);
    secrets.add("link ticket", &parameter(&path, "link"));
    let callback = begin(&bed, &mut browser, &path, "ada", &mut secrets);
    let linked = browser.get(&callback);
    assert_eq!(linked.location(), "/app");
    answers.extend(shown(&linked));
    answers.extend(shown(&browser.get(&callback)));
    answers.extend(shown(&browser.get(&format!("{}{path}", bed.base))));

    // An account by invitation.
    let role = serde_json::json!({ "role": "music_user" });
    let created = bed.server.post("/api/v1/invitations", &role);
    assert_eq!(created.status, 201, "{created:?}");
    let created = created.json();
    let shortcode = created["shortcode"].as_str().unwrap();
    secrets.add("shortcode", shortcode);
    let start = format!("/api/v1/auth/oidc/start?app=music&redirect=/app&invitation={shortcode}");
    let mut guest = Browser::new();
    let callback = begin(&bed, &mut guest, &start, "eve", &mut secrets);
    let signed_in = guest.get(&callback);
    assert_eq!(signed_in.location(), "/app", "{}", bed.log());
    answers.extend(shown(&signed_in));
    secrets.add("refresh cookie", &cookie(&guest, "svc_refresh_token_"));
    secrets.add("access token", &bed.access_token(&mut guest));
    secrets.add("refresh cookie", &cookie(&guest, "svc_refresh_token_"));

    // Sign-ins that fail: at the provider, here, and with a code that was used.
    let start = "/api/v1/auth/oidc/start?app=music&redirect=/app";
    let mut stranger = Browser::new();
    let callback = begin(&bed, &mut stranger, start, "nobody", &mut secrets);
    bed.proxy.set_away(true);
    answers.extend(shown(&stranger.get(&callback)));
    answers.extend(shown(&bed.refresh(&mut guest)));
    bed.proxy.set_away(false);
    for _ in 0..2 {
        let mut stranger = Browser::new();
        let callback = begin(&bed, &mut stranger, start, "nobody", &mut secrets);
        answers.extend(shown(&Browser::new().get(&callback)));
        answers.extend(shown(&stranger.get(&callback)));
    }

    // A sign-out at the provider, and its report once more.
    guest.sign_out_at_provider(&bed.proxy.issuer);
    wait_for("the report", || !bed.proxy.relayed().is_empty());
    let report = bed.proxy.relayed().pop().unwrap();
    let report = report.strip_prefix("logout_token=").unwrap().to_owned();
    secrets.add("logout token", &report);
    let url = format!("{}/api/v1/auth/oidc/logout", bed.base);
    answers.extend(shown(&Browser::new().post(&url, &[("logout_token", &report)])));

    let exchanged = bed.proxy.secrets();
    assert!(exchanged.len() >= 8, "{}", exchanged.len());
    for secret in &exchanged {
        secrets.add("token or code verifier of the provider", secret);
    }
    for path in PAGES {
        answers.extend(bed.server.get(path).bytes);
    }
    secrets.assert_none_in("an answer", &answers);
    loop {
        let event = events.next_event().expect("the stream goes on");
        secrets.assert_none_in("an event", event.to_string().as_bytes());
        if event["type"] == "invitation.claimed" {
            break;
        }
    }
    secrets.assert_none_in("the log", bed.log().as_bytes());
    assert!(secrets.assert_none_below(&bed.directory.path().join("data")) >= 1);
    // The search itself works.
    assert_eq!(secrets.found(format!("x{shortcode}").as_bytes()), ["shortcode"]);
}
