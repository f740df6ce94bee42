//! Devices that wait to be signed in, by the hashes of their codes.

use crate::db::Database;
use crate::identity::IdentityChange;
use svc_database::args::args;
use svc_database::{Result, StoreError};
use svc_domain::device_sign_in::{DeviceSignIn, DeviceSignInStatus};
use svc_domain::id::{DeviceSignInId, SessionId, UserId};
use svc_domain::time::Timestamp;

macro_rules! select_devices {
    ($rest:literal) => {
        concat!(
            "SELECT device_sign_in_id, app, user_agent, address, created_at, expires_at, status, user_id, session_id \
             FROM device_sign_ins ",
            $rest
        )
    };
}

const BY_DEVICE_CODE: &str = select_devices!("WHERE device_code_hash = $1");
const BY_USER_CODE: &str = select_devices!("WHERE user_code_hash = $1");

#[derive(sqlx::FromRow)]
struct DeviceRow {
    device_sign_in_id: i64,
    app: String,
    user_agent: Option<String>,
    address: Option<String>,
    created_at: i64,
    expires_at: i64,
    status: String,
    user_id: Option<i64>,
    session_id: Option<i64>,
}

impl TryFrom<DeviceRow> for DeviceSignIn {
    type Error = StoreError;

    fn try_from(row: DeviceRow) -> Result<Self> {
        let status = DeviceSignInStatus::from_name(&row.status);
        Ok(Self {
            id: row.device_sign_in_id.into(),
            app: row.app,
            user_agent: row.user_agent,
            address: row.address,
            created_at: Timestamp::from_millis(row.created_at),
            expires_at: Timestamp::from_millis(row.expires_at),
            status: status.ok_or(StoreError::InvalidValue("status of a device"))?,
            user: row.user_id.map(UserId::from),
            session: row.session_id.map(SessionId::from),
        })
    }
}

/// Devices that wait to be signed in.
#[derive(Debug, Clone)]
pub struct DeviceSignInRepository {
    pub(crate) db: Database,
}

impl DeviceSignInRepository {
    /// The device with this hash of its device code.
    pub async fn by_device_code(&self, hash: &[u8]) -> Result<Option<DeviceSignIn>> {
        let row: Option<DeviceRow> = self
            .db
            .pools()
            .fetch_optional(BY_DEVICE_CODE, &args![hash])
            .await?;
        row.map(DeviceSignIn::try_from).transpose()
    }

    /// The device with this hash of its user code.
    pub async fn by_user_code(&self, hash: &[u8]) -> Result<Option<DeviceSignIn>> {
        let row: Option<DeviceRow> = self.db.pools().fetch_optional(BY_USER_CODE, &args![hash]).await?;
        row.map(DeviceSignIn::try_from).transpose()
    }
}

impl IdentityChange {
    /// Deletes devices that expired, and returns how many are left.
    pub async fn prune_device_sign_ins(&mut self, now: Timestamp) -> Result<u64> {
        self.execute("DELETE FROM device_sign_ins WHERE expires_at <= $1", &args![now])
            .await?;
        let row: Option<(i64,)> = self
            .fetch_optional("SELECT count(*) FROM device_sign_ins", &[])
            .await?;
        Ok(row.map_or(0, |(count,)| count.unsigned_abs()))
    }

    /// Adds a device with the hashes of its codes; `false` if another one has a code.
    pub async fn insert_device_sign_in(
        &mut self,
        device: &DeviceSignIn,
        device_code: &[u8],
        user_code: &[u8],
    ) -> Result<bool> {
        let sql = "INSERT INTO device_sign_ins (device_sign_in_id, device_code_hash, user_code_hash, app, user_agent, \
                   address, created_at, expires_at, status) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
                   ON CONFLICT DO NOTHING";
        let values = args![
            device.id.get(),
            device_code,
            user_code,
            device.app.as_str(),
            device.user_agent.as_deref(),
            device.address.as_deref(),
            device.created_at,
            device.expires_at,
            device.status.as_str(),
        ];
        Ok(self.execute(sql, &values).await? > 0)
    }

    /// [`DeviceSignInRepository::by_device_code`] within the transaction.
    pub async fn device_by_device_code(&mut self, hash: &[u8]) -> Result<Option<DeviceSignIn>> {
        let row: Option<DeviceRow> = self.fetch_optional(BY_DEVICE_CODE, &args![hash]).await?;
        row.map(DeviceSignIn::try_from).transpose()
    }

    /// [`DeviceSignInRepository::by_user_code`] within the transaction.
    pub async fn device_by_user_code(&mut self, hash: &[u8]) -> Result<Option<DeviceSignIn>> {
        let row: Option<DeviceRow> = self.fetch_optional(BY_USER_CODE, &args![hash]).await?;
        row.map(DeviceSignIn::try_from).transpose()
    }

    /// Stores a decision; `false` if the device has one already, or has expired.
    pub async fn decide_device_sign_in(
        &mut self,
        id: DeviceSignInId,
        status: DeviceSignInStatus,
        (user, session): (UserId, Option<SessionId>),
        now: Timestamp,
    ) -> Result<bool> {
        let sql = "UPDATE device_sign_ins SET status = $2, user_id = $3, session_id = $4 \
                   WHERE device_sign_in_id = $1 AND status = 'pending' AND expires_at > $5";
        let values = args![
            id.get(),
            status.as_str(),
            user.get(),
            session.map(SessionId::get),
            now
        ];
        Ok(self.execute(sql, &values).await? > 0)
    }

    /// Withdraws an approval: what it stood on is gone.
    pub async fn withdraw_device_approval(&mut self, id: DeviceSignInId) -> Result<()> {
        let sql = "UPDATE device_sign_ins SET status = 'denied' WHERE device_sign_in_id = $1 AND status = 'approved'";
        self.execute(sql, &args![id.get()]).await.map(drop)
    }

    /// Deletes an approved device, which gets its session in this transaction; `false` if it has got it before.
    pub async fn redeem_device_sign_in(&mut self, id: DeviceSignInId) -> Result<bool> {
        self.touches(
            "DELETE FROM device_sign_ins WHERE device_sign_in_id = $1 AND status = 'approved'",
            id.get(),
        )
        .await
    }
}
