//! The server itself: home, health, identity, versions, first run.

use std::collections::BTreeMap;

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::api_error::ApiError;
use crate::client::Client;
use crate::extract::{DeferredBody, Input, State};
use crate::response::{CreatedEmpty, Json};
use crate::router;
use crate::views::general::{
    HealthView, HomeView, InstanceView, ReadyView, ReleaseChannelsView, SeatsView, SubscriptionView,
    UpdatesView, VersionsView,
};
use svc_identity::setup::SetupRequest;

/// What makes an owner.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupInput {
    /// Name of the owner's account: 1 to 64 characters.
    username: String,
    /// Its password: 8 to 256 bytes.
    password: String,
    /// Name of the server.
    server_name: Option<String>,
    /// First values of settings.
    #[serde(default)]
    #[salvo(schema(value_type = BTreeMap<String, Value>))]
    settings: serde_json::Map<String, Value>,
    /// The operator's secret, if the server asks for one.
    setup_token: Option<String>,
}

impl Input for SetupInput {}

/// Versions and endpoints of the API
#[endpoint]
pub async fn get_home() -> Json<HomeView> {
    let endpoints = router::routes()
        .iter()
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    Json(HomeView {
        versions: BTreeMap::from([("v1", "/api/v1")]),
        endpoints,
    })
}

/// Whether the server answers, and whether it was set up
#[endpoint]
pub async fn get_health(state: State) -> Json<HealthView> {
    Json(HealthView::new(state.server.is_set_up()))
}

/// Whether the server can answer questions about media
#[endpoint]
pub async fn get_readiness(state: State) -> Result<Json<ReadyView>, ApiError> {
    state.server.check_ready().await?;
    Ok(Json(ReadyView { ready: true }))
}

/// Who the server is
#[endpoint]
pub async fn get_instance(state: State) -> Json<InstanceView> {
    Json(state.server.instance().into())
}

/// What the server is made of
#[endpoint]
pub async fn get_versions(state: State) -> Result<Json<VersionsView>, ApiError> {
    Ok(Json(state.server.versions().await?.into()))
}

/// First run: makes the owner
#[endpoint(responses(
    (status_code = 403, description = "The server is set up already, or the setup token is wrong"),
    (status_code = 409, description = "An option of the server holds one of the settings at another value")
))]
pub async fn set_up_server(
    state: State,
    client: Client,
    body: DeferredBody<SetupInput>,
) -> Result<CreatedEmpty, ApiError> {
    state.setup.require_open().await?;
    let SetupInput {
        username,
        password,
        server_name,
        settings,
        setup_token,
    } = body.0?;
    state
        .setup
        .complete(SetupRequest {
            username,
            password,
            server_name,
            settings,
            setup_token,
            client: client.into(),
        })
        .await?;
    Ok(CreatedEmpty)
}

/// The channels of releases that the server can follow
#[endpoint]
pub async fn get_release_channels(state: State) -> Json<ReleaseChannelsView> {
    Json(ReleaseChannelsView::new(state.cloud_info.channel()))
}

/// Whether there is a newer version
#[endpoint(responses((status_code = 503, description = "The latest version cannot be fetched, or the server runs in development mode")))]
pub async fn get_updates(state: State) -> Result<Json<UpdatesView>, ApiError> {
    Ok(Json(state.cloud_info.latest_release().await?.into()))
}

/// What the server is licensed for
#[endpoint]
pub async fn get_subscription(state: State) -> Json<SubscriptionView> {
    Json(state.cloud_info.subscription().await.into())
}

/// Seats that are taken
#[endpoint]
pub async fn get_seats(state: State) -> Result<Json<SeatsView>, ApiError> {
    Ok(Json(state.cloud_info.seats().await?.into()))
}
