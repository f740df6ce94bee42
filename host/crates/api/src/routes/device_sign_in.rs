//! Sign-in of devices without a browser (RFC 8628).

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input};
use crate::client::Client;
use crate::csrf::CsrfOriginCheck;
use crate::extract::{Authenticated, PathId, State};
use crate::refresh_cookie::RefreshCookie;
use crate::requested_url::ServerUrl;
use crate::response::{Created, Json, WithCookie};
use crate::views::auth::LoginView;
use crate::views::device_sign_in::{DeviceCodesView, DeviceSignInView};
use svc_identity::app::App;
use svc_identity::device_sign_in::{DeviceDecision, RedeemRequest};
use svc_identity::error::ServiceError;

/// The app that a device runs.
#[derive(Debug, Deserialize, ToSchema)]
pub struct StartDeviceSignInInput {
    /// `admin`, `music`, `photos` or `cinema`.
    app: String,
}

impl Input for StartDeviceSignInInput {}

/// The code that a device shows.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserCodeInput {
    /// As typed: in any case, with or without the hyphen.
    user_code: String,
}

impl Input for UserCodeInput {}

/// The code that a device polls with.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceCodeInput {
    /// As `POST /auth/device` returned it.
    device_code: String,
}

impl Input for DeviceCodeInput {}

/// Start the sign-in of a device
///
/// For TVs and programs without a browser (RFC 8628). The device shows `userCode`, which a signed-in user approves on
/// another device, and polls `POST /auth/device/token` with `deviceCode`.
#[endpoint(responses(
    (status_code = 403, description = "The server is not set up"),
    (status_code = 429, description = "Too many codes for this address")
))]
pub async fn start_device_sign_in(
    state: State,
    client: Client,
    server: ServerUrl,
    body: Body<StartDeviceSignInInput>,
) -> Result<Created<DeviceCodesView>, ApiError> {
    let app = App::from_name(&body.0.app);
    let app = app.ok_or_else(|| ServiceError::invalid("app", "is not the name of an app"))?;
    let started = state.device_sign_ins.start(app, client.into()).await?;
    Ok(Created(DeviceCodesView::new(&started, &server.0)))
}

/// Get what a device asks for
///
/// Show this to the user, who approves only what they have started themselves: whoever made the code gets the session. After
/// five wrong codes an account has to wait.
#[endpoint(responses((status_code = 429, description = "Too many wrong codes")))]
pub async fn get_device_sign_in(
    state: State,
    by: Authenticated,
    user_code: PathId<String>,
) -> Result<Json<DeviceSignInView>, ApiError> {
    let device = state.device_sign_ins.find(&by.0, &user_code.0).await?;
    Ok(Json(device.into()))
}

/// Approve the sign-in of a device
///
/// The device gets a session of the caller's account, which is listed with the others and can be ended there.
#[endpoint(responses(
    (status_code = 404, description = "No device shows this code"),
    (status_code = 409, description = "The device has been approved or denied already"),
    (status_code = 429, description = "Too many wrong codes")
))]
pub async fn approve_device_sign_in(
    state: State,
    by: Authenticated,
    body: Body<UserCodeInput>,
) -> Result<Created<DeviceSignInView>, ApiError> {
    decide(state, by, &body.0.user_code, DeviceDecision::Approve).await
}

/// Deny the sign-in of a device
#[endpoint(responses(
    (status_code = 404, description = "No device shows this code"),
    (status_code = 409, description = "The device has been approved or denied already"),
    (status_code = 429, description = "Too many wrong codes")
))]
pub async fn deny_device_sign_in(
    state: State,
    by: Authenticated,
    body: Body<UserCodeInput>,
) -> Result<Created<DeviceSignInView>, ApiError> {
    decide(state, by, &body.0.user_code, DeviceDecision::Deny).await
}

async fn decide(
    state: State,
    by: Authenticated,
    code: &str,
    decision: DeviceDecision,
) -> Result<Created<DeviceSignInView>, ApiError> {
    let device = state.device_sign_ins.decide(by.0, code, decision).await?;
    Ok(Created(device.into()))
}

/// Get the session of a device that was approved
///
/// 400 with the code `authorization_pending` until somebody has decided: ask again after `interval` seconds, and after
/// `slow_down` always five seconds later than before. `access_denied` and `expired_token` are final. The session is issued
/// once, with a refresh cookie as by `POST /auth/login`.
#[endpoint(responses((status_code = 429, description = "Too many unknown codes")))]
pub async fn redeem_device_code(
    state: State,
    client: Client,
    csrf_check: CsrfOriginCheck,
    cookie: RefreshCookie,
    body: Body<DeviceCodeInput>,
) -> Result<WithCookie<Created<LoginView>>, ApiError> {
    let request = RedeemRequest {
        device_code: body.0.device_code,
        client: client.into(),
        cross_site: csrf_check == CsrfOriginCheck::CrossSite,
        previous: cookie.replaced_by_sign_in(csrf_check),
    };
    let login = state.device_sign_ins.redeem(request).await?;
    Ok(cookie.signed_in(login))
}
