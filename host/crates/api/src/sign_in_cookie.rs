//! The cookie `svc_sign_in_<instance_id>`, which binds a sign-in with a provider to the browser that started it.
//!
//! It is `SameSite=Lax`: the browser sends it when the provider redirects it back, but not with requests that a page of
//! another site makes. Over https its name begins with `__Host-`: otherwise another host of the domain could set the cookie
//! of a sign-in of its own, and sign the browser in to an account of somebody else.

use std::time::Duration;

use cookie::{Cookie, SameSite};
use salvo::http::header::HeaderValue;

use crate::client::Client;
use crate::extract::{State, extractible, not_described};
use crate::refresh_cookie::cookie_value;

const PREFIX: &str = "svc_sign_in_";
const PATH: &str = "/api/v1/auth/oidc";
/// A browser accepts a cookie with this prefix only if it is `Secure`, of this host alone and of the path `/`.
const OF_HOST: &str = "__Host-";

/// The sign-in cookie of a request, with what is needed to set the next one.
#[derive(Debug)]
pub struct SignInCookie {
    name: String,
    secure: bool,
    /// Its value; `None` if the request has no sign-in cookie, empty if it has several.
    pub value: Option<String>,
}

impl SignInCookie {
    fn write(&self, value: &str, max_age: Duration) -> Option<HeaderValue> {
        let mut cookie = Cookie::new(self.name.as_str(), value);
        cookie.set_path(if self.secure { "/" } else { PATH });
        cookie.set_http_only(true);
        cookie.set_same_site(SameSite::Lax);
        // A browser rejects a `Secure` cookie that it receives over http.
        cookie.set_secure(self.secure);
        let seconds = i64::try_from(max_age.as_secs()).unwrap_or(i64::MAX);
        cookie.set_max_age(cookie::time::Duration::seconds(seconds));
        HeaderValue::from_str(&cookie.to_string()).ok()
    }

    /// The `Set-Cookie` header of a started sign-in.
    pub fn set(&self, secret: &str, max_age: Duration) -> Option<HeaderValue> {
        self.write(secret, max_age)
    }

    /// The `Set-Cookie` header that deletes the cookie.
    pub fn clear(&self) -> Option<HeaderValue> {
        self.write("", Duration::ZERO)
    }
}

extractible!(SignInCookie, req, depot, _arg => {
    let instance_id = State::of(depot)?.keys.current().instance_id.clone();
    let secure = Client::extract(&mut *req, depot).await?.https;
    let of_host = if secure { OF_HOST } else { "" };
    let name = format!("{of_host}{PREFIX}{instance_id}");
    let value = cookie_value(req.headers(), &name);
    Ok(Self { name, secure, value })
});

not_described!(SignInCookie);
