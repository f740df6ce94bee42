//! The refresh cookie: `svc_refresh_token_<instance_id>`, sent to the sign-in endpoints alone, out of reach of
//! scripts, and never from another site.
//!
//! Name and path are fixed by the API, so the prefixes `__Host-` and `__Secure-` (ASVS 3.3.1, 3.3.3) are not possible.

use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use salvo::http::header::{COOKIE, HeaderValue};
use salvo::oapi::{BasicType, Components, EndpointArgRegister, Object, Operation, Parameter, ParameterIn};
use salvo::{Depot, Extractible, Request, extract::Metadata};

use crate::api_error::ApiError;
use crate::client::Client;
use crate::extract::State;
use svc_identity::sessions;

const PREFIX: &str = "svc_refresh_token_";
const PATH: &str = "/api/v1/auth";

/// The cookie of a request, and how to answer with another.
#[derive(Debug)]
pub struct RefreshCookie {
    name: String,
    secure: bool,
    /// Its value, if there is one.
    pub value: Option<String>,
}

impl RefreshCookie {
    fn write(&self, value: &str, max_age: Option<Duration>) -> Option<HeaderValue> {
        let mut cookie = Cookie::new(self.name.as_str(), value);
        cookie.set_path(PATH);
        cookie.set_http_only(true);
        cookie.set_same_site(SameSite::Strict);
        // On plain http a browser would throw a `Secure` cookie away.
        cookie.set_secure(self.secure);
        if let Some(max_age) = max_age {
            cookie.set_max_age(max_age);
        }
        HeaderValue::from_str(&cookie.to_string()).ok()
    }

    /// The header that sets the next one.
    pub fn set(&self, next: &sessions::RefreshCookie) -> Option<HeaderValue> {
        let seconds = |age: std::time::Duration| i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
        let max_age = next.max_age.map(|age| Duration::seconds(seconds(age)));
        self.write(next.token.secret(), max_age)
    }

    /// The header that takes it away.
    pub fn clear(&self) -> Option<HeaderValue> {
        self.write("", Some(Duration::ZERO))
    }
}

impl<'ex> Extractible<'ex> for RefreshCookie {
    fn metadata() -> &'static Metadata {
        static METADATA: Metadata = Metadata::new("RefreshCookie");
        &METADATA
    }

    #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
    async fn extract(req: &'ex mut Request, depot: &'ex mut Depot) -> Result<Self, ApiError> {
        let name = format!("{PREFIX}{}", State::of(depot)?.keys.current().instance_id);
        let lines = req.headers().get_all(COOKIE).iter();
        let mut values = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(Cookie::split_parse)
            .filter_map(Result::ok)
            // Cookies do not know ports: another server on this host may have set some too.
            .filter(|cookie| cookie.name() == name)
            .map(|cookie| cookie.value().to_owned());
        let value = match (values.next(), values.next()) {
            // Somebody else set one of them, and nothing tells which: none counts.
            (Some(_), Some(_)) => Some(String::new()),
            (value, _) => value,
        };
        let secure = Client::extract(req, depot).await?.https;
        Ok(Self { name, secure, value })
    }
}

impl EndpointArgRegister for RefreshCookie {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let parameter = Parameter::new("svc_refresh_token_<instance_id>")
            .location(ParameterIn::Cookie)
            .required(false)
            .description("The refresh cookie.")
            .schema(Object::with_type(BasicType::String));
        operation.parameters.insert(parameter);
    }
}
