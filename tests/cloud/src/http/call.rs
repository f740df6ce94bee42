//! A request, as handlers read it.

use std::sync::Arc;

use bytes::Bytes;
use cookie::Cookie;
use salvo::http::HeaderMap;
use salvo::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderName, ORIGIN};
use serde::de::DeserializeOwned;

use crate::cloud::Cloud;
use crate::error::{Refusal, Result};
use crate::http::failures::Switches;
use crate::servers::Server;
use crate::sessions::{Purpose, Session};

/// Longest token or credential.
const TOKEN_BYTES: usize = 512;
const CLOUD_TOKEN: HeaderName = HeaderName::from_static("svc-cloud-token");
const INSTANCE: HeaderName = HeaderName::from_static("svc-instance");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The cookie of the pages.
pub(crate) const PAGE_COOKIE: &str = "svc_cloud_session";

/// A request with its body.
#[derive(Debug)]
pub(crate) struct Call {
    /// The variable segment of the path.
    pub(crate) id: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The client's network, for limits.
    pub(crate) network: String,
    pub(crate) is_loopback: bool,
    pub(crate) switches: Option<Arc<Switches>>,
}

impl Call {
    /// The value of a header that occurs once.
    fn header(&self, name: &HeaderName) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    }

    /// The token of an account.
    pub(crate) fn token(&self) -> Result<&str> {
        let token = self
            .header(&CLOUD_TOKEN)
            .filter(|token| token.len() <= TOKEN_BYTES);
        token.ok_or_else(|| Refusal::TokenInvalid.into())
    }

    /// The session of the token, unless it was issued for another installation than this.
    pub(crate) async fn session(&self, cloud: &Cloud, instance_id: Option<&str>) -> Result<Session> {
        cloud
            .session(self.token()?, Purpose::Token)
            .await?
            .intended_for(instance_id)
    }

    /// The session of a token that any installation, or none, may be behind.
    pub(crate) async fn any_session(&self, cloud: &Cloud) -> Result<Session> {
        cloud.session(self.token()?, Purpose::Token).await
    }

    /// The installation that asks.
    pub(crate) fn instance_id(&self) -> Option<&str> {
        self.header(&INSTANCE)
    }

    /// The server whose credential was sent.
    pub(crate) async fn server(&self, cloud: &Cloud) -> Result<Server> {
        let credential = self
            .header(&AUTHORIZATION)
            .and_then(|value| value.strip_prefix("Bearer "));
        let credential = credential.filter(|credential| credential.len() <= TOKEN_BYTES);
        cloud.server(credential.ok_or(Refusal::CredentialInvalid)?).await
    }

    /// The body, which is a JSON object.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let media_type = self
            .header(&CONTENT_TYPE)
            .and_then(|value| value.split(';').next());
        if !media_type.is_some_and(|name| name.trim().eq_ignore_ascii_case("application/json")) {
            return Err(Refusal::InvalidRequest("Content-Type: application/json").into());
        }
        let invalid = |_| Refusal::InvalidRequest("the body has another form");
        let value: serde_json::Value = serde_json::from_slice(&self.body).map_err(invalid)?;
        // serde would take an array for an object, by position.
        if !value.is_object() {
            return Err(Refusal::InvalidRequest("the body is not an object").into());
        }
        Ok(serde_json::from_value(value).map_err(invalid)?)
    }

    /// A field of a form, or of the query.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let find = |bytes: &[u8]| {
            let mut fields = url::form_urlencoded::parse(bytes);
            fields
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.into_owned())
        };
        find(&self.body).or_else(|| find(self.query.as_bytes()))
    }

    /// The session of the page cookie; `None` if nobody is signed in.
    pub(crate) async fn page_session(&self, cloud: &Cloud) -> Result<Option<Session>> {
        let Some(token) = self.page_cookie() else {
            return Ok(None);
        };
        match cloud.session(&token, Purpose::Page).await {
            Ok(session) => Ok(Some(session)),
            Err(crate::error::Error::Refused(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The token of the page cookie.
    pub(crate) fn page_cookie(&self) -> Option<String> {
        let cookies = self
            .headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut cookies = cookies
            .flat_map(Cookie::split_parse)
            .filter_map(std::result::Result::ok);
        cookies
            .find(|cookie| cookie.name() == PAGE_COOKIE)
            .map(|cookie| cookie.value().to_owned())
    }

    /// Whether a page of the cloud itself sent the form.
    pub(crate) fn is_own_form(&self, cloud: &Cloud) -> bool {
        self.header(&SEC_FETCH_SITE) == Some("same-origin")
            || self.header(&ORIGIN) == Some(cloud.public_url.origin().ascii_serialization().as_str())
    }
}
