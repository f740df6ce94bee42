//! The server itself: API index, health, identity, versions, setup, licensing.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::api_error::ApiError;
use crate::body::{DeferredBody, Input};
use crate::client::Client;
use crate::extract::State;
use crate::response::{CreatedEmpty, Json};
use crate::views::general::{
    HealthView, HomeView, InstanceView, ReadyView, ReleaseChannelsView, SeatsView, SubscriptionView,
    UpdatesView, VersionsView,
};
use svc_identity::setup::SetupRequest;

/// The owner account and the first settings of the server.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupInput {
    /// Name of the owner's account: 1 to 64 characters.
    username: String,
    /// Password of the owner's account: 8 to 256 bytes.
    password: String,
    /// Name of the server.
    server_name: Option<String>,
    /// Initial values of settings, by key.
    #[serde(default)]
    #[salvo(schema(value_type = BTreeMap<String, Value>))]
    settings: serde_json::Map<String, Value>,
    /// Setup token of the operator, if the server requires one.
    setup_token: Option<String>,
}

impl Input for SetupInput {}

/// List the versions and endpoints of the API
#[endpoint]
pub async fn get_home(state: State) -> Json<HomeView> {
    Json(HomeView::new(&state.routes))
}

/// Get the health of the server, and whether it is set up
#[endpoint]
pub async fn get_health(state: State) -> Json<HealthView> {
    Json(HealthView::new(state.server.is_set_up()))
}

/// Get whether the server is ready for requests about media
#[endpoint]
pub async fn get_readiness(state: State) -> Result<Json<ReadyView>, ApiError> {
    state.server.check_ready().await?;
    Ok(Json(ReadyView { ready: true }))
}

/// Get the identity of the server
#[endpoint]
pub async fn get_instance(state: State) -> Json<InstanceView> {
    Json(state.server.instance().into())
}

/// Get the versions of the server and its components
#[endpoint]
pub async fn get_versions(state: State) -> Result<Json<VersionsView>, ApiError> {
    Ok(Json(state.server.versions().await?.into()))
}

/// Set up the server: create the owner account
#[endpoint(responses(
    (status_code = 403, description = "The server is already set up, or the setup token is wrong"),
    (status_code = 409, description = "An option of the server fixes one of the settings to another value")
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
    let request = SetupRequest {
        username,
        password,
        server_name,
        settings,
        setup_token,
        client: client.into(),
    };
    state.setup.complete(request).await?;
    Ok(CreatedEmpty)
}

/// List the release channels
#[endpoint]
pub async fn list_release_channels(state: State) -> Json<ReleaseChannelsView> {
    let channels = state.cloud_info.channels().await;
    Json(ReleaseChannelsView::new(state.cloud_info.channel(), channels))
}

/// Check for a newer version of the server
#[endpoint(responses((status_code = 503, description = "The latest version cannot be fetched, or the server runs in development mode")))]
pub async fn get_updates(state: State) -> Result<Json<UpdatesView>, ApiError> {
    let release = state.cloud_info.latest_release().await?;
    Ok(Json(UpdatesView::new(&state.cloud_info, release)))
}

/// Get the subscription of the server
#[endpoint]
pub async fn get_subscription(state: State) -> Result<Json<SubscriptionView>, ApiError> {
    Ok(Json(state.cloud_info.subscription().await?.into()))
}

/// Get the number of used seats
#[endpoint]
pub async fn get_seats(state: State) -> Result<Json<SeatsView>, ApiError> {
    Ok(Json(state.cloud_info.seats().await?.into()))
}
