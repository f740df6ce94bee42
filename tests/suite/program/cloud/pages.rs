//! The pages of the reference cloud, as a browser uses them.

use serde_json::json;
use svc_tests::cloud::{Cloud, DAY, now};
use svc_tests::program::{Answer, PASSWORD};

/// A browser: it sends forms with its cookie and the origin of the page.
struct Browser<'a> {
    cloud: &'a Cloud,
    cookie: String,
}

impl<'a> Browser<'a> {
    fn new(cloud: &'a Cloud) -> Self {
        Self {
            cloud,
            cookie: String::new(),
        }
    }

    fn get(&self, path: &str) -> Answer {
        self.cloud.call("GET", path, &[("cookie", &self.cookie)], None)
    }

    fn send(&mut self, path: &str, form: &str, origin: &str) -> Answer {
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("origin", origin),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let answer = self.cloud.try_call("POST", path, &headers, Some(form)).unwrap();
        if let Some(cookie) = answer.header("set-cookie") {
            self.cookie = cookie.split(';').next().unwrap().to_owned();
        }
        answer
    }

    fn post(&mut self, path: &str, form: &str) -> Answer {
        self.send(path, form, &self.cloud.url)
    }

    fn sign_in(&mut self, username: &str, next: &str) -> Answer {
        let password = PASSWORD.replace(' ', "+");
        self.post(
            "/sign-in",
            &format!("username={username}&password={password}&next={next}"),
        )
    }
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.bytes.clone()).unwrap()
}

fn invite(cloud: &Cloud, target: Option<&str>) -> String {
    let token = cloud.sign_in("ada");
    let bearer = format!("Bearer {}", cloud.register(&token));
    let body = json!({ "role": "music_user", "target": target, "expiresAt": now() + DAY });
    let headers = [
        ("authorization", bearer.as_str()),
        ("svc-cloud-token", token.as_str()),
    ];
    let created = cloud.call("POST", "/api/v1/invitations", &headers, Some(&body));
    assert_eq!(created.status, 201);
    created.json()["shortcode"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn link_of_an_invitation_leads_through_the_sign_in_to_its_acceptance() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    cloud.add_account("bob");
    let shortcode = invite(&cloud, None);
    let mut browser = Browser::new(&cloud);
    let path = format!("/invite/{shortcode}");
    let away = browser.get(&path);
    assert_eq!(away.status, 303);
    let sign_in = browser.get(away.header("location").unwrap());
    assert!(text(&sign_in).contains(&format!("value=\"{path}\"")));
    let wrong = browser.post("/sign-in", "username=bob&password=wrong");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    let back = browser.sign_in("bob", &path);
    assert_eq!((back.status, back.header("location")), (303, Some(path.as_str())));
    let cookie = back.header("set-cookie").unwrap();
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(text(&browser.get(&path)).contains(&shortcode));
    let accepted = browser.post("/invite", &format!("shortcode={shortcode}"));
    assert_eq!(accepted.status, 200);
    assert!(text(&accepted).contains("Living room"));
    assert_eq!(
        browser.post("/invite", "shortcode=0000-0000-0000-0000").status,
        404
    );
    let out = browser.post("/sign-out", "");
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(browser.get("/").status, 303);
}

#[test]
fn approval_link_is_for_its_target() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let bob = cloud.add_account("bob");
    cloud.add_account("carol");
    invite(&cloud, Some(&bob));
    let approval = cloud.approval_code("bob@example.org");
    let form = format!("code={approval}");
    let mut carol = Browser::new(&cloud);
    carol.sign_in("carol", "/");
    assert_eq!(carol.post("/approve", &form).status, 404);
    let mut browser = Browser::new(&cloud);
    let path = format!("/approve/{approval}");
    assert_eq!(
        browser.sign_in("bob", &path).header("location"),
        Some(path.as_str())
    );
    assert!(text(&browser.get(&path)).contains(&approval));
    assert_eq!(browser.post("/approve", &form).status, 200);
}

#[test]
fn forms_of_other_sites_and_foreign_ends_of_the_sign_in_are_refused() {
    let cloud = Cloud::start();
    cloud.add_account("ada");
    let mut browser = Browser::new(&cloud);
    assert_eq!(
        browser.sign_in("ada", "https://evil.example/").header("location"),
        Some("/")
    );
    for path in ["/token", "/invite", "/approve", "/sign-out", "/sign-in"] {
        let forged = browser.send(path, "shortcode=x&code=x&username=ada", "https://evil.example");
        assert_eq!(
            (forged.status, forged.header("set-cookie")),
            (403, None),
            "{path}"
        );
    }
    assert_eq!(browser.get("/").status, 200);
}

#[test]
fn token_of_a_page_signs_in_and_its_cookie_does_not() {
    let cloud = Cloud::start();
    let id = cloud.add_account("ada");
    let mut browser = Browser::new(&cloud);
    browser.sign_in("ada", "/");
    let home = browser.get("/");
    assert!(text(&home).contains(&id));
    assert!(
        home.header("content-security-policy")
            .unwrap()
            .starts_with("default-src 'none'")
    );
    let page = text(&browser.post("/token", "audience="));
    let token = page
        .split("<code>")
        .nth(1)
        .and_then(|rest| rest.split("</code>").next())
        .unwrap();
    let account = |token: &str| cloud.call("GET", "/api/v1/account", &[("svc-cloud-token", token)], None);
    assert_eq!(account(token).json()["publicUserId"], json!(id));
    let cookie = browser.cookie.split_once('=').unwrap().1.to_owned();
    assert_eq!(account(&cookie).status, 401);
    let mut thief = Browser::new(&cloud);
    thief.cookie = format!("svc_cloud_session={token}");
    assert_eq!(thief.get("/").status, 303);
    assert_eq!(thief.post("/token", "").status, 303);
}

#[test]
fn texts_of_others_are_escaped() {
    let cloud = Cloud::start();
    cloud.command(
        &[
            "account",
            "add",
            "eve",
            "--email",
            "eve@example.org",
            "--display-name",
            "<script>alert(1)</script>",
        ],
        PASSWORD,
    );
    let mut browser = Browser::new(&cloud);
    browser.sign_in("eve", "/");
    let home = text(&browser.get("/"));
    assert!(
        home.contains("&lt;script&gt;") && !home.contains("<script>"),
        "{home}"
    );
    let sign_in = text(&Browser::new(&cloud).get("/sign-in?next=%22%3E%3Cscript%3E"));
    assert!(sign_in.contains("value=\"/\"") && !sign_in.contains("<script>"));
}
