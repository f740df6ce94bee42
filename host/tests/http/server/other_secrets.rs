//! Secrets that are no credentials: what leads to a sign-in, or continues one, opens no route that needs a sign-in.

use std::sync::Arc;

use salvo::http::Method;
use serde_json::json;
use svc_covers::covers;

use crate::filled;
use crate::support::accounts::COOKIE;
use crate::support::cloud::ScriptedCloud;
use crate::support::databases::{kiosk, on_each_database_with};
use crate::support::provider::{SIGN_IN_COOKIE, ScriptedProvider, link_query, with_provider};
use crate::support::{TestServer, TestServerOptions};
use svc_api::route::{Access, Route};
use svc_api::router::routes;
use svc_identity::oidc::OidcPolicy;

/// A secret, and the header in which its own requests have it, if there is one.
struct Secret {
    what: &'static str,
    text: String,
    header: Option<(&'static str, String)>,
}

impl Secret {
    fn new(what: &'static str, text: &str) -> Self {
        Self {
            what,
            text: text.to_owned(),
            header: None,
        }
    }

    fn in_cookie(what: &'static str, text: &str, cookie: &str) -> Self {
        Self {
            header: Some(("cookie", format!("{cookie}={text}"))),
            ..Self::new(what, text)
        }
    }

    /// Sends it to a route by its own header, as a bearer, and in the query.
    async fn assert_opens_nothing(&self, server: &TestServer, route: &Route) {
        let bearer = format!("Bearer {}", self.text);
        let mut headers = vec![("authorization", bearer.as_str())];
        headers.extend(self.header.iter().map(|(name, value)| (*name, value.as_str())));
        for header in headers {
            self.assert_refused(server, route, &[header], "").await;
        }
        for parameter in ["token", "authorization"] {
            let query = format!("?{parameter}={}", self.text);
            self.assert_refused(server, route, &[], &query).await;
        }
    }

    async fn assert_refused(
        &self,
        server: &TestServer,
        route: &Route,
        credential: &[(&str, &str)],
        query: &str,
    ) {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(credential);
        let target = filled(route.path) + query;
        let body = if route.method == Method::GET { "" } else { "{" };
        let reply = server.send(route.method.as_str(), &target, &headers, body).await;
        let place = credential.first().map_or("the query", |(name, _)| *name);
        let at = format!("{route:?} by {} in {place} {query}: {reply:?}", self.what);
        assert_eq!((reply.status, reply.code()), (401, None), "{at}");
        assert!(reply.headers.contains_key("www-authenticate"), "{at}");
        assert!(!reply.headers.contains_key("set-cookie"), "{at}");
    }
}

async fn assert_open_nothing(server: &TestServer, secrets: &[Secret]) {
    for route in routes() {
        if route.access != Access::Public {
            for secret in secrets {
                secret.assert_opens_nothing(server, &route).await;
            }
        }
    }
}

#[covers("R5", "T23", "T30")]
#[tokio::test]
async fn secrets_of_a_sign_in_at_a_provider_open_no_route() {
    let provider = Arc::new(ScriptedProvider::default());
    provider.knows("ada", &[]);
    let policy = || OidcPolicy {
        default_role: Some("member".to_owned()),
        ..OidcPolicy::default()
    };
    // Guest access is on in kiosk mode.
    let options = || TestServerOptions {
        kiosk: true,
        ..with_provider(&provider, policy())
    };
    on_each_database_with(options, async |server| {
        server.clock.stop();
        server.person("owner", "owner").await;
        let owner = server.sign_in("owner").await;
        let refresh = server.sign_in_with_provider("ada", "").await.provider_session();
        let started = server.begin_sign_in("", &[]).await.started();
        let link = link_query(&owner).await;
        let role = json!({"role": "member"});
        let invitation = owner.client.post("/api/v1/invitations", &role).await.json();
        let shortcode = invitation["shortcode"].as_str().unwrap();
        let device = json!({"app": "music"});
        let device = server.post("/api/v1/auth/device", &device).await.json();
        let of_device = |name: &str| device[name].as_str().unwrap().to_owned();
        let secrets = [
            Secret::in_cookie("a refresh cookie", &refresh, COOKIE),
            Secret::in_cookie("the cookie of a sign-in", &started.cookie, SIGN_IN_COOKIE),
            Secret::new("the state of a sign-in", &started.query["state"]),
            Secret::new("a link ticket", link.trim_start_matches("&link=")),
            Secret::new("a shortcode", shortcode),
            Secret::new("a device code", &of_device("deviceCode")),
            Secret::new("a user code", &of_device("userCode")),
        ];
        Box::pin(assert_open_nothing(&server, &secrets)).await;
        // Each of them is as good as before for what it is for.
        assert_eq!(server.refresh(&refresh).await.status, 201);
        server.finish_sign_in(&started, "ada").await.provider_session();
        let cookie = format!("{COOKIE}={}", owner.cookie);
        server
            .begin_sign_in(&link, &[("cookie", &cookie)])
            .await
            .started();
        let offer = format!("/api/v1/invitations/claim/{shortcode}");
        assert_eq!(server.get(&offer).await.status, 200);
        let user_code = json!({"userCode": of_device("userCode")});
        let approved = owner.client.post("/api/v1/auth/device/approve", &user_code).await;
        assert_eq!(approved.status, 201, "{approved:?}");
        let device_code = json!({"deviceCode": of_device("deviceCode")});
        let signed_in = server.post("/api/v1/auth/device/token", &device_code).await;
        assert_eq!(signed_in.status, 201, "{signed_in:?}");
    })
    .await;
}

#[covers("R5", "T23", "T30")]
#[tokio::test]
async fn token_of_the_cloud_opens_no_route() {
    let cloud = Arc::new(ScriptedCloud::default());
    cloud.says("of-ada", Ok("ada-at-cloud"));
    let options = || TestServerOptions {
        cloud: cloud.clone(),
        ..kiosk()
    };
    on_each_database_with(options, async |server| {
        let ada = server.person("ada", "owner").await;
        server.link(ada, "ada-at-cloud").await;
        let secret = Secret {
            header: Some(("svc-cloud-token", "of-ada".to_owned())),
            ..Secret::new("a token of the cloud", "of-ada")
        };
        let asked = cloud.asked();
        Box::pin(assert_open_nothing(&server, &[secret])).await;
        assert_eq!(cloud.asked(), asked, "the cloud was asked for nothing");
        let body = json!({"cloudToken": "of-ada"});
        let login = server.login(&[("svc-app", "music")], &body).await;
        assert_eq!(login.status, 201, "{login:?}");
    })
    .await;
}
