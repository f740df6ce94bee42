//! Invitations: an inviter with the capability gives one person an account with a role, once.
//!
//! | File | Content |
//! |---|---|
//! | `create`, `create_at_cloud`, `revoke` | what an inviter does |
//! | `claims` | what the invited person does: the account is created |
//! | `held` | the same at the sign-in of a cloud account that holds an invitation |
//! | `rules` | what an inviter may give, at creation and at each claim |
//! | `guesses` | the limit on wrong shortcodes |
//! | `shortcode` | the secrets of invitations that this server keeps |
//! | `upkeep` | expiry, and statuses from the cloud |
//!
//! A cloud with that feature keeps the invitations; otherwise this server does. Of the changes that race for an
//! invitation (claims, revocation, expiry) one wins, because each is one conditional update.

mod attempt;
pub mod claims;
mod create;
mod create_at_cloud;
mod guesses;
mod held;
mod revoke;
mod rules;
mod shortcode;
mod upkeep;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Context;
use crate::cloud::Cloud;
use crate::cloud_credential::CloudCredentials;
use crate::error::{Result, ServiceError};
use crate::invitation_observer::InvitationObserver;
use crate::keys::KeyRing;
use crate::seats::Seats;
use svc_domain::id::InvitationId;
use svc_domain::invitation::{Invitation, InvitationStatus};
use svc_store::InvitationRepository;

pub use attempt::{ClaimAttempt, ClaimMethod};
pub use create::{CreateInvitation, CreatedInvitation};
pub use shortcode::Shortcode;

/// Lifetime of an invitation.
pub const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The time in which an account may create [`DAILY_LIMIT`] invitations.
const LIMIT_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
/// Invitations that an account may create in the last 24 hours.
pub const DAILY_LIMIT: u64 = 20;

/// The invitations service, for those who invite.
#[derive(Debug, Clone)]
pub struct Invitations {
    context: Context,
    invitations: InvitationRepository,
    keys: KeyRing,
    cloud: Arc<dyn Cloud>,
    credentials: CloudCredentials,
    seats: Seats,
    observer: Arc<dyn InvitationObserver>,
    /// When a list last asked the cloud.
    synced: Arc<Mutex<Option<Instant>>>,
}

impl Invitations {
    /// Creates the service.
    pub fn new(
        context: Context,
        invitations: InvitationRepository,
        keys: KeyRing,
        cloud: Arc<dyn Cloud>,
        credentials: CloudCredentials,
        seats: Seats,
        observer: Arc<dyn InvitationObserver>,
    ) -> Self {
        Self {
            context,
            invitations,
            keys,
            cloud,
            credentials,
            seats,
            observer,
            synced: Arc::default(),
        }
    }

    /// All invitations, or those with a status; the newest first.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(&self, status: Option<InvitationStatus>) -> Result<Vec<Invitation>> {
        self.sync_for_list().await;
        let now = self.context.now();
        let invitations = self.invitations.list(status, now).await?;
        Ok(invitations.into_iter().map(|one| one.at(now)).collect())
    }

    /// An invitation.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn get(&self, id: InvitationId) -> Result<Invitation> {
        self.sync_for_list().await;
        let invitation = self.invitations.get(id).await?.ok_or(ServiceError::NotFound)?;
        Ok(invitation.at(self.context.now()))
    }
}
