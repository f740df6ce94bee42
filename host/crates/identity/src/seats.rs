//! The seats of the subscription: how many accounts there may be besides the guest's.
//!
//! An invitation of the cloud needs the cloud, so a claim asks it. Accounts that are created or enabled here, or
//! created at the first sign-in with a provider, never wait for it: the last number that it reported counts, and none
//! while nothing is known.

use std::sync::{Arc, Mutex, PoisonError};

use crate::cloud::{Cloud, CloudError};
use crate::cloud_credential::CloudCredentials;
use crate::error::{ErrorCode, Result, ServiceError};
use svc_store::IdentityChange;

/// The number of seats, kept current by the upkeep of invitations. Clones share it.
#[derive(Debug, Clone)]
pub struct Seats {
    cloud: Arc<dyn Cloud>,
    credentials: CloudCredentials,
    /// As the cloud last reported it; no limit if `None`.
    known: Arc<Mutex<Option<u32>>>,
}

impl Seats {
    /// Creates the service.
    pub fn new(cloud: Arc<dyn Cloud>, credentials: CloudCredentials) -> Self {
        Self {
            cloud,
            credentials,
            known: Arc::default(),
        }
    }

    /// The number of seats as the cloud says it now; no limit without a subscription.
    ///
    /// # Errors
    /// Try later if the cloud does not respond; database errors.
    pub async fn ask(&self) -> Result<Option<u32>> {
        if !self.cloud.features().licensing {
            return Ok(None);
        }
        let seats = match self.credentials.get().await? {
            None => None,
            Some(credential) => match self.cloud.subscription(credential.secret()).await {
                Ok(subscription) => subscription.seats,
                Err(CloudError::Unavailable) => return Err(CloudError::Unavailable.into()),
                Err(_) => None,
            },
        };
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = seats;
        Ok(seats)
    }

    /// The number of seats that the cloud last reported to this server. Does not wait for the cloud.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn known(&self) -> Result<Option<u32>> {
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // A factory reset removes the credential, and the subscription with it.
        if known.is_none() || self.credentials.get().await?.is_none() {
            return Ok(None);
        }
        Ok(known)
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
