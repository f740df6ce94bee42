//! `/auth/device`: the sign-in of devices without a browser.

mod attacks;
mod decide;
mod races;
mod start;
mod token;

use serde_json::{Value, json};

use crate::support::{Client, Reply, TestServer};

const DEVICE: &str = "/api/v1/auth/device";

/// The codes of a device.
pub(crate) struct Codes {
    pub(crate) device: String,
    pub(crate) user: String,
}

impl Codes {
    fn of(reply: &Reply) -> Self {
        assert_eq!(reply.status, 201, "{reply:?}");
        let json = reply.json();
        let text = |name: &str| json[name].as_str().unwrap().to_owned();
        Self {
            device: text("deviceCode"),
            user: text("userCode"),
        }
    }

    pub(crate) async fn start(server: &TestServer, app: &str) -> Self {
        Self::of(&server.post(DEVICE, &json!({"app": app})).await)
    }

    pub(crate) async fn poll(&self, server: &TestServer) -> Reply {
        self.poll_with(server, &[]).await
    }

    pub(crate) async fn poll_with(&self, server: &TestServer, more: &[(&str, &str)]) -> Reply {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(more);
        let body = json!({"deviceCode": self.device}).to_string();
        server
            .send("POST", &format!("{DEVICE}/token"), &headers, &body)
            .await
    }

    pub(crate) async fn approve(&self, by: &Client) -> Reply {
        by.post(&format!("{DEVICE}/approve"), &self.body()).await
    }

    pub(crate) async fn deny(&self, by: &Client) -> Reply {
        by.post(&format!("{DEVICE}/deny"), &self.body()).await
    }

    pub(crate) async fn look(&self, by: &Client) -> Reply {
        by.get(&format!("{DEVICE}/{}", self.user)).await
    }

    fn body(&self) -> Value {
        json!({"userCode": self.user})
    }
}

/// Asserts 400 with a code and without a cookie.
fn assert_grant_error(reply: &Reply, code: &str) {
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (400, Some(code)),
        "{reply:?}"
    );
    assert!(!reply.headers.contains_key("set-cookie"));
    assert_eq!(reply.header("cache-control"), "no-store");
    assert!(reply.json().get("errors").is_none());
}
