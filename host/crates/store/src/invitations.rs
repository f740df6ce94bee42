//! Invitations, and the credentials for the clouds that keep some of them.

use crate::db::Database;
use crate::identity::IdentityChange;
use crate::users::COUNT_PEOPLE;
use svc_database::args::{Arg, args};
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::{InvitationId, UserId};
use svc_domain::invitation::{CloudInvitation, Invitation, InvitationStatus};
use svc_domain::time::Timestamp;

#[derive(sqlx::FromRow)]
struct InvitationRow {
    invitation_id: i64,
    role: String,
    status: String,
    target: Option<String>,
    cloud: Option<String>,
    cloud_invitation_id: Option<String>,
    created_by: i64,
    created_at: i64,
    expires_at: i64,
    bound_at: Option<i64>,
    claimed_at: Option<i64>,
    claimed_by: Option<i64>,
}

impl TryFrom<InvitationRow> for Invitation {
    type Error = StoreError;

    fn try_from(row: InvitationRow) -> Result<Self> {
        let status = InvitationStatus::from_name(&row.status);
        let cloud = row.cloud.zip(row.cloud_invitation_id);
        Ok(Self {
            id: row.invitation_id.into(),
            role: row.role,
            status: status.ok_or(StoreError::InvalidValue("status of an invitation"))?,
            target: row.target,
            cloud: cloud.map(|(cloud, id)| CloudInvitation { cloud, id }),
            created_by: row.created_by.into(),
            created_at: Timestamp::from_millis(row.created_at),
            expires_at: Timestamp::from_millis(row.expires_at),
            bound_at: row.bound_at.map(Timestamp::from_millis),
            claimed_at: row.claimed_at.map(Timestamp::from_millis),
            claimed_by: row.claimed_by.map(UserId::from),
        })
    }
}

/// A new invitation.
#[derive(Debug)]
pub struct NewInvitation<'a> {
    /// The invitation.
    pub invitation: &'a Invitation,
    /// The hash of its shortcode, unless a cloud keeps it.
    pub shortcode_hash: Option<&'a [u8]>,
    /// The cloud account that the inviter is linked to.
    pub creator_cloud_account: Option<&'a str>,
    /// The cloud that is asked for it; the invitation is reserved until then.
    pub reserved_for: Option<&'a str>,
}

macro_rules! columns {
    () => {
        "invitation_id, role, status, target, cloud, cloud_invitation_id, created_by, created_at, expires_at, \
         bound_at, claimed_at, claimed_by"
    };
}

macro_rules! select_invitations {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM invitations WHERE status <> 'reserved'",
            $rest
        )
    };
}

/// An update of invitations that returns the changed ones.
macro_rules! update_invitations {
    ($change:literal) => {
        concat!("UPDATE invitations SET ", $change, " RETURNING ", columns!())
    };
}

fn invitations(rows: Vec<InvitationRow>) -> Result<Vec<Invitation>> {
    rows.into_iter().map(Invitation::try_from).collect()
}

/// Invitations, and credentials for clouds.
#[derive(Debug, Clone)]
pub struct InvitationRepository {
    pub(crate) db: Database,
}

impl InvitationRepository {
    /// Invitations that have a status at a time, or all; the newest first.
    pub async fn list(&self, status: Option<InvitationStatus>, now: Timestamp) -> Result<Vec<Invitation>> {
        let sql = select_invitations!(
            " AND (CAST($1 AS TEXT) IS NULL OR $1 = CASE WHEN status IN ('active', 'bound') AND expires_at <= $2 \
             THEN 'expired' ELSE status END) ORDER BY invitation_id DESC"
        );
        let values = args![status.map(InvitationStatus::as_str), now];
        invitations(self.db.pools().fetch_all(sql, &values).await?)
    }

    /// An invitation.
    pub async fn get(&self, id: InvitationId) -> Result<Option<Invitation>> {
        let sql = select_invitations!(" AND invitation_id = $1");
        let row: Option<InvitationRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(Invitation::try_from).transpose()
    }

    /// The invitation whose shortcode has this hash.
    pub async fn by_shortcode(&self, hash: &[u8]) -> Result<Option<Invitation>> {
        let sql = select_invitations!(" AND shortcode_hash = $1");
        let row: Option<InvitationRow> = self.db.pools().fetch_optional(sql, &args![hash]).await?;
        row.map(Invitation::try_from).transpose()
    }

