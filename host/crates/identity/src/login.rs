//! Sign-in: with a password, as the guest, or with a cloud account.

mod attempts;
mod by_cloud;
mod claim;

use std::time::Duration;

use crate::app::App;
use crate::cloud_accounts::CloudAccounts;
use crate::error::{LOGIN_REFUSED, Result, ServiceError};
use crate::invitations::claims::Claims;
use crate::names::username_key;
use crate::password::{NewPassword, Passwords, Verdict};
use crate::refused_sign_ins::RefusedSignIns;
use crate::sessions::{IssuedSession, NewSession, Proof, Sessions};
use crate::settings::Settings;
use crate::setup::Setup;
use crate::throttle::{ClientNetwork, LoginThrottle, Subject};
use crate::{ClientInfo, Context, capabilities_of};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::session::SessionKind;
use svc_domain::user::{Account, User};
use svc_store::UserRepository;

pub use claim::ClaimRequest;

/// How long an address counts as known after a successful login.
pub const KNOWN_ADDRESS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Input of [`Logins::sign_in`].
#[derive(Debug, Clone, Default)]
pub struct LoginRequest {
    /// The app; `None` if the client named none or an unknown one.
    pub app: Option<App>,
    /// Login name.
    pub username: Option<String>,
    /// Id of the account, as an alternative to the username.
    pub user_id: Option<String>,
    /// Plain text.
    pub password: Option<String>,
    /// A token of the cloud, as an alternative to username and password.
    pub cloud_token: Option<String>,
    /// The client program.
    pub client: ClientInfo,
    /// The request comes from another site; it gets no cookie.
    pub cross_site: bool,
    /// The refresh cookie of the request, whose session ends.
    pub previous: Option<String>,
}

/// A successful login.
#[derive(Debug)]
pub struct Login {
    /// The new session.
    pub issued: IssuedSession,
    /// The account.
    pub account: Account,
}

/// The sign-in service.
#[derive(Debug, Clone)]
pub struct Logins {
    /// Ids, clock, randomness and tasks.
    pub context: Context,
    /// Accounts.
    pub users: UserRepository,
    /// Compares and hashes passwords.
    pub passwords: Passwords,
    /// Limits wrong passwords.
    pub throttle: LoginThrottle,
    /// Receives refused sign-ins.
    pub refusals: RefusedSignIns,
    /// Opens the sessions.
    pub sessions: Sessions,
    /// Session lifetimes.
    pub settings: Settings,
    /// Whether the server has an owner.
    pub setup: Setup,
    /// Verifies cloud accounts.
    pub cloud: CloudAccounts,
    /// Creates accounts with invitations.
    pub claims: Claims,
}

impl Logins {
    /// Signs in an account to an app.
    ///
    /// # Errors
    /// Refused, always with the same message, for an unknown app or account, a wrong or missing password, a disabled
    /// account, an account that may not use the app, and before the setup. The same work is done in all cases where a
    /// password and an app were given. Too many attempts after too many wrong passwords; try later if the hashing queue
    /// is full or the cloud is unavailable; unauthorized if the cloud rejects the token.
    pub async fn sign_in(&self, request: LoginRequest) -> Result<Login> {
        let outcome = self.attempt(request).await;
        self.jitter().await?;
        outcome
    }

    async fn attempt(&self, mut request: LoginRequest) -> Result<Login> {
        if !self.setup.has_owner().await? {
            return Err(LOGIN_REFUSED);
        }
        // Decided without reading any account, so the response time reveals nothing.
        let Some(app) = request.app else {
            return self.refuse(&request, None);
        };
        let password = request.password.take();
        if let (None, Some(token)) = (&password, request.cloud_token.take()) {
            return self.sign_in_by_cloud(app, &token, request).await;
        }
        let may_be_guest = self.settings.guest_access();
        if password.is_none() && !may_be_guest {
            return self.refuse(&request, None);
        }
        let (user, hash) = self.find_user(&request).await?.unzip();
        if let Some(user) = user.as_ref().filter(|user| user.is_guest && may_be_guest) {
            return self.open_session(user.id, app, Proof::Guest, request).await;
        }
        let Some(password) = password else {
            return self.refuse(&request, user.as_ref());
        };
        let attempt = self.begin(&request, user.as_ref()).await?;
        let usable = user.as_ref().filter(|user| user.enabled && !user.is_guest);
        let hash = hash.flatten().filter(|_| usable.is_some());
        let verdict = match self
            .verify_password(&request, user.as_ref(), password.clone(), hash.clone())
            .await
        {
            Ok(verdict) => verdict,
            Err(error) => {
                // No password was compared, so the attempt is not counted.
                attempt.refund_all();
                return Err(error);
            }
        };
        let (Some(user), Verdict::Right { outdated }) = (usable, verdict) else {
            self.audit(AuditEvent::LoginFailed, &request, user.as_ref());
            return Err(LOGIN_REFUSED);
        };
        attempt.refund_all();
        let hash = hash.ok_or_else(|| ServiceError::internal("a password matched without a hash"))?;
        let hash = match outdated {
            true => self.rehash(user.id, &request.client, password, hash).await?,
            false => hash,
        };
        self.open_session(user.id, app, Proof::Password(hash), request)
            .await
    }

    /// Opens a session for an authenticated account whose roles permit the app.
    async fn open_session(
        &self,
        user: UserId,
        app: App,
        proof: Proof,
        request: LoginRequest,
    ) -> Result<Login> {
        let account = self.users.account(user).await?.ok_or(LOGIN_REFUSED)?;
        if !account.user.enabled || !capabilities_of(&account).contains(app.login_capability()) {
            return Err(LOGIN_REFUSED);
        }
        let new_session = NewSession {
            app,
            kind: match proof {
                Proof::Cloud(_) => SessionKind::Cloud,
                Proof::Password(_) | Proof::Guest | Proof::Approval => SessionKind::Local,
            },
            client: request.client,
            refreshable: !request.cross_site,
            previous: request.previous,
            proof,
            signed_in_at: Some(self.context.now()),
        };
        let issued = self.sessions.open(account.user.clone(), new_session).await?;
        Ok(Login { issued, account })
    }

    async fn find_user(&self, request: &LoginRequest) -> Result<Option<(User, Option<String>)>> {
        let id = request
            .user_id
            .as_deref()
            .and_then(|id| id.parse::<UserId>().ok());
        // Unknown accounts run the same query, so that the time does not reveal them.
        Ok(match (&request.username, id) {
            (None, Some(id)) => self.users.user_for_login_by_id(id).await?,
            (name, _) => {
                let key = username_key(name.as_deref().unwrap_or_default());
                self.users.user_for_login(&key).await?
            }
        })
    }

    /// Hashes the password with current parameters unless it was changed meanwhile; returns the new hash.
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

    /// Verifies the current password of an account that changes it, under the same limits as a login.
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
            .map_err(|wait| ServiceError::throttled("wrong passwords", wait))?;
        let hash = stored.and_then(|(_, hash)| hash);
        match self.passwords.verify(client.known(), password, hash).await? {
            Verdict::Right { .. } => {
                attempt.refund_all();
                Ok(())
            }
            Verdict::Wrong => Err(ServiceError::Refused("the current password is wrong")),
        }
    }
}
