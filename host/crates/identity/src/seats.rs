//! The seats of the subscription: how many accounts there may be besides the guest's.
//!
//! An invitation of the cloud needs the cloud, so a claim asks it. Accounts that are created or enabled here, or
//! created at the first sign-in with a provider, never wait for it: the last number that it reported counts, and none
//! while nothing is known.

use std::sync::{Arc, Mutex, PoisonError};

use crate::cloud::{Cloud, CloudError, Subscription};
use crate::cloud_credential::CloudCredentials;
use crate::error::{ErrorCode, Result, ServiceError};
use svc_store::IdentityChange;

/// The subscription and its seats, kept current by the upkeep of invitations. Clones share it.
#[derive(Debug, Clone)]
pub struct Seats {
    cloud: Arc<dyn Cloud>,
    credentials: CloudCredentials,
    /// As the cloud last reported it.
    reported: Arc<Mutex<Option<Subscription>>>,
}

impl Seats {
    /// Creates the service.
    pub fn new(cloud: Arc<dyn Cloud>, credentials: CloudCredentials) -> Self {
        Self {
            cloud,
            credentials,
            reported: Arc::default(),
        }
    }

    /// The number of seats as the cloud says it now; no limit without a subscription.
    ///
    /// # Errors
    /// Try later if the cloud does not respond; database errors.
    pub async fn ask(&self) -> Result<Option<u32>> {
        Ok(self.request().await?.and_then(|subscription| subscription.seats))
    }

    /// The subscription as the cloud says it now, or as it last reported it to this server if it does not respond: that is
    /// what counts for new accounts. `None` while nothing is known.
    ///
    /// # Errors
    /// Database errors.
    pub async fn subscription(&self) -> Result<Option<Subscription>> {
        match self.request().await {
            Err(ServiceError::TryLater(_)) => self.reported().await,
            outcome => outcome,
        }
    }

    async fn request(&self) -> Result<Option<Subscription>> {
        if !self.cloud.features().licensing {
            return Ok(None);
        }
        let subscription = match self.credentials.get().await? {
            None => None,
            Some(credential) => match self.cloud.subscription(credential.secret()).await {
                Ok(subscription) => Some(subscription),
                Err(CloudError::Unavailable) => return Err(CloudError::Unavailable.into()),
                Err(_) => None,
            },
        };
        self.reported
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&subscription);
        Ok(subscription)
    }

    async fn reported(&self) -> Result<Option<Subscription>> {
        let reported = self
            .reported
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        // A factory reset removes the credential, and the subscription with it.
        if reported.is_none() || self.credentials.get().await?.is_none() {
            return Ok(None);
        }
        Ok(reported)
    }

    /// The number of seats that the cloud last reported to this server. Does not wait for the cloud.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn known(&self) -> Result<Option<u32>> {
        Ok(self.reported().await?.and_then(|subscription| subscription.seats))
    }
}

/// Fails unless an account more has a seat.
pub(crate) async fn require_free(change: &mut IdentityChange, seats: Option<u32>) -> Result<()> {
    if let Some(seats) = seats
        && change.count_people().await? >= u64::from(seats)
    {
        let message = "all seats of the subscription are used";
        return Err(ServiceError::conflict(ErrorCode::SeatsExhausted, message));
    }
    Ok(())
}
