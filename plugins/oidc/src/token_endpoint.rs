//! Requests to the provider in the name of this client: tokens, their revocation, userinfo.

use data_encoding::BASE64;
use form_urlencoded::Serializer;
use serde::Deserialize;

use crate::environment::{Environment, Request, Response, respond};
use crate::error::{Endpoint, Error, Outage, Refusal, Result};
use crate::provider::Provider;

/// The response of the token endpoint.
#[derive(Deserialize)]
pub struct Tokens {
    pub access_token: Option<String>,
    pub id_token: Option<String>,
    pub refresh_token: Option<String>,
}

#[derive(Deserialize)]
struct OauthError {
    error: String,
}

impl<E: Environment> Provider<'_, E> {
    /// Requests tokens. `refusal` is what `invalid_grant` means for this request.
    ///
    /// # Errors
    /// The provider refuses, or is not available.
    pub fn request_tokens(&self, form: &[(&str, &str)], refusal: Refusal) -> Result<Tokens> {
        let endpoint = Endpoint::Token;
        let response = self.post(endpoint, &self.metadata.token_endpoint, form)?;
        if response.status == 200 {
            let tokens = serde_json::from_slice(&response.body);
            return Ok(tokens.map_err(|_| Outage::Malformed { endpoint })?);
        }
        Err(refused(endpoint, &response, refusal))
    }

    /// Revokes a refresh token (RFC 7009).
    ///
    /// # Errors
    /// The provider offers no revocation, refuses, or is not available.
    pub fn revoke_token(&self, token: &str) -> Result<()> {
        let url = self.metadata.revocation_endpoint.as_deref();
        let url = url.ok_or(Error::Unsupported("revocation"))?;
        let endpoint = Endpoint::Revocation;
        let form = [("token", token), ("token_type_hint", "refresh_token")];
        match self.post(endpoint, url, &form)? {
            response if response.status == 200 => Ok(()),
            response => Err(refused(endpoint, &response, Refusal::SessionEnded)),
        }
    }

    /// Requests the userinfo; `None` if the provider has none.
    ///
    /// # Errors
    /// The provider is not available.
    pub fn request_userinfo(&self, access_token: &str) -> Result<Option<Response>> {
        let Some(url) = &self.metadata.userinfo_endpoint else {
            return Ok(None);
        };
        let endpoint = Endpoint::Userinfo;
        let request = Request {
            method: "GET",
            url: url.clone(),
            headers: vec![
                ("accept", "application/json, application/jwt".to_owned()),
                ("authorization", format!("Bearer {access_token}")),
            ],
            body: None,
            flight: None,
        };
        let response = self.send(endpoint, request)?;
        match response.status {
            200 => Ok(Some(response)),
            status => Err(Outage::Status { endpoint, status }.into()),
        }
    }

    /// Posts a form with the client's credentials.
    fn post(&self, endpoint: Endpoint, url: &str, form: &[(&str, &str)]) -> Result<Response> {
        let mut body = Serializer::new(String::new());
        body.extend_pairs(form);
        let mut headers = vec![
            ("accept", "application/json".to_owned()),
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
        ];
        let client = &self.options.client_id;
        match &self.options.client_secret {
            None => {
                body.append_pair("client_id", client);
            }
            Some(secret) if self.accepts("client_secret_basic") => {
                // RFC 6749, 2.3.1: both are encoded as in a form first.
                let pair = format!("{}:{}", encoded(client), encoded(secret));
                headers.push((
                    "authorization",
                    format!("Basic {}", BASE64.encode(pair.as_bytes())),
                ));
            }
            Some(secret) if self.accepts("client_secret_post") => {
                body.append_pair("client_id", client);
                body.append_pair("client_secret", secret);
            }
            Some(_) => return Err(Outage::NoClientAuthentication.into()),
        }
        let request = Request {
            method: "POST",
            url: url.to_owned(),
            headers,
            body: Some(body.finish().into_bytes()),
            flight: None,
        };
        self.send(endpoint, request)
    }

    /// Whether the provider accepts a way to authenticate; the default is `client_secret_basic`.
    fn accepts(&self, method: &str) -> bool {
        match &self.metadata.token_endpoint_auth_methods_supported {
            Some(methods) => methods.iter().any(|accepted| accepted == method),
            None => method == "client_secret_basic",
        }
    }

    fn send(&self, endpoint: Endpoint, request: Request) -> Result<Response> {
        respond(self.environment, endpoint, request)
    }
}

/// What an error of the provider means: `invalid_grant` concerns the user, every other code this client.
fn refused(endpoint: Endpoint, response: &Response, refusal: Refusal) -> Error {
    let status = response.status;
    if !(400..500).contains(&status) {
        return Outage::Status { endpoint, status }.into();
    }
    let code = serde_json::from_slice::<OauthError>(&response.body).map(|body| body.error);
    match code {
        Ok(code) if code == "invalid_grant" => refusal.into(),
        Ok(code) => {
            let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
            let code = code.chars().filter(is_plain).take(64).collect();
            Outage::ClientRefused { endpoint, code }.into()
        }
        Err(_) => Outage::Status { endpoint, status }.into(),
    }
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
