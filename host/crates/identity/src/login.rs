//! Signing in: with a name and a password, as the guest, or by a cloud account.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use crate::app::App;
use crate::cloud::{Cloud, CloudError};
use crate::error::{Result, ServiceError};
use crate::fair_semaphore::PermitRequest;
use crate::names::username_key;
use crate::password::{NewPassword, Passwords, Verdict};
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::sessions::{IssuedSession, NewSession, Sessions};
use crate::settings::Settings;
use crate::setup::Setup;
use crate::throttle::{Attempt, ClientNetwork, LoginThrottle, Subject};
use crate::{ClientInfo, Context, capabilities_of};
use std::sync::Arc;
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::session::SessionKind;
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, User};
use svc_store::{AuditRepository, UserRepository};

/// One text for every refusal: it must not tell whether there is such an account.
pub(super) const REFUSED: ServiceError = ServiceError::Refused("login refused");
/// Every answer is held back by a random part of this, so that what is left of a difference in time drowns.
const MAX_JITTER_MS: u8 = 20;
/// Lines of the audit log, from one address, about logins that no limit on wrong passwords bounds.
const NOTES: RateLimit = RateLimit::new(10, 60);
/// No account has this id.
const NOBODY: i64 = 0;
/// How long an address counts as known after a sign-in.
pub const KNOWN_ADDRESS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What one signs in with.
#[derive(Debug, Clone, Default)]
pub struct LoginRequest {
    /// The app; `None` if the client named none that there is.
    pub app: Option<App>,
    /// The name of the account.
    pub username: Option<String>,
    /// Or its id.
    pub user_id: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// The token of a cloud account, in place of all these.
    pub cloud_token: Option<String>,
    /// The program that signs in.
    pub client: ClientInfo,
    /// It comes from a page of another site: it gets no cookie.
    pub cross_site: bool,
    /// The refresh cookie that it sent.
    pub previous: Option<String>,
}

/// What signing in gives.
#[derive(Debug)]
pub struct Login {
    /// The session.
    pub issued: IssuedSession,
    /// The account.
    pub account: Account,
}

/// The services and repositories of [`Logins`].
#[derive(Debug)]
pub struct LoginDependencies {
    /// Ids, clock, randomness and tasks.
    pub context: Context,
    /// Accounts.
    pub users: UserRepository,
    /// Receives a line for each sign-in, successful or not.
    pub audit: AuditRepository,
    /// Compares and hashes passwords.
    pub passwords: Passwords,
    /// Limits wrong passwords.
    pub throttle: LoginThrottle,
    /// Opens the sessions.
    pub sessions: Sessions,
    /// Session lifetimes.
    pub settings: Settings,
    /// Whether the server has an owner.
    pub setup: Setup,
    /// Verifies cloud accounts.
    pub cloud: Arc<dyn Cloud>,
}

/// Signs people in.
#[derive(Debug, Clone)]
pub struct Logins {
    context: Context,
    users: UserRepository,
    audit: AuditRepository,
    passwords: Passwords,
    throttle: LoginThrottle,
    sessions: Sessions,
    settings: Settings,
    setup: Setup,
    cloud: Arc<dyn Cloud>,
    names: RandomState,
    notes: Arc<RateLimiter<ClientNetwork>>,
}

impl Logins {
    /// Over these accounts.
    pub fn new(dependencies: LoginDependencies) -> Self {
        let LoginDependencies {
            context,
            users,
            audit,
            passwords,
            throttle,
            sessions,
            settings,
            setup,
            cloud,
        } = dependencies;
        Self {
            context,
            users,
            audit,
            passwords,
            throttle,
            sessions,
            settings,
            setup,
            cloud,
            names: RandomState::new(),
            notes: Arc::new(RateLimiter::new(NOTES)),
        }
    }

    /// Signs an account in to an app.
    ///
    /// # Errors
    /// Refused, with one text, for an unknown app or account, a wrong or missing password, a disabled account and one
    /// that may not use the app; after the same work wherever a password was given for an app; and at once as long as the
    /// server is not set up, the guest of a kiosk included. Throttled after too many wrong passwords, unavailable when too
    /// many sign in at once or the cloud cannot be asked, unauthorized when it does not vouch.
    pub async fn sign_in(&self, request: LoginRequest) -> Result<Login> {
        let outcome = self.attempt(request).await;
        self.jitter().await?;
        outcome
    }

