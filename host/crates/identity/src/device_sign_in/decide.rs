//! The user's side: what asks to be signed in, and the decision.

use std::time::Duration;

use crate::app::App;
use crate::device_sign_in::{DeviceSignIns, USER_CODE_LENGTH};
use crate::error::{ErrorCode, Result, ServiceError};
use crate::secret_token::TokenHash;
use crate::throttle::ClientNetwork;
use crate::{AuthContext, run_to_completion, typed_code};
use svc_domain::audit::AuditEvent;
use svc_domain::device_sign_in::{DeviceSignIn, DeviceSignInStatus};

/// The name of the limit in the log.
const WRONG_CODES: &str = "wrong codes of devices";

/// The decision about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceDecision {
    /// It is signed in to the account of the user who decides.
    Approve,
    /// It is not signed in.
    Deny,
}

/// A device with the time since it asked.
#[derive(Debug)]
pub struct WaitingDevice {
    /// The device.
    pub device: DeviceSignIn,
    /// Time since it asked.
    pub age: Duration,
}

impl DeviceDecision {
    fn status(self) -> DeviceSignInStatus {
        match self {
            Self::Approve => DeviceSignInStatus::Approved,
            Self::Deny => DeviceSignInStatus::Denied,
        }
    }

    fn event(self) -> AuditEvent {
        match self {
            Self::Approve => AuditEvent::DeviceSignInApproved,
            Self::Deny => AuditEvent::DeviceSignInDenied,
        }
    }
}

impl DeviceSignIns {
    /// The device that shows a code.
    ///
    /// # Errors
    /// Not found; too many attempts after too many wrong codes; refused for the guest; database errors.
    pub async fn find(&self, by: &AuthContext, code: &str) -> Result<WaitingDevice> {
        let (device, _) = self.find_with_hash(by, code).await?;
        Ok(self.waiting(device))
    }

    fn waiting(&self, device: DeviceSignIn) -> WaitingDevice {
        let age = self
            .context
            .now()
            .millis()
            .saturating_sub(device.created_at.millis());
        WaitingDevice {
            device,
            age: Duration::from_millis(u64::try_from(age).unwrap_or(0)),
        }
    }

    /// Approves or denies the device that shows a code.
    ///
    /// # Errors
    /// As [`DeviceSignIns::find`]; refused if the account may not sign in to the app of the device; conflict if somebody has
    /// decided.
    pub async fn decide(
        &self,
        by: AuthContext,
        code: &str,
        decision: DeviceDecision,
    ) -> Result<WaitingDevice> {
        let (device, hash) = self.find_with_hash(&by, code).await?;
        let app = App::from_name(&device.app)
            .ok_or_else(|| ServiceError::internal("a device has an unknown app"))?;
        if decision == DeviceDecision::Approve && !by.actor.may(app.login_capability()) {
            return Err(ServiceError::Refused("your account may not sign in to this app"));
        }
        let context = self.context.clone();
        let decided = run_to_completion(&self.context.tasks, "device-decision", async move {
            let mut change = context.change_by(&by).await?;
            let (now, user) = (context.now(), &by.actor.user);
            let decided_by = (user.id, by.actor.session());
            let status = decision.status();
            if !change
                .decide_device_sign_in(device.id, status, decided_by, now)
                .await?
            {
                let device = change.device_by_user_code(&hash).await?;
                let is_live = device.is_some_and(|device| device.expires_at > now);
                return Err(if is_live {
                    decided()
                } else {
                    ServiceError::NotFound
                });
            }
            let mut details = vec![("app", device.app.clone())];
            details.extend(device.address.iter().map(|address| ("device", address.clone())));
            details.extend(device.user_agent.iter().map(|agent| ("userAgent", agent.clone())));
            let entry = context.audit_of(&by, decision.event(), Some(user), &details);
            change.audit(&entry).await?;
            change.commit_without_invalidation().await?;
            Ok(DeviceSignIn { status, ..device })
        });
        Ok(self.waiting(decided.await?))
    }

    /// Only wrong codes count as tries.
    async fn find_with_hash(&self, by: &AuthContext, code: &str) -> Result<(DeviceSignIn, TokenHash)> {
        if by.actor.user.is_guest {
            return Err(ServiceError::Refused("the guest cannot sign in devices"));
        }
        // What cannot be a code is a typing error and not a try.
        let code = typed_code::parse(code, USER_CODE_LENGTH).ok_or(ServiceError::NotFound)?;
        let found = self.find_by_code(by, &code).await;
        found.inspect_err(|error| {
            let user = Some(&*by.actor.user);
            self.refusals.of_code("device", &by.client, user, error);
        })
    }

    async fn find_by_code(&self, by: &AuthContext, code: &str) -> Result<(DeviceSignIn, TokenHash)> {
        let (user, network) = (by.actor.user.id, ClientNetwork::from(by.client.address));
        let limits = &self.limits;
        let tried = limits.wrong_by_network.try_acquire(network);
        tried.map_err(|wait| ServiceError::throttled(WRONG_CODES, wait))?;
        let tried = limits.wrong_by_account.try_acquire(user);
        tried.map_err(|wait| {
            limits.wrong_by_network.refund(&network);
            ServiceError::throttled(WRONG_CODES, wait)
        })?;
        let hash = self.user_code_hash(code);
        let device = self.devices.by_user_code(&hash).await?;
        let device = device.filter(|device| device.expires_at > self.context.now());
        let device = device.ok_or(ServiceError::NotFound)?;
        limits.wrong_by_network.refund(&network);
        limits.wrong_by_account.refund(&user);
        Ok((device, hash))
    }
}

fn decided() -> ServiceError {
    ServiceError::conflict(
        ErrorCode::DeviceSignInDecided,
        "this device has been approved or denied already",
    )
}
