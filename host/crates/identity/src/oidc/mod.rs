//! Sign-in with a provider of OpenID Connect, such as Keycloak or Authentik.
//!
//! `start.rs` sends a browser to the provider, `callback.rs` receives it back with a code, `accounts.rs` finds or creates
//! the account and gives it the roles of its groups, `logout.rs` ends sessions that the provider reports as ended. The
//! protocol itself is the business of the cloud plugin `oidc`; its sessions are validated in `sessions/provider.rs`.

mod accounts;
mod browser_secret;
mod callback;
mod logout;
mod redirect;
mod refusal;
mod role_map;
mod start;

use std::sync::Arc;

use crate::Context;
use crate::cloud::Cloud;
use crate::invitations::claims::Claims;
use crate::keys::KeyRing;
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::refused_sign_ins::RefusedSignIns;
use crate::seats::Seats;
use crate::sessions::Sessions;
use crate::settings::Settings;
use crate::setup::Setup;
use crate::throttle::ClientNetwork;

pub use browser_secret::BrowserSecret;
pub use callback::{CallbackRequest, FinishedSignIn};
pub use logout::LogoutError;
pub use redirect::RedirectPath;
pub use refusal::{Refusal, SignInError};
pub use role_map::{RoleMap, mappable_role};
pub use start::{StartRequest, StartedSignIn};

/// Limit on started sign-ins of a network: each writes a row.
const START_RATE: RateLimit = RateLimit::new(30, 1);
/// Limit on reports of sign-outs of a network: each costs the verification of a signature. A provider that ends all its
/// sessions sends many at once.
const LOGOUT_RATE: RateLimit = RateLimit::new(500, 1);
/// Limit on log lines about a provider that is away: each sign-in would write one.
const OUTAGE_LINES: RateLimit = RateLimit::new(1, 60);

/// What the operator decides about accounts of the provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OidcPolicy {
    /// The role of accounts that are created at their first sign-in; without one, unknown users are refused.
    pub default_role: Option<String>,
    /// The roles that follow the groups of the provider.
    pub role_map: RoleMap,
    /// What apps write on the button.
    pub label: Option<String>,
}

/// Dependencies of [`Oidc`].
#[derive(Debug, Clone)]
pub struct OidcDependencies {
    /// Ids, clock, randomness and tasks.
    pub context: Context,
    /// Opens and ends sessions.
    pub sessions: Sessions,
    /// Uses invitations.
    pub claims: Claims,
    /// How many accounts there may be.
    pub seats: Seats,
    /// Receives refused sign-ins.
    pub refusals: RefusedSignIns,
    /// Talks to the provider.
    pub cloud: Arc<dyn Cloud>,
    /// Encrypts what a sign-in remembers.
    pub keys: KeyRing,
    /// Whether the guest may sign in.
    pub settings: Settings,
    /// Whether the server has an owner.
    pub setup: Setup,
    /// What the operator decides.
    pub policy: OidcPolicy,
}

/// The service. Clones share the limits.
#[derive(Debug, Clone)]
pub struct Oidc {
    parts: OidcDependencies,
    starts: Arc<RateLimiter<ClientNetwork>>,
    logouts: Arc<RateLimiter<ClientNetwork>>,
    outages: Arc<RateLimiter<()>>,
}

/// The methods of sign-in that the server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInMethods {
    /// The guest may sign in, without a password.
    pub guest: bool,
    /// Tokens of a cloud sign in.
    pub cloud_token: bool,
    /// By redirect to a provider, with the text of the button.
    pub provider: Option<Option<String>>,
}

impl Oidc {
    /// Creates the service.
    pub fn new(parts: OidcDependencies) -> Self {
        Self {
            parts,
            starts: Arc::new(RateLimiter::new(START_RATE)),
            logouts: Arc::new(RateLimiter::new(LOGOUT_RATE)),
            outages: Arc::new(RateLimiter::new(OUTAGE_LINES)),
        }
    }

    /// Whether a provider is configured.
    pub fn is_offered(&self) -> bool {
        self.parts.cloud.features().sign_in
    }

    /// The methods of sign-in; a password always is one.
    pub fn sign_in_methods(&self) -> SignInMethods {
        let features = self.parts.cloud.features();
        SignInMethods {
            guest: self.parts.settings.guest_access(),
            cloud_token: features.accounts,
            provider: features.sign_in.then(|| self.parts.policy.label.clone()),
        }
    }
}