    async fn attempt(&self, mut request: LoginRequest) -> Result<Login> {
        if !self.setup.has_owner().await? {
            return Err(REFUSED);
        }
        // Whatever account it is about: nothing is looked at that could tell.
        let Some(app) = request.app else {
            return self.refuse(&request, None);
        };
        let password = request.password.take();
        if let (None, Some(token)) = (&password, request.cloud_token.take()) {
            return self.by_cloud(app, &token, request).await;
        }
        let may_be_guest = self.settings.guest_access();
        if password.is_none() && !may_be_guest {
            return self.refuse(&request, None);
        }
        let (user, hash) = self.find(&request).await?.unzip();
        if let Some(user) = user.as_ref().filter(|user| user.is_guest && may_be_guest) {
            return self.admit(user.id, app, SessionKind::Local, None, request).await;
        }
        let Some(password) = password else {
            return self.refuse(&request, user.as_ref());
        };
        let attempt = self.begin(&request, user.as_ref()).await?;
        let usable = user.as_ref().filter(|user| user.enabled && !user.is_guest);
        let hash = hash.flatten().filter(|_| usable.is_some());
        let verdict = match self
            .compare(&request, user.as_ref(), password.clone(), hash.clone())
            .await
        {
            Ok(verdict) => verdict,
            Err(error) => {
                // Nothing was compared.
                attempt.forgive();
                return Err(error);
            }
        };
        let (Some(user), Verdict::Right { outdated }) = (usable, verdict) else {
            self.note(AuditEvent::LoginFailed, &request, user.as_ref());
            return Err(REFUSED);
        };
        attempt.forgive();
        let hash = match hash {
            Some(hash) if outdated => Some(self.rehash(user.id, &request.client, password, hash).await?),
            hash => hash,
        };
        self.admit(user.id, app, SessionKind::Local, hash, request).await
    }

    /// Refuses what tries no password: it costs no hash, and may be done without end.
    fn refuse(&self, request: &LoginRequest, user: Option<&User>) -> Result<Login> {
        if self.may_note(request) {
            self.note(AuditEvent::LoginFailed, request, user);
        }
        Err(REFUSED)
    }

    /// Compares a password, or does the same work. Where others wait for that, an account's own addresses have a line
    /// of their own.
    async fn compare(
        &self,
        request: &LoginRequest,
        user: Option<&User>,
        password: String,
        hash: Option<String>,
    ) -> Result<Verdict> {
        let network = ClientNetwork::from(request.client.address);
        let known = self.passwords.all_busy() && self.is_known(user, network).await?;
        let by = PermitRequest { network, known };
        Ok(self.passwords.verify(by, password, hash).await?)
    }

    /// Whether an account has signed in from an address lately. Asked also where there is no account: it takes as long.
    async fn is_known(&self, user: Option<&User>, network: ClientNetwork) -> Result<bool> {
        let id = user.map_or_else(|| NOBODY.into(), |user| user.id);
        let known_for = i64::try_from(KNOWN_ADDRESS.as_millis()).unwrap_or(i64::MAX);
        let since = Timestamp::from_millis(self.context.now().millis().saturating_sub(known_for));
        Ok(self
            .users
            .is_known_address(id, &network.to_string(), since)
            .await?)
    }

    async fn by_cloud(&self, app: App, token: &str, request: LoginRequest) -> Result<Login> {
        let vouched = self.cloud.account(token).await.map_err(|error| match error {
            CloudError::Rejected => ServiceError::Unauthorized {
                code: None,
                message: "the cloud does not accept this token",
            },
            other => other.into(),
        })?;
        let account = self.users.account_by_cloud(&vouched.id).await?;
        let account = account.filter(|account| account.user.enabled);
        let account = account.ok_or(ServiceError::Unauthorized {
            code: None,
            message: "no account of this server is linked to the cloud account",
        })?;
        self.admit(account.user.id, app, SessionKind::Cloud, None, request)
            .await
    }

    /// The session of an account that proved who it is, if its roles let it use the app.
    async fn admit(
        &self,
        user: UserId,
        app: App,
        kind: SessionKind,
        password_hash: Option<String>,
        request: LoginRequest,
    ) -> Result<Login> {
        let account = self.users.account(user).await?.ok_or(REFUSED)?;
        if !account.user.enabled || !capabilities_of(&account).contains(app.login_capability()) {
            return Err(REFUSED);
        }
        let new_session = NewSession {
            app,
            kind,
            client: request.client,
            refreshable: !request.cross_site,
            previous: request.previous,
            password_hash,
        };
        let issued = self.sessions.open(account.user.clone(), new_session).await?;
        Ok(Login { issued, account })
    }

