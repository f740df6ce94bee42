//! The device's side: it polls until a user has decided, and then gets its session, once.

use crate::app::App;
use crate::capabilities_of;
use crate::device_sign_in::{DeviceSignIns, grant_error};
use crate::error::{ErrorCode, Result, ServiceError};
use crate::login::Login;
use crate::secret_token::{DeviceCode, TokenHash};
use crate::sessions::{NewSession, Proof};
use crate::throttle::ClientNetwork;
use crate::{ClientInfo, run_to_completion};
use svc_domain::device_sign_in::{DeviceSignIn, DeviceSignInStatus};
use svc_domain::session::SessionKind;
use svc_domain::time::Timestamp;
use svc_domain::user::Account;
use svc_store::IdentityChange;

/// Input of [`DeviceSignIns::redeem`].
#[derive(Debug)]
pub struct RedeemRequest {
    /// The device's code.
    pub device_code: String,
    /// The client program.
    pub client: ClientInfo,
    /// The request comes from another site; it gets no cookie.
    pub cross_site: bool,
    /// The refresh cookie of the request, whose session ends.
    pub previous: Option<String>,
}

/// What an approval stands on at the moment of its use.
struct Approver {
    account: Account,
    kind: SessionKind,
    signed_in_at: Option<Timestamp>,
}

fn expired() -> ServiceError {
    grant_error(
        ErrorCode::ExpiredToken,
        "the code is unknown, has expired or was used; start again",
    )
}

fn denied() -> ServiceError {
    grant_error(ErrorCode::AccessDenied, "the sign-in was denied")
}

impl DeviceSignIns {
    /// Opens the session of a device that a user approved. Of concurrent calls exactly one succeeds.
    ///
    /// # Errors
    /// A grant error until the approval, after a denial, and after the expiry; too many attempts; database errors.
    pub async fn redeem(&self, request: RedeemRequest) -> Result<Login> {
        let network = ClientNetwork::from(request.client.address);
        let tried = self.limits.unknown_codes.try_acquire(network);
        tried.map_err(|wait| ServiceError::throttled("unknown codes of devices", wait))?;
        let hash = DeviceCode::parse(&request.device_code)
            .ok_or_else(expired)?
            .hash();
        let device = self.devices.by_device_code(&hash).await?.ok_or_else(expired)?;
        self.limits.unknown_codes.refund(&network);
        match self.require_approved(&device) {
            Ok(()) => {}
            Err(error) if device.status == DeviceSignInStatus::Pending => {
                let is_live = device.expires_at > self.context.now();
                let on_time = !is_live || self.polling.note(device.id, self.context.now());
                return Err(if on_time { error } else { slow_down() });
            }
            Err(error) => return Err(error),
        }
        let service = self.clone();
        run_to_completion(&self.context.tasks, "device-session", async move {
            service.open(&hash, request).await
        })
        .await
    }

    fn require_approved(&self, device: &DeviceSignIn) -> Result<()> {
        if device.expires_at <= self.context.now() {
            return Err(expired());
        }
        match device.status {
            DeviceSignInStatus::Approved => Ok(()),
            DeviceSignInStatus::Denied => Err(denied()),
            DeviceSignInStatus::Pending => Err(grant_error(
                ErrorCode::AuthorizationPending,
                "nobody has approved the code yet",
            )),
        }
    }

    async fn open(&self, hash: &TokenHash, request: RedeemRequest) -> Result<Login> {
        let mut change = self.context.identity.change_identity().await?;
        // Another poll may have used the approval since.
        let device = change.device_by_device_code(hash).await?.ok_or_else(expired)?;
        self.require_approved(&device)?;
        let app = App::from_name(&device.app)
            .ok_or_else(|| ServiceError::internal("a device has an unknown app"))?;
        let Some(approver) = approver(&mut change, &device, app).await? else {
            change.withdraw_device_approval(device.id).await?;
            change.commit_without_invalidation().await?;
            return Err(denied());
        };
        if !change.redeem_device_sign_in(device.id).await? {
            return Err(expired());
        }
        let new_session = NewSession {
            app,
            kind: approver.kind,
            client: request.client,
            refreshable: !request.cross_site,
            previous: request.previous,
            proof: Proof::Approval,
            signed_in_at: approver.signed_in_at,
        };
        let user = &approver.account.user;
        let opened = self.sessions.open_within(&mut change, user, new_session).await?;
        let issued = opened.commit(change).await?;
        self.polling.forget(device.id);
        Ok(Login {
            issued,
            account: approver.account,
        })
    }
}

/// The account that approved, if it may still sign in to the app, and its session has not been ended.
async fn approver(change: &mut IdentityChange, device: &DeviceSignIn, app: App) -> Result<Option<Approver>> {
    let Some(user) = device.user else {
        return Ok(None);
    };
    let account = change.account(user).await?.filter(|account| {
        let may = capabilities_of(account).contains(app.login_capability());
        may && account.user.enabled && !account.user.is_guest
    });
    let Some(account) = account else {
        return Ok(None);
    };
    let (kind, signed_in_at) = match device.session {
        None => (SessionKind::Local, None),
        Some(session) => match change.open_session(session, user).await? {
            Some(session) => (session.kind, session.signed_in_at),
            None => return Ok(None),
        },
    };
    Ok(Some(Approver {
        account,
        kind,
        signed_in_at,
    }))
}

fn slow_down() -> ServiceError {
    grant_error(
        ErrorCode::SlowDown,
        "polled too often; wait five seconds longer between polls",
    )
}
