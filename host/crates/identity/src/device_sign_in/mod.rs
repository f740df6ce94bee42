//! Sign-in of devices without a browser, such as TVs (RFC 8628): the device shows a short code, which a signed-in user types
//! on another device and approves; meanwhile the first one polls with a long code.
//!
//! - `decide.rs`: what the user sees, and the decision
//! - `redeem.rs`: the device fetches its session

mod decide;
mod polling;
mod redeem;

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::error::{ErrorCode, LOGIN_REFUSED, Result, ServiceError, TryLater};
use crate::keys::KeyRing;
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::refused_sign_ins::RefusedSignIns;
use crate::secret_token::{DeviceCode, TokenHash};
use crate::sessions::Sessions;
use crate::setup::Setup;
use crate::throttle::ClientNetwork;
use crate::{ClientInfo, Context, later, run_to_completion, typed_code};
use polling::Polling;
use svc_domain::device_sign_in::{DeviceSignIn, DeviceSignInStatus};
use svc_domain::id::UserId;
use svc_store::DeviceSignInRepository;

pub use decide::{DeviceDecision, WaitingDevice};
pub use polling::INTERVAL;
pub use redeem::RedeemRequest;

/// How long the codes are valid.
pub const LIFETIME: Duration = Duration::from_secs(10 * 60);
/// Characters of a user code: 40 bits, of which an account can try few.
const USER_CODE_LENGTH: usize = 8;
/// Purpose of user codes, in their hashes.
const USER_CODE: &str = "device";
/// Maximum of devices that wait. A guess at a user code hits one of them with a probability of less than 1 in 10^8.
const MAX_WAITING: u64 = 10_000;
/// How long a device waits before it asks again, if too many wait.
const RETRY_START: Duration = Duration::from_secs(60);
/// Attempts to find codes that no other device has.
const MAX_COLLISIONS: usize = 3;

/// Limit on new codes per network.
const STARTS: RateLimit = RateLimit::new(10, 30);
/// Limit on wrong user codes per account: five within the lifetime of a code.
const WRONG_BY_ACCOUNT: RateLimit = RateLimit::new(5, 120);
/// Limit on wrong user codes per network, over all accounts.
const WRONG_BY_NETWORK: RateLimit = RateLimit::new(20, 30);
/// Limit on unknown device codes per network. They cannot be guessed; the limit bounds the load.
const UNKNOWN_CODES: RateLimit = RateLimit::new(120, 1);

/// The codes of a device.
#[derive(Debug)]
pub struct StartedDeviceSignIn {
    /// For the device.
    pub device_code: DeviceCode,
    /// For its user, with a hyphen in the middle.
    pub user_code: String,
}

/// Limits of the routes.
#[derive(Debug)]
struct Limits {
    starts: RateLimiter<ClientNetwork>,
    wrong_by_account: RateLimiter<UserId>,
    wrong_by_network: RateLimiter<ClientNetwork>,
    unknown_codes: RateLimiter<ClientNetwork>,
}

/// The service for the sign-in of devices. Clones share its limits.
#[derive(Debug, Clone)]
pub struct DeviceSignIns {
    context: Context,
    devices: DeviceSignInRepository,
    sessions: Sessions,
    keys: KeyRing,
    setup: Setup,
    refusals: RefusedSignIns,
    limits: Arc<Limits>,
    polling: Arc<Polling>,
}

impl DeviceSignIns {
    /// Creates the service.
    pub fn new(
        context: Context,
        devices: DeviceSignInRepository,
        sessions: Sessions,
        keys: KeyRing,
        setup: Setup,
        refusals: RefusedSignIns,
    ) -> Self {
        Self {
            context,
            devices,
            sessions,
            keys,
            setup,
            refusals,
            limits: Arc::new(Limits {
                starts: RateLimiter::new(STARTS),
                wrong_by_account: RateLimiter::new(WRONG_BY_ACCOUNT),
                wrong_by_network: RateLimiter::new(WRONG_BY_NETWORK),
                unknown_codes: RateLimiter::new(UNKNOWN_CODES),
            }),
            polling: Arc::default(),
        }
    }

    /// Makes the codes for a device that wants to sign in to an app.
    ///
    /// # Errors
    /// Refused before the setup; too many attempts; try later if too many devices wait; database errors.
    pub async fn start(&self, app: App, client: ClientInfo) -> Result<StartedDeviceSignIn> {
        if !self.setup.has_owner().await? {
            return Err(LOGIN_REFUSED);
        }
        let network = ClientNetwork::from(client.address);
        let allowed = self.limits.starts.try_acquire(network);
        allowed.map_err(|wait| ServiceError::throttled("new codes of devices", wait))?;
        let service = self.clone();
        run_to_completion(&self.context.tasks, "device-sign-in", async move {
            service.insert(app, &client).await
        })
        .await
    }

    async fn insert(&self, app: App, client: &ClientInfo) -> Result<StartedDeviceSignIn> {
        let random = self.context.random.as_ref();
        let mut change = self.context.identity.change_identity().await?;
        let now = self.context.now();
        if change.prune_device_sign_ins(now).await? >= MAX_WAITING {
            let message = "too many devices wait to be signed in; try again";
            return Err(TryLater::busy(message, RETRY_START).into());
        }
        let device = DeviceSignIn {
            id: self.context.ids.next(now),
            app: app.as_str().to_owned(),
            user_agent: client.user_agent.clone(),
            address: client.address.map(|address| address.to_string()),
            created_at: now,
            expires_at: later(now, LIFETIME),
            status: DeviceSignInStatus::Pending,
            user: None,
            session: None,
        };
        for _ in 0..MAX_COLLISIONS {
            let device_code = DeviceCode::generate(random).map_err(ServiceError::internal)?;
            let user_code = typed_code::generate(random, USER_CODE_LENGTH).map_err(ServiceError::internal)?;
            let hash = self.user_code_hash(&user_code);
            if change
                .insert_device_sign_in(&device, &device_code.hash(), &hash)
                .await?
            {
                change.commit_without_invalidation().await?;
                return Ok(StartedDeviceSignIn {
                    device_code,
                    user_code: hyphenated(&user_code),
                });
            }
        }
        Err(ServiceError::internal("the codes of devices collide"))
    }

    fn user_code_hash(&self, code: &str) -> TokenHash {
        typed_code::hash(self.keys.current().typed_code_key(), USER_CODE, code)
    }
}

/// The form in which a device shows its code.
fn hyphenated(code: &str) -> String {
    let (first, second) = code.split_at_checked(USER_CODE_LENGTH / 2).unwrap_or((code, ""));
    format!("{first}-{second}")
}

/// An answer to a poll, as RFC 8628 names it.
fn grant_error(code: ErrorCode, message: &'static str) -> ServiceError {
    ServiceError::Grant { code, message }
}