    /// The invitation with this id at a cloud.
    pub async fn by_cloud_id(&self, cloud: &str, id: &str) -> Result<Option<Invitation>> {
        let sql = select_invitations!(" AND cloud = $1 AND cloud_invitation_id = $2");
        let row: Option<InvitationRow> = self.db.pools().fetch_optional(sql, &args![cloud, id]).await?;
        row.map(Invitation::try_from).transpose()
    }

    /// The open invitations that a cloud keeps.
    pub async fn open_at_cloud(&self, cloud: &str, now: Timestamp) -> Result<Vec<Invitation>> {
        let sql = select_invitations!(
            " AND status IN ('active', 'bound') AND expires_at > $2 AND cloud = $1 ORDER BY invitation_id"
        );
        invitations(self.db.pools().fetch_all(sql, &args![cloud, now]).await?)
    }

    /// Revoked invitations that the cloud would still accept.
    pub async fn pending_revocations(&self, cloud: &str, now: Timestamp) -> Result<Vec<Invitation>> {
        let sql = select_invitations!(
            " AND status = 'revoked' AND expires_at > $2 AND cloud = $1 AND revocation_pending \
             ORDER BY invitation_id"
        );
        invitations(self.db.pools().fetch_all(sql, &args![cloud, now]).await?)
    }

    async fn update(&self, sql: &'static str, values: &[Arg<'_>]) -> Result<Vec<Invitation>> {
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        let rows = tx.fetch_all(sql, values).await?;
        tx.commit().await?;
        invitations(rows)
    }

    /// Records that a cloud account holds an active invitation; returns the invitation if that is new.
    pub async fn bind(&self, id: InvitationId, since: Timestamp) -> Result<Option<Invitation>> {
        let sql = update_invitations!(
            "status = 'bound', bound_at = $2 WHERE invitation_id = $1 AND status = 'active'"
        );
        Ok(self.update(sql, &args![id.get(), since]).await?.pop())
    }

    /// Records the end of an open invitation, as its cloud reports it; returns the invitation if that is new.
    pub async fn end(
        &self,
        id: InvitationId,
        status: InvitationStatus,
        now: Timestamp,
    ) -> Result<Option<Invitation>> {
        let sql = update_invitations!(
            "status = $2, claimed_at = CASE WHEN $2 = 'claimed' THEN CAST($3 AS BIGINT) ELSE claimed_at END \
             WHERE invitation_id = $1 AND status IN ('active', 'bound')"
        );
        let values = args![id.get(), status.as_str(), now];
        Ok(self.update(sql, &values).await?.pop())
    }

    /// Ends the open invitations whose time has passed; returns them.
    pub async fn expire(&self, now: Timestamp) -> Result<Vec<Invitation>> {
        let sql = update_invitations!(
            "status = 'expired' WHERE status IN ('active', 'bound') AND expires_at <= $1"
        );
        self.update(sql, &args![now]).await
    }

    /// Deletes reservations from before a time, which a crash left behind.
    pub async fn delete_reservations(&self, before: Timestamp) -> Result<()> {
        let sql = "DELETE FROM invitations WHERE status = 'reserved' AND created_at < $1";
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        tx.execute(sql, &args![before]).await?;
        tx.commit().await
    }

    /// Deletes a reservation.
    pub async fn release(&self, id: InvitationId) -> Result<()> {
        let sql = "DELETE FROM invitations WHERE status = 'reserved' AND invitation_id = $1";
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        tx.execute(sql, &args![id.get()]).await?;
        tx.commit().await
    }

    /// Records that the cloud knows of a revocation.
    pub async fn settle_revocation(&self, id: InvitationId) -> Result<()> {
        let sql = "UPDATE invitations SET revocation_pending = FALSE WHERE invitation_id = $1 AND revocation_pending";
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        tx.execute(sql, &args![id.get()]).await?;
        tx.commit().await
    }

    /// The encrypted credential for a cloud.
    pub async fn credential(&self, cloud: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT sealed FROM cloud_credentials WHERE cloud = $1";
        let row: Option<(Vec<u8>,)> = self.db.pools().fetch_optional(sql, &args![cloud]).await?;
        Ok(row.map(|(sealed,)| sealed))
    }
}

