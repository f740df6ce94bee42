//! The refresh cookie `svc_refresh_token_<instance_id>`: limited to the authentication endpoints, `HttpOnly` and
//! `SameSite=Strict`.
//!
//! The API fixes its name and path, which rules out the prefixes `__Host-` and `__Secure-` (ASVS 3.3.1, 3.3.3).

use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use salvo::http::HeaderMap;
use salvo::http::header::{COOKIE, HeaderValue};
use salvo::oapi::{Components, EndpointArgRegister, Operation, ParameterIn};

use crate::client::Client;
use crate::csrf::CsrfOriginCheck;
use crate::extract::{State, extractible, register_text_parameter};
use crate::response::{Created, WithCookie};
use crate::views::auth::LoginView;
use svc_identity::login::Login;
use svc_identity::sessions;

const PREFIX: &str = "svc_refresh_token_";
const PATH: &str = "/api/v1/auth";

/// The refresh cookie of a request, with what is needed to set the next one.
#[derive(Debug)]
pub struct RefreshCookie {
    name: String,
    secure: bool,
    /// Its value; `None` if the request has no refresh cookie, empty if it has several.
    pub value: Option<String>,
}

impl RefreshCookie {
    fn write(&self, value: &str, max_age: Option<Duration>) -> Option<HeaderValue> {
        let mut cookie = Cookie::new(self.name.as_str(), value);
        cookie.set_path(PATH);
        cookie.set_http_only(true);
        cookie.set_same_site(SameSite::Strict);
        // A browser rejects a `Secure` cookie that it receives over http.
        cookie.set_secure(self.secure);
        if let Some(max_age) = max_age {
            cookie.set_max_age(max_age);
        }
        HeaderValue::from_str(&cookie.to_string()).ok()
    }

    /// The token of the session that a sign-in replaces; none for a page of another site.
    pub fn replaced_by_sign_in(&self, csrf_check: CsrfOriginCheck) -> Option<String> {
        let value = self.value.clone();
        value.filter(|_| csrf_check == CsrfOriginCheck::SameSite)
    }

    /// The response to a sign-in, which sets the cookie of the new session if it has one.
    pub fn signed_in(&self, login: Login) -> WithCookie<Created<LoginView>> {
        let next = login.issued.cookie.as_ref().and_then(|next| self.set(next));
        WithCookie(next, Created(login.into()))
    }

    /// The `Set-Cookie` header for the next token of the session.
    pub fn set(&self, next: &sessions::RefreshCookie) -> Option<HeaderValue> {
        let seconds = |age: std::time::Duration| i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
        let max_age = next.max_age.map(|age| Duration::seconds(seconds(age)));
        self.write(next.token.secret(), max_age)
    }

    /// The `Set-Cookie` header that deletes the cookie.
    pub fn clear(&self) -> Option<HeaderValue> {
        self.write("", Some(Duration::ZERO))
    }
}

/// The value of a cookie; empty if the request has several of the name.
pub(crate) fn cookie_value(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(COOKIE).iter();
    let mut values = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .filter(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned());
    match (values.next(), values.next()) {
        // Another server on this host set one of them: cookies are shared between ports. No session has an empty token.
        (Some(_), Some(_)) => Some(String::new()),
        (value, _) => value,
    }
}

extractible!(RefreshCookie, req, depot, _arg => {
    let name = format!("{PREFIX}{}", State::of(depot)?.keys.current().instance_id);
    let value = cookie_value(req.headers(), &name);
    let secure = Client::extract(req, depot).await?.https;
    Ok(Self { name, secure, value })
});

impl EndpointArgRegister for RefreshCookie {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let name = format!("{PREFIX}<instance_id>");
        register_text_parameter(operation, &name, ParameterIn::Cookie, "The refresh cookie.");
    }
}