    async fn find(&self, request: &LoginRequest) -> Result<Option<(User, Option<String>)>> {
        let id = request
            .user_id
            .as_deref()
            .and_then(|id| id.parse::<UserId>().ok());
        // Asked in any case: an unknown account takes as long as a known one.
        Ok(match (&request.username, id) {
            (None, Some(id)) => self.users.user_for_login_by_id(id).await?,
            (name, _) => {
                let key = username_key(name.as_deref().unwrap_or_default());
                self.users.user_for_login(&key).await?
            }
        })
    }

    /// Lets a password be tried.
    async fn begin(&self, request: &LoginRequest, user: Option<&User>) -> Result<Attempt> {
        let typed = request.username.as_deref().or(request.user_id.as_deref());
        let subject = match user {
            Some(user) => Some(Subject::Account(user.id)),
            None => typed.map(|name| Subject::Name(self.names.hash_one(username_key(name)))),
        };
        let network = ClientNetwork::from(request.client.address);
        let mut begun = self.throttle.begin_in_turn(subject, network, false).await;
        if begun.is_err() && self.is_known(user, network).await? {
            begun = self.throttle.begin(subject, network, true);
        }
        begun.map_err(|retry_after| {
            if self.may_note(request) {
                self.note(AuditEvent::LoginThrottled, request, user);
            }
            ServiceError::Throttled { retry_after }
        })
    }

    /// Whether one more line may be written about somebody who may ask as often as they like.
    fn may_note(&self, request: &LoginRequest) -> bool {
        self.notes
            .try_acquire(ClientNetwork::from(request.client.address))
            .is_ok()
    }

    /// A line in the audit log that nobody waits for: it must not tell by its time whether there is such an account.
    /// The name that was typed is not written: it may be a password in the wrong field.
    fn note(&self, event: AuditEvent, request: &LoginRequest, user: Option<&User>) {
        let details: Vec<_> = request
            .app
            .iter()
            .map(|app| ("app", app.as_str().to_owned()))
            .collect();
        let entry = self
            .context
            .audit_entry(event, &request.client, None, user, &details);
        let audit = self.audit.clone();
        self.context.tasks.spawn("audit-login", async move {
            if let Err(error) = audit.write_audit(&entry).await {
                tracing::warn!(%error, "audit entry could not be stored");
            }
        });
    }

    /// Makes the hash of a password anew, unless another password was set meanwhile; gives the hash that was made.
    async fn rehash(
        &self,
        user: UserId,
        client: &ClientInfo,
        password: String,
        outdated: String,
    ) -> Result<String> {
        let Some(password) = NewPassword::new(password) else {
            return Ok(outdated);
        };
        let hash = self.passwords.hash(client.known(), password).await?;
        let mut change = self.context.identity.change_identity().await?;
        change.replace_password_hash(user, &outdated, &hash).await?;
        change.commit_without_invalidation().await?;
        Ok(hash)
    }

    /// Compares the password of an account that is changing it, within the same limits as a sign-in.
    pub(super) async fn confirm_password(
        &self,
        user: &User,
        client: &ClientInfo,
        password: String,
    ) -> Result<()> {
        let stored = self.users.user_for_login_by_id(user.id).await?;
        let network = ClientNetwork::from(client.address);
        let attempt = self
            .throttle
            .begin(Some(Subject::Account(user.id)), network, true)
            .map_err(|retry_after| ServiceError::Throttled { retry_after })?;
        let hash = stored.and_then(|(_, hash)| hash);
        match self.passwords.verify(client.known(), password, hash).await? {
            Verdict::Right { .. } => {
                attempt.forgive();
                Ok(())
            }
            Verdict::Wrong => Err(ServiceError::Refused("the current password is wrong")),
        }
    }

    async fn jitter(&self) -> Result<()> {
        let mut byte = [0];
        self.context
            .random
            .fill(&mut byte)
            .map_err(ServiceError::internal)?;
        let [byte] = byte;
        tokio::time::sleep(Duration::from_millis(u64::from(byte % (MAX_JITTER_MS + 1)))).await;
        Ok(())
    }
}