impl IdentityChange {
    /// Counts the invitations that an account, or the cloud account that it is linked to, created after a time,
    /// reserved ones included.
    pub async fn count_invitations(
        &mut self,
        creator: UserId,
        cloud_account: Option<&str>,
        after: Timestamp,
    ) -> Result<u64> {
        let sql = "SELECT count(*) FROM invitations WHERE created_at > $1 \
                   AND (created_by = $2 OR creator_cloud_account = $3)";
        let values = args![after, creator.get(), cloud_account];
        let row: Option<(i64,)> = self.fetch_optional(sql, &values).await?;
        Ok(row.map_or(0, |(count,)| count.unsigned_abs()))
    }

    /// Adds an invitation, or reserves it.
    pub async fn insert_invitation(&mut self, new: &NewInvitation<'_>) -> Result<()> {
        let sql = "INSERT INTO invitations (invitation_id, role, status, target, shortcode_hash, cloud, created_by, \
                   creator_cloud_account, created_at, expires_at, revocation_pending) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, FALSE)";
        let invitation = new.invitation;
        let status = match new.reserved_for {
            Some(_) => "reserved",
            None => invitation.status.as_str(),
        };
        let values = args![
            invitation.id.get(),
            invitation.role.as_str(),
            status,
            invitation.target.as_deref(),
            Arg::Bytes(new.shortcode_hash),
            new.reserved_for,
            invitation.created_by.get(),
            new.creator_cloud_account,
            invitation.created_at,
            invitation.expires_at,
        ];
        self.execute(sql, &values).await.map(drop)
    }

    /// Makes a reserved invitation active; `None` if the reservation is gone.
    pub async fn activate_invitation(
        &mut self,
        id: InvitationId,
        cloud_id: &str,
        expires_at: Timestamp,
    ) -> Result<Option<Invitation>> {
        let sql = update_invitations!(
            "status = 'active', cloud_invitation_id = $2, expires_at = $3 \
             WHERE invitation_id = $1 AND status = 'reserved'"
        );
        let row: Option<InvitationRow> = self
            .fetch_optional(sql, &args![id.get(), cloud_id, expires_at])
            .await?;
        row.map(Invitation::try_from).transpose()
    }

    /// Uses an open invitation for an account; `None` if it is no longer open.
    pub async fn claim_invitation(
        &mut self,
        id: InvitationId,
        account: UserId,
        now: Timestamp,
    ) -> Result<Option<Invitation>> {
        let sql = update_invitations!(
            "status = 'claimed', claimed_at = $3, claimed_by = $2, \
             bound_at = CASE WHEN cloud IS NULL THEN bound_at ELSE COALESCE(bound_at, $3) END \
             WHERE invitation_id = $1 AND status IN ('active', 'bound') AND expires_at > $3"
        );
        let row: Option<InvitationRow> = self
            .fetch_optional(sql, &args![id.get(), account.get(), now])
            .await?;
        row.map(Invitation::try_from).transpose()
    }

    /// Revokes an open invitation; `None` if it is not open.
    pub async fn revoke_invitation(
        &mut self,
        id: InvitationId,
        now: Timestamp,
    ) -> Result<Option<Invitation>> {
        let sql = update_invitations!(
            "status = 'revoked', revocation_pending = (cloud IS NOT NULL) \
             WHERE invitation_id = $1 AND status IN ('active', 'bound') AND expires_at > $2"
        );
        let row: Option<InvitationRow> = self.fetch_optional(sql, &args![id.get(), now]).await?;
        row.map(Invitation::try_from).transpose()
    }

    /// Revokes the open invitations to a role; returns them.
    pub async fn revoke_invitations_of_role(
        &mut self,
        role: &str,
        now: Timestamp,
    ) -> Result<Vec<Invitation>> {
        let sql = update_invitations!(
            "status = 'revoked', revocation_pending = (cloud IS NOT NULL) \
             WHERE role = $1 AND status IN ('active', 'bound') AND expires_at > $2"
        );
        invitations(self.fetch_all(sql, &args![role, now]).await?)
    }

    /// [`UserRepository::count_people`](crate::UserRepository::count_people) within the transaction.
    pub async fn count_people(&mut self) -> Result<u64> {
        let row: Option<(i64,)> = self.fetch_optional(COUNT_PEOPLE, &[]).await?;
        Ok(row.map_or(0, |(count,)| count.unsigned_abs()))
    }

    /// Stores the encrypted credential for a cloud in place of the previous one.
    pub async fn store_credential(&mut self, cloud: &str, sealed: &[u8], now: Timestamp) -> Result<()> {
        let sql = "INSERT INTO cloud_credentials (cloud, sealed, created_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (cloud) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at";
        self.execute(sql, &args![cloud, sealed, now]).await.map(drop)
    }
}
