//! Expiry, and the status of invitations that the cloud keeps.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

use crate::cloud::{CloudError, CloudInvitationStatus};
use crate::cloud_credential::Credential;
use crate::earlier;
use crate::error::Result;
use crate::invitations::Invitations;
use crate::invitations::create_at_cloud::CREDENTIAL_INVALID;
use svc_domain::invitation::{Invitation, InvitationStatus};

/// Interval of the upkeep.
const EVERY: Duration = Duration::from_secs(60);
/// A reservation of this age was left behind by a crash.
const RESERVED: Duration = Duration::from_secs(60);
/// How long a list waits for the cloud.
const LIST_WAIT: Duration = Duration::from_secs(2);
/// A list does not ask the cloud again within this time.
const FRESH: Duration = Duration::from_secs(5);
/// How long a revocation waits for its report to the cloud, which is repeated later if it fails.
const REVOKE_WAIT: Duration = Duration::from_secs(5);
/// Invitations in one request.
const BATCH: usize = 100;

impl Invitations {
    /// Keeps the statuses and the number of seats current until the server stops.
    pub async fn run(&self) {
        let mut tick = tokio::time::interval(EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            if let Err(error) = self.expire().await {
                tracing::warn!(%error, "expired invitations could not be stored");
            }
            if let Err(error) = self.sync().await {
                tracing::debug!(%error, "the cloud did not report the statuses of invitations");
            }
            if let Err(error) = self.seats.ask().await {
                tracing::debug!(%error, "the cloud did not report the seats; the last known number counts");
            }
        }
    }

    /// Stores the expiry of the invitations whose time has passed, which only publishes it: an expired invitation is
    /// refused by its time.
    ///
    /// # Errors
    /// Database errors.
    pub async fn expire(&self) -> Result<()> {
        let now = self.context.now();
        self.invitations
            .delete_reservations(earlier(now, RESERVED))
            .await?;
        for expired in self.invitations.expire(now).await? {
            self.observer.changed(&expired);
        }
        Ok(())
    }

    /// Asks the cloud for the statuses before a list, for a short time and not each time. The list shows the last known
    /// ones while the cloud is away.
    pub(super) async fn sync_for_list(&self) {
        // Another list is asking already.
        let Ok(mut last) = self.synced.try_lock() else {
            return;
        };
        if last.is_some_and(|last| last.elapsed() < FRESH) {
            return;
        }
        let outcome = tokio::time::timeout(LIST_WAIT, self.sync()).await;
        *last = Some(Instant::now());
        if !matches!(outcome, Ok(Ok(()))) {
            tracing::debug!("the list of invitations shows the last known statuses");
        }
    }

    /// Tells the cloud of revocations that it missed, and stores the statuses that it reports.
    ///
    /// # Errors
    /// Those of the cloud; database errors.
    pub async fn sync(&self) -> Result<()> {
        if !self.cloud.features().invitations {
            return Ok(());
        }
        let Some(credential) = self.credentials.get().await? else {
            return Ok(());
        };
        let (cloud, now) = (self.cloud.identity(), self.context.now());
        for revoked in self.invitations.pending_revocations(cloud, now).await? {
            self.report_revocation(&credential, &revoked).await?;
        }
        let open = self.invitations.open_at_cloud(cloud, now).await?;
        for batch in open.chunks(BATCH) {
            let ids: Vec<String> = batch
                .iter()
                .filter_map(|one| one.cloud.as_ref().map(|kept| kept.id.clone()))
                .collect();
            let statuses = self.cloud.invitation_statuses(credential.secret(), &ids).await?;
            for (invitation, status) in batch.iter().zip(statuses) {
                self.store_status(invitation, status).await?;
            }
        }
        Ok(())
    }

    async fn store_status(
        &self,
        invitation: &Invitation,
        reported: Option<CloudInvitationStatus>,
    ) -> Result<()> {
        let end = async |status| {
            let now = self.context.now();
            self.invitations.end(invitation.id, status, now).await
        };
        let changed = match reported {
            // One that the cloud does not know expires here.
            None | Some(CloudInvitationStatus::Active) => None,
            Some(CloudInvitationStatus::Bound(_)) if invitation.status == InvitationStatus::Bound => None,
            Some(CloudInvitationStatus::Bound(since)) => self.invitations.bind(invitation.id, since).await?,
            Some(CloudInvitationStatus::Claimed) => end(InvitationStatus::Claimed).await?,
            Some(CloudInvitationStatus::Expired) => end(InvitationStatus::Expired).await?,
            Some(CloudInvitationStatus::Revoked) => end(InvitationStatus::Revoked).await?,
        };
        changed.iter().for_each(|changed| self.observer.changed(changed));
        Ok(())
    }

    async fn report_revocation(&self, credential: &Credential, revoked: &Invitation) -> Result<()> {
        let Some(kept) = &revoked.cloud else {
            return Ok(());
        };
        match self.cloud.revoke_invitation(credential.secret(), &kept.id).await {
            // `false` means that the invitation has ended at the cloud, too.
            Ok(_) => Ok(self.invitations.settle_revocation(revoked.id).await?),
            // It is asked again until the invitation expires; the others do not wait for that.
            Err(CloudError::Refused(code)) if code != CREDENTIAL_INVALID => {
                tracing::debug!(invitation = %revoked.id, code, "the cloud refused to revoke an invitation");
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Tells the cloud of a revocation, which is in force here already. If the cloud is away, the upkeep tells it.
    pub(super) async fn tell_revocation(&self, revoked: &Invitation) {
        let is_current = revoked
            .cloud
            .as_ref()
            .is_some_and(|kept| kept.cloud == self.cloud.identity());
        if !is_current {
            return;
        }
        let report = async {
            match self.credentials.get().await? {
                Some(credential) => self.report_revocation(&credential, revoked).await,
                None => Ok(()),
            }
        };
        if !matches!(tokio::time::timeout(REVOKE_WAIT, report).await, Ok(Ok(()))) {
            tracing::info!(invitation = %revoked.id, "report of a revocation to the cloud postponed");
        }
    }
}
