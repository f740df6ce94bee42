//! The start of a sign-in: the browser gets a cookie and is sent to the provider.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::cloud::{CloudError, SignInRequest};
use crate::error::{Result, ServiceError};
use crate::oidc::Oidc;
use crate::oidc::browser_secret::BrowserSecret;
use crate::oidc::redirect::RedirectPath;
use crate::oidc::refusal::{Refusal, SignInError};
use crate::throttle::ClientNetwork;
use crate::{AuthContext, ClientInfo, later, run_to_completion};
use svc_domain::id::{SessionId, UserId};

/// How long a sign-in may take.
pub(super) const SIGN_IN_TIME: Duration = Duration::from_secs(10 * 60);
/// How long a link ticket is valid: the app opens its address at once.
const TICKET_TIME: Duration = Duration::from_secs(60);
/// Where the content of a sign-in and of a ticket are stored.
pub(super) const SIGN_IN: &str = "sign-in";
const TICKET: &str = "link";

/// Input of [`Oidc::start`].
#[derive(Debug)]
pub struct StartRequest {
    /// The app to sign in to.
    pub app: App,
    /// Where the browser goes afterwards.
    pub redirect: RedirectPath,
    /// Shortcode of an invitation to use.
    pub invitation: Option<String>,
    /// A ticket of [`Oidc::link_ticket`].
    pub link: Option<String>,
    /// The refresh cookie of the request.
    pub refresh_cookie: Option<String>,
    /// The address of the callback on this server.
    pub redirect_uri: String,
    /// The client program.
    pub client: ClientInfo,
}

/// A started sign-in.
#[derive(Debug)]
pub struct StartedSignIn {
    /// Where the browser is sent.
    pub url: String,
    /// The cookie to set.
    pub secret: BrowserSecret,
    /// Lifetime of the cookie.
    pub max_age: Duration,
}

/// The session that asked for a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct LinkTarget {
    pub(super) user: i64,
    pub(super) session: i64,
}

/// What is remembered of a sign-in until the browser returns.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct PendingSignIn {
    pub(super) app: String,
    pub(super) redirect: String,
    pub(super) redirect_uri: String,
    pub(super) invitation: Option<String>,
    pub(super) link: Option<LinkTarget>,
}

impl Oidc {
    /// Starts a sign-in.
    ///
    /// # Errors
    /// Refused before the setup and for an invalid link ticket; unavailable without a provider; too many.
    pub async fn start(&self, request: StartRequest) -> std::result::Result<StartedSignIn, SignInError> {
        let (app, client) = (request.app, request.client.clone());
        let started = self.begin(request).await;
        started.inspect_err(|error| self.report(error, Some(app), None, &client))
    }

    async fn begin(&self, request: StartRequest) -> std::result::Result<StartedSignIn, SignInError> {
        if !self.parts.cloud.features().sign_in {
            return Err(SignInError::Unavailable);
        }
        let network = ClientNetwork::from(request.client.address);
        self.starts.try_acquire(network).map_err(SignInError::TooMany)?;
        if !self.parts.setup.has_owner().await? {
            return Err(Refusal::NotSetUp.into());
        }
        let link = match &request.link {
            Some(ticket) => Some(
                self.take_ticket(ticket, request.refresh_cookie.as_deref())
                    .await?,
            ),
            None => None,
        };
        let secret = self.new_secret()?;
        let url = self
            .parts
            .cloud
            .sign_in_url(SignInRequest {
                redirect_uri: request.redirect_uri.clone(),
                state: secret.state(),
                nonce: secret.nonce(),
                code_challenge: secret.code_challenge(),
            })
            .await?;
        let pending = PendingSignIn {
            app: request.app.as_str().to_owned(),
            redirect: request.redirect.as_str().to_owned(),
            redirect_uri: request.redirect_uri,
            invitation: request.invitation,
            link,
        };
        self.put(&secret, SIGN_IN, &pending, SIGN_IN_TIME).await?;
        Ok(StartedSignIn {
            url,
            secret,
            max_age: SIGN_IN_TIME,
        })
    }

    /// A ticket with which the browser of the caller's session starts a sign-in that links the caller's account. It is
    /// valid once, for a minute, and only in the browser that has the refresh cookie of the session: an address that was
    /// sent to somebody else links nothing.
    ///
    /// # Errors
    /// Try later without a provider; refused without a session; database errors.
    pub async fn link_ticket(&self, by: &AuthContext) -> Result<String> {
        if !self.parts.cloud.features().sign_in {
            return Err(CloudError::Unavailable.into());
        }
        let session = by.actor.session().ok_or(ServiceError::TokenNotPermitted)?;
        let target = LinkTarget {
            user: by.actor.user.id.get(),
            session: session.get(),
        };
        let secret = self.new_secret()?;
        self.put(&secret, TICKET, &target, TICKET_TIME).await?;
        Ok(secret.secret())
    }

    async fn take_ticket(
        &self,
        ticket: &str,
        refresh_cookie: Option<&str>,
    ) -> std::result::Result<LinkTarget, SignInError> {
        let secret = BrowserSecret::parse(ticket).ok_or(Refusal::LinkTicket)?;
        let target: LinkTarget = self.take(&secret, TICKET).await?.ok_or(Refusal::LinkTicket)?;
        let owner = match refresh_cookie {
            Some(cookie) => self.parts.sessions.of_cookie(cookie).await?,
            None => None,
        };
        let expected: (UserId, SessionId) = (target.user.into(), target.session.into());
        if owner != Some(expected) {
            return Err(Refusal::LinkTicket.into());
        }
        Ok(target)
    }

    fn new_secret(&self) -> Result<BrowserSecret> {
        BrowserSecret::generate(self.parts.context.random.as_ref()).map_err(ServiceError::internal)
    }

    /// Stores a value, encrypted, until [`Oidc::take`].
    async fn put(
        &self,
        secret: &BrowserSecret,
        purpose: &'static str,
        value: &impl Serialize,
        lifetime: Duration,
    ) -> Result<()> {
        let context = self.parts.context.clone();
        let (hash, keys) = (secret.hash(purpose), self.parts.keys.current());
        let value = serde_json::to_vec(value).map_err(ServiceError::internal)?;
        let sealed = keys
            .secrets
            .seal(
                context.random.as_ref(),
                &["single_use_values.content", purpose],
                &value,
            )
            .map_err(ServiceError::internal)?;
        run_to_completion(&self.parts.context.tasks, "sign-in-start", async move {
            let now = context.now();
            let mut change = context.identity.change_identity().await?;
            change
                .insert_single_use(&hash, Some(&sealed), now, later(now, lifetime))
                .await?;
            Ok(change.commit_without_invalidation().await?)
        })
        .await
    }

    /// Takes a value that was stored for a secret; `None` if there is none: it was taken before, or has expired.
    pub(super) async fn take<T: for<'de> Deserialize<'de>>(
        &self,
        secret: &BrowserSecret,
        purpose: &'static str,
    ) -> Result<Option<T>> {
        let context = self.parts.context.clone();
        let hash = secret.hash(purpose);
        let taken = run_to_completion(&self.parts.context.tasks, "sign-in-take", async move {
            let mut change = context.identity.change_identity().await?;
            let sealed = change.take_single_use(&hash, context.now()).await?;
            change.commit_without_invalidation().await?;
            Ok(sealed)
        });
        let Some(sealed) = taken.await? else {
            return Ok(None);
        };
        let keys = self.parts.keys.current();
        let opened = keys
            .secrets
            .open(&["single_use_values.content", purpose], &sealed);
        // A factory reset replaced the keys.
        Ok(opened.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}
