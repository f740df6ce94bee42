//! The component: the client over the interfaces of the host.

use std::cell::Cell;

use svc_plugin_api::cloud::{
    Cloud, CloudError, CodeExchange, ServiceAccount, ServiceFeatures, ServiceSession, SignInRequest,
    SignedOut, clock, http, state,
};
use svc_plugin_api::{log, settings};

use crate::client::{self, Client};
use crate::environment::{Environment, Request, Response};
use crate::error::{Error, Result};
use crate::options::Options;

/// The plugin.
pub struct Oidc;

/// The interfaces of the host.
#[derive(Debug, Default)]
struct Host {
    /// The time of the call, in seconds since 1970, once it was read: one moment decides about all claims of a token.
    now: Cell<Option<i64>>,
}

impl Environment for Host {
    fn send(&self, request: Request) -> std::result::Result<Response, String> {
        let headers = request.headers.into_iter();
        let request = http::Request {
            method: request.method.to_owned(),
            url: request.url,
            headers: headers.map(|(name, value)| http::header(name, value)).collect(),
            body: request.body,
            flight: request.flight.map(str::to_owned),
        };
        let response = http::send(&request).map_err(|error| match error {
            http::HttpError::Denied(reason) => format!("the server's rules refuse the request: {reason}"),
            http::HttpError::Unreachable => "the provider cannot be reached".to_owned(),
            http::HttpError::Timeout => "the provider did not answer in time".to_owned(),
            http::HttpError::TooLarge => "the response is too large".to_owned(),
            http::HttpError::Tls => "the provider's certificate is not valid".to_owned(),
        })?;
        let headers = response.headers.into_iter();
        Ok(Response {
            status: response.status,
            headers: headers.map(|header| (header.name, header.value)).collect(),
            body: response.body,
        })
    }

    fn now(&self) -> i64 {
        let now = self
            .now
            .get()
            .unwrap_or_else(|| i64::try_from(clock::now() / 1000).unwrap_or(i64::MAX));
        self.now.set(Some(now));
        now
    }

    fn load(&self, key: &str) -> Option<Vec<u8>> {
        state::get(key)
    }

    fn store(&self, key: &str, value: &[u8]) {
        if let Err(reason) = state::set(key, Some(value)) {
            log::warn(&format!("{key} of the provider is not cached: {reason}"));
        }
    }
}

/// Runs a function of the client, and logs why it failed.
fn with_client<T>(function: impl FnOnce(&Client<Host>) -> Result<T>) -> std::result::Result<T, CloudError> {
    let options = Options::read(settings::text);
    let outcome = options.and_then(|options| {
        let environment = Host::default();
        function(&Client { environment, options })
    });
    outcome.map_err(|error| {
        log::warn(&error.to_string());
        match error {
            Error::Unsupported(_) => CloudError::Unsupported,
            Error::Unavailable(_) => CloudError::Unavailable,
            Error::Rejected(_) => CloudError::Rejected,
        }
    })
}

fn session(session: client::Session) -> ServiceSession {
    let account = session.account;
    ServiceSession {
        account: ServiceAccount {
            id: account.id,
            display_name: account.display_name,
            username: account.username,
            groups: account.groups,
            expires_at: account
                .expires_at
                .and_then(|seconds| u64::try_from(seconds.saturating_mul(1000)).ok()),
        },
        token: session.token,
        session_id: session.session_id,
    }
}

impl Cloud for Oidc {
    fn features() -> ServiceFeatures {
        ServiceFeatures::SIGN_IN | ServiceFeatures::LOGOUT
    }

    fn sign_in_url(request: SignInRequest) -> std::result::Result<String, CloudError> {
        with_client(|client| {
            client.sign_in_url(&client::SignIn {
                redirect_uri: request.redirect_uri,
                state: request.state,
                nonce: request.nonce,
                code_challenge: request.code_challenge,
            })
        })
    }

    fn exchange(request: CodeExchange) -> std::result::Result<ServiceSession, CloudError> {
        let exchanged = with_client(|client| {
            client.exchange(&client::Exchange {
                code: request.code,
                redirect_uri: request.redirect_uri,
                nonce: request.nonce,
                code_verifier: request.code_verifier,
                issuer: request.issuer,
            })
        });
        exchanged.map(session)
    }

    fn validate(token: String) -> std::result::Result<ServiceSession, CloudError> {
        with_client(|client| client.validate(&token)).map(session)
    }

    fn revoke(token: String) -> std::result::Result<(), CloudError> {
        with_client(|client| client.revoke(&token))
    }

    fn logout(token: String) -> std::result::Result<SignedOut, CloudError> {
        let report = with_client(|client| client.logout(&token))?;
        Ok(SignedOut {
            id: report.id,
            account_id: report.account_id,
            session_id: report.session_id,
        })
    }
}

svc_plugin_api::export_plugin!(Oidc, manifest = "plugin.toml", abilities = [cloud]);
