//! Using invitations: the account is created with the invitation's role, in one transaction.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::account_input::name_taken;
use crate::app::App;
use crate::cloud::{Cloud, CloudAccount, CloudError};
use crate::cloud_credential::CloudCredentials;
use crate::cloud_users::add_cloud_user;
use crate::error::{ErrorCode, LOGIN_REFUSED, Result, ServiceError};
use crate::fair_semaphore::PermitRequest;
use crate::invitation_observer::InvitationObserver;
use crate::invitations::attempt::{ClaimAttempt, ClaimMethod, LastAttempt};
use crate::invitations::guesses::Guesses;
use crate::invitations::rules::{UNAVAILABLE, UNAVAILABLE_HERE, given_role};
use crate::invitations::shortcode::Shortcode;
use crate::keys::KeyRing;
use crate::names::username_key;
use crate::password::{NewPassword, Passwords};
use crate::refused_sign_ins::RefusedSignIns;
use crate::role::Role;
use crate::roles::{RoleInfo, find_role};
use crate::seats::{Seats, require_free};
use crate::throttle::ClientNetwork;
use crate::{ClientInfo, Context, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::invitation::Invitation;
use svc_domain::time::Timestamp;
use svc_domain::user::Account;
use svc_store::{IdentityChange, InvitationRepository, NewUser, RoleRepository, UserRepository};

/// How long a claim waits for the number of seats.
const SEATS_WAIT: Duration = Duration::from_secs(5);

/// Dependencies of [`Claims`].
#[derive(Debug, Clone)]
pub struct ClaimsDependencies {
    /// Ids, clock, randomness and tasks.
    pub context: Context,
    /// Invitations.
    pub invitations: InvitationRepository,
    /// Accounts of inviters.
    pub users: UserRepository,
    /// Custom roles.
    pub roles: RoleRepository,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// The key of shortcodes.
    pub keys: KeyRing,
    /// Decides how invitations are used.
    pub cloud: Arc<dyn Cloud>,
    /// The credential for the cloud.
    pub credentials: CloudCredentials,
    /// How many accounts there may be.
    pub seats: Seats,
    /// Receives wrong shortcodes.
    pub refusals: RefusedSignIns,
    /// Receives claimed invitations.
    pub observer: Arc<dyn InvitationObserver>,
}

/// The claims service.
#[derive(Debug, Clone)]
pub struct Claims {
    pub(super) parts: ClaimsDependencies,
    guesses: Guesses,
    pub(super) last: LastAttempt,
}

/// Who uses an invitation.
#[derive(Debug, Clone)]
pub(super) enum Claimant {
    /// Somebody who chose a name and a password.
    Local { username: String, password_hash: String },
    /// A cloud account.
    Cloud(CloudAccount),
}

/// A name and password for the account that an invitation creates.
#[derive(Debug)]
pub struct NewCredentials {
    /// A valid username.
    pub username: String,
    /// A valid password.
    pub password: NewPassword,
}

/// What an open invitation offers to whoever has its shortcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimOffer {
    /// Name of the role.
    pub role: String,
    /// When the invitation ends.
    pub expires_at: Timestamp,
}

impl Claims {
    /// Creates the service.
    pub fn new(parts: ClaimsDependencies) -> Self {
        Self {
            parts,
            guesses: Guesses::default(),
            last: LastAttempt::default(),
        }
    }

    /// The last attempt since the start of the server.
    pub fn last_attempt(&self) -> Option<ClaimAttempt> {
        self.last.get()
    }

    /// What an open invitation offers.
    ///
    /// # Errors
    /// Absent if it cannot be used, for any reason; too many attempts; database errors.
    pub async fn offer(&self, shortcode: Option<&Shortcode>, client: &ClientInfo) -> Result<ClaimOffer> {
        let found = match shortcode {
            Some(shortcode) => self.find_open(shortcode, client).await,
            None => Err(UNAVAILABLE),
        };
        let invitation = found.map_err(|error| self.or_at_cloud(error))?;
        Ok(ClaimOffer {
            role: invitation.role,
            expires_at: invitation.expires_at,
        })
    }

