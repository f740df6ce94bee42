//! The server itself: home, health, identity, versions, first run.

use std::collections::BTreeMap;

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, CreatedEmpty};
use crate::client::Client;
use crate::extract::{Input, LateBody, State};
use crate::problem::Problem;
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
pub async fn show_home() -> Answer<HomeView> {
    let endpoints = router::routes()
        .iter()
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    Answer(HomeView {
        versions: BTreeMap::from([("v1", "/api/v1")]),
        endpoints,
    })
}

/// Whether the server answers, and whether it was set up
#[endpoint]
pub async fn show_health(state: State) -> Answer<HealthView> {
    Answer(HealthView::new(state.server.is_set_up()))
}

/// Whether the server can answer questions about media
#[endpoint]
pub async fn show_ready(state: State) -> Result<Answer<ReadyView>, Problem> {
    state.server.check_ready().await?;
    Ok(Answer(ReadyView { ready: true }))
}

/// Who the server is
#[endpoint]
pub async fn show_instance(state: State) -> Answer<InstanceView> {
    Answer(state.server.instance().into())
}

/// What the server is made of
#[endpoint]
pub async fn show_versions(state: State) -> Result<Answer<VersionsView>, Problem> {
    Ok(Answer(state.server.versions().await?.into()))
}

/// First run: makes the owner
#[endpoint(responses(
    (status_code = 403, description = "The server is set up already, or the setup token is wrong"),
    (status_code = 409, description = "An option of the server holds one of the settings at another value")
))]
pub async fn set_up(
    state: State,
    client: Client,
    body: LateBody<SetupInput>,
) -> Result<CreatedEmpty, Problem> {
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
pub async fn show_release_channels(state: State) -> Answer<ReleaseChannelsView> {
    Answer(ReleaseChannelsView::new(state.cloud_info.channel()))
}

/// Whether there is a newer version
#[endpoint(responses((status_code = 503, description = "The latest version cannot be fetched, or the server runs in development mode")))]
pub async fn show_updates(state: State) -> Result<Answer<UpdatesView>, Problem> {
    Ok(Answer(state.cloud_info.latest_release().await?.into()))
}

/// What the server is licensed for
#[endpoint]
pub async fn show_subscription(state: State) -> Answer<SubscriptionView> {
    Answer(state.cloud_info.subscription().await.into())
}

/// Seats that are taken
#[endpoint]
pub async fn show_seats(state: State) -> Result<Answer<SeatsView>, Problem> {
    Ok(Answer(state.cloud_info.seats().await?.into()))
}
