//! The end of a sign-in: the provider sent the browser back.

use std::result::Result;

use tokio::time::Instant;

use crate::ClientInfo;
use crate::app::App;
use crate::cloud::{CLOUD_TIME, CloudAccount, CloudSession, CodeExchange};
use crate::error::ServiceError;
use crate::oidc::Oidc;
use crate::oidc::browser_secret::BrowserSecret;
use crate::oidc::redirect::RedirectPath;
use crate::oidc::refusal::{Refusal, SignInError};
use crate::oidc::start::{PendingSignIn, SIGN_IN};
use crate::sessions::RefreshCookie;

/// Longest parameter of the redirect, in bytes.
const MAX_PARAMETER: usize = 8 * 1024;

/// What the browser brings back.
#[derive(Debug, Default)]
pub struct CallbackRequest {
    /// The cookie of [`Oidc::start`](super::Oidc::start).
    pub cookie: Option<String>,
    /// The parameters of the redirect.
    pub state: Option<String>,
    /// The code to exchange.
    pub code: Option<String>,
    /// The issuer (RFC 9207).
    pub issuer: Option<String>,
    /// The code of an error.
    pub error: Option<String>,
    /// The client program.
    pub client: ClientInfo,
}

/// A finished sign-in.
#[derive(Debug)]
pub struct FinishedSignIn {
    /// Where the browser goes, with the code of an error.
    pub location: String,
    /// The refresh cookie to set; `None` after an error and after a link.
    pub refresh_cookie: Option<RefreshCookie>,
    /// Whether the cookie of the sign-in is of no more use.
    pub is_over: bool,
}

impl Oidc {
    /// Finishes a sign-in. Errors lead to the page that started it, with one code for all refusals; the log has the
    /// reason.
    pub async fn finish(&self, request: CallbackRequest) -> FinishedSignIn {
        let client = request.client.clone();
        let (secret, pending) = match self.pending(&request).await {
            Ok(found) => found,
            Err(error) => {
                self.report(&error, None, None, &client);
                return FinishedSignIn {
                    location: RedirectPath::default().with_error(error.code()),
                    refresh_cookie: None,
                    is_over: false,
                };
            }
        };
        let redirect = RedirectPath::parse(&pending.redirect).unwrap_or_default();
        let mut account = None;
        match self.complete(&secret, &pending, request, &mut account).await {
            Ok(refresh_cookie) => FinishedSignIn {
                location: redirect.as_str().to_owned(),
                refresh_cookie,
                is_over: true,
            },
            Err(error) => {
                let app = App::from_name(&pending.app);
                self.report(&error, app, account.as_ref(), &client);
                FinishedSignIn {
                    location: redirect.with_error(error.code()),
                    refresh_cookie: None,
                    is_over: true,
                }
            }
        }
    }

    /// The sign-in of this browser, which is finished by that. A `state` of another one leaves it as it is.
    async fn pending(
        &self,
        request: &CallbackRequest,
    ) -> Result<(BrowserSecret, PendingSignIn), SignInError> {
        let cookie = request.cookie.as_deref().ok_or(Refusal::NoCookie)?;
        let secret = BrowserSecret::parse(cookie).ok_or(Refusal::NoCookie)?;
        let state = request.state.as_deref().unwrap_or_default();
        if !secret.is_state(state) {
            return Err(Refusal::OtherState.into());
        }
        let pending = self.take(&secret, SIGN_IN).await?.ok_or(Refusal::Finished)?;
        Ok((secret, pending))
    }

    /// Notes the provider's account as soon as it is known.
    async fn complete(
        &self,
        secret: &BrowserSecret,
        pending: &PendingSignIn,
        request: CallbackRequest,
        known: &mut Option<CloudAccount>,
    ) -> Result<Option<RefreshCookie>, SignInError> {
        if request.error.is_some() {
            return Err(Refusal::ErrorOfProvider.into());
        }
        let code = request.code.filter(|code| code.len() <= MAX_PARAMETER);
        let exchange = CodeExchange {
            code: code.ok_or(Refusal::NoCode)?,
            redirect_uri: pending.redirect_uri.clone(),
            nonce: secret.nonce(),
            code_verifier: secret.code_verifier(),
            issuer: request.issuer.filter(|issuer| issuer.len() <= MAX_PARAMETER),
        };
        let until = Instant::now() + CLOUD_TIME;
        // Takes that time at most.
        let session = self.parts.cloud.exchange(exchange).await?;
        if !session.account.has_valid_id() {
            return Err(Refusal::InvalidAccount.into());
        }
        *known = Some(session.account.clone());
        match pending.link {
            Some(target) => {
                self.link(target, session, request.client).await?;
                Ok(None)
            }
            None => self.open(pending, session, request.client, until).await.map(Some),
        }
    }

    async fn open(
        &self,
        pending: &PendingSignIn,
        session: CloudSession,
        client: ClientInfo,
        until: Instant,
    ) -> Result<RefreshCookie, SignInError> {
        let app =
            App::from_name(&pending.app).ok_or_else(|| ServiceError::internal("a sign-in has no app"))?;
        let shortcode = pending.invitation.as_deref();
        let account = self
            .account_of(&session.account, shortcode, app, &client, until)
            .await?;
        let issued = self
            .parts
            .sessions
            .open_with_provider(account.user, app, session, client)
            .await?;
        let cookie = issued.cookie;
        Ok(cookie.ok_or_else(|| ServiceError::internal("a session without a refresh token"))?)
    }
}
