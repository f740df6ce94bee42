//! JSON of devices that wait to be signed in.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::time::Timestamp;
use svc_identity::device_sign_in::{INTERVAL, LIFETIME, StartedDeviceSignIn, WaitingDevice};

/// The page of the server at which a user enters the code of a device.
const PAGE: &str = "/device";

/// The codes of a device that waits to be signed in.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "DeviceCodes"))]
#[serde(rename_all = "camelCase")]
pub struct DeviceCodesView {
    /// What the device polls with. Secret; only this response contains it.
    device_code: String,
    /// What the device shows: eight characters with a hyphen in the middle.
    user_code: String,
    /// The page at which a user enters the code; any app in which the user is signed in will do.
    verification_uri: String,
    /// Seconds between two polls.
    interval: u64,
    /// Seconds until both codes expire.
    expires_in: u64,
}

impl DeviceCodesView {
    /// The codes, on a server of this URL.
    pub fn new(started: &StartedDeviceSignIn, server: &str) -> Self {
        Self {
            device_code: started.device_code.secret().to_owned(),
            user_code: started.user_code.clone(),
            verification_uri: format!("{server}{PAGE}"),
            interval: INTERVAL.as_secs(),
            expires_in: LIFETIME.as_secs(),
        }
    }
}

/// A device that asks to be signed in to the account of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "DeviceSignIn"))]
#[serde(rename_all = "camelCase")]
pub struct DeviceSignInView {
    /// The app that it runs.
    app: String,
    /// What the device says it is. It can say anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
    /// The address that it asked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    ip: Option<String>,
    /// When it asked.
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// When the code expires.
    #[salvo(schema(value_type = String))]
    expires_at: Timestamp,
    /// Seconds since it asked.
    age: u64,
    /// `pending`, `approved` or `denied`.
    status: &'static str,
}

impl From<WaitingDevice> for DeviceSignInView {
    fn from(WaitingDevice { device, age }: WaitingDevice) -> Self {
        Self {
            app: device.app,
            user_agent: device.user_agent,
            ip: device.address,
            created_at: device.created_at,
            expires_at: device.expires_at,
            age: age.as_secs(),
            status: device.status.as_str(),
        }
    }
}