    /// Uses an invitation for a new account with a name and password, which may sign in to `app`.
    ///
    /// # Errors
    /// As [`Claims::offer`]; conflict for a name in use, without a free seat, and for a server whose invitations are used by signing in;
    /// refused if the role does not permit the app, which leaves the invitation open; try later if the hashing queue is
    /// full.
    pub async fn claim_with_password(
        &self,
        shortcode: &Shortcode,
        credentials: NewCredentials,
        app: App,
        client: &ClientInfo,
    ) -> Result<(Account, String)> {
        let found = self.find_open(shortcode, client).await;
        let invitation = found.as_ref().ok().map(|invitation| invitation.id);
        let claimed = match found {
            Ok(invitation) => self.claim_locally(invitation, credentials, app, client).await,
            Err(error) => Err(error),
        };
        let now = self.parts.context.now();
        self.last.record(now, ClaimMethod::Password, invitation, &claimed);
        claimed.map_err(|error| self.or_at_cloud(error))
    }

    /// Why a text is no shortcode, for the client.
    pub(crate) fn not_a_shortcode(&self) -> &'static str {
        if self.parts.cloud.features().invitations {
            "is not a shortcode of this server; accept invitations of the cloud at the cloud"
        } else {
            "is not a shortcode"
        }
    }

    /// The error of an invitation that cannot be used, for whatever reason, names the cloud if that keeps invitations: its
    /// shortcodes are unknown here.
    fn or_at_cloud(&self, error: ServiceError) -> ServiceError {
        match error {
            ServiceError::Absent {
                code: ErrorCode::InvitationUnavailable,
                ..
            } if self.parts.cloud.features().invitations => UNAVAILABLE_HERE,
            other => other,
        }
    }

    async fn claim_locally(
        &self,
        invitation: Invitation,
        credentials: NewCredentials,
        app: App,
        client: &ClientInfo,
    ) -> Result<(Account, String)> {
        if self.parts.cloud.features().sign_in {
            return Err(ServiceError::conflict(
                ErrorCode::SignInRequired,
                "invitations of this server are used by signing in",
            ));
        }
        let by = PermitRequest {
            network: client.address.into(),
            known: false,
        };
        let password_hash = self.parts.passwords.hash(by, credentials.password).await?;
        let claimant = Claimant::Local {
            username: credentials.username,
            password_hash: password_hash.clone(),
        };
        let until = Instant::now() + SEATS_WAIT;
        let account = self.claim(invitation, claimant, app, client, until).await?;
        Ok((account, password_hash))
    }

    /// Uses an invitation of this server for a new account that is linked to a cloud account, which has just signed in.
    /// The caller opens the session. An account that is linked to the cloud account already is returned, and the
    /// invitation stays open. The cloud is waited for until this time.
    ///
    /// # Errors
    /// As [`Claims::offer`]; refused if the role does not permit the app, which leaves the invitation open.
    pub async fn claim_with_account(
        &self,
        shortcode: &Shortcode,
        vouched: CloudAccount,
        app: App,
        client: &ClientInfo,
        until: Instant,
    ) -> Result<Account> {
        let found = self.find_open(shortcode, client).await;
        let invitation = found.as_ref().ok().map(|invitation| invitation.id);
        let claimed = match found {
            Ok(invitation) => {
                let until = until.min(Instant::now() + SEATS_WAIT);
                self.claim(invitation, Claimant::Cloud(vouched), app, client, until)
                    .await
            }
            Err(error) => Err(error),
        };
        let now = self.parts.context.now();
        self.last.record(now, ClaimMethod::SignIn, invitation, &claimed);
        claimed
    }

    /// Whether a cloud account has an account here: it needs no invitation.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn has_account(&self, vouched: &CloudAccount) -> Result<bool> {
        Ok(self.parts.users.account_by_cloud(&vouched.id).await?.is_some())
    }

    /// The invitation with a shortcode, open or not.
    async fn find(&self, shortcode: &Shortcode, client: &ClientInfo) -> Result<Invitation> {
        let found = self.find_by_shortcode(shortcode, client).await;
        found.inspect_err(|error| self.parts.refusals.of_code("invitation", client, None, error))
    }

    async fn find_by_shortcode(&self, shortcode: &Shortcode, client: &ClientInfo) -> Result<Invitation> {
        let network = ClientNetwork::from(client.address);
        self.guesses.check(network)?;
        let hash = shortcode.hash(self.parts.keys.current().typed_code_key());
        match self.parts.invitations.by_shortcode(&hash).await? {
            Some(invitation) => {
                self.guesses.check(network)?;
                Ok(invitation)
            }
            None => {
                self.guesses.count(network)?;
                Err(UNAVAILABLE)
            }
        }
    }

    async fn find_open(&self, shortcode: &Shortcode, client: &ClientInfo) -> Result<Invitation> {
        let invitation = self.find(shortcode, client).await?;
        self.require_open(&invitation).await?;
        Ok(invitation)
    }

    /// Checks what the claim checks again in its transaction.
    async fn require_open(&self, invitation: &Invitation) -> Result<()> {
        if !invitation.is_open(self.parts.context.now()) {
            return Err(UNAVAILABLE);
        }
        let inviter = self.parts.users.account(invitation.created_by).await?;
        let role = match Role::from_name(&invitation.role) {
            Some(role) => Some(role.into()),
            None => {
                let custom = self.parts.roles.custom_roles().await?.into_iter();
                let mut custom = custom.filter(|role| role.name == invitation.role);
                custom.next().map(RoleInfo::from)
            }
        };
        given_role(inviter, role).map(drop)
    }

    /// Uses an invitation: of parallel claims one succeeds. The cloud is waited for until this time.
    pub(super) async fn claim(
        &self,
        invitation: Invitation,
        claimant: Claimant,
        app: App,
        client: &ClientInfo,
        until: Instant,
    ) -> Result<Account> {
        let seats = timeout_at(until, self.parts.seats.ask()).await;
        let seats = seats.unwrap_or_else(|_| Err(CloudError::Unavailable.into()))?;
        let (this, client) = (self.clone(), client.clone());
        run_to_completion(&self.parts.context.tasks, "invitation-claim", async move {
            let context = &this.parts.context;
            let mut change = context.identity.change_identity().await?;
            let now = context.now();
            if let Claimant::Cloud(vouched) = &claimant
                && let Some(linked) = change.account_by_cloud(&vouched.id).await?
            {
                return Ok(linked);
            }
            let inviter = change.account(invitation.created_by).await?;
            let role = find_role(&mut change, &invitation.role).await?;
            let role = given_role(inviter, role)?;
            if !role.capabilities.contains(app.login_capability()) {
                return Err(LOGIN_REFUSED);
            }
            require_free(&mut change, seats).await?;
            let user = add_account(context, &mut change, claimant, now).await?;
            let claimed = change.claim_invitation(invitation.id, user, now).await?;
            let claimed = claimed.ok_or(UNAVAILABLE)?;
            change.assign_role(user, &role.name, now).await?;
            let account = change
                .account(user)
                .await?
                .ok_or_else(|| ServiceError::internal("the new account cannot be read back"))?;
            let details = [("invitationId", claimed.id.to_string()), ("role", role.name)];
            let event = AuditEvent::InvitationClaimed;
            let entry = context.audit_entry(event, &client, None, Some(&account.user), &details);
            change.audit(&entry).await?;
            change.commit().await?;
            this.parts.observer.changed(&claimed);
            Ok(account)
        })
        .await
    }
}

/// Adds the account of a claimant, without a role.
async fn add_account(
    context: &Context,
    change: &mut IdentityChange,
    claimant: Claimant,
    now: Timestamp,
) -> Result<UserId> {
    let added = match claimant {
        Claimant::Local {
            username,
            password_hash,
        } => {
            let user = NewUser {
                id: context.ids.next(now),
                username_key: username_key(&username),
                username,
                display_name: None,
                password_hash: Some(password_hash),
                is_owner: false,
                is_guest: false,
                created_at: now,
            };
            change.insert_user(&user).await?.then_some(user.id)
        }
        Claimant::Cloud(vouched) => add_cloud_user(context, change, &vouched).await?,
    };
    added.ok_or_else(name_taken)
}
