//! The server itself: home, health, identity, versions, first run.

use std::collections::BTreeMap;

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::http::answer::{Answer, CreatedEmpty};
use crate::http::extract::{Input, LateBody, State};
use crate::http::problem::Problem;
use crate::http::router;
use crate::http::views::general::{HealthView, HomeView, InstanceView, ReadyView, VersionsView};
use crate::service::setup::SetupRequest;

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
pub async fn show_instance(state: State) -> Result<Answer<InstanceView>, Problem> {
    Ok(Answer(state.server.instance().await?.into()))
}

/// What the server is made of
#[endpoint]
pub async fn show_versions(state: State) -> Result<Answer<VersionsView>, Problem> {
    Ok(Answer(state.server.versions().await?.into()))
}

/// First run: makes the owner
#[endpoint(responses((status_code = 403, description = "The server is set up already, or the setup token is wrong")))]
pub async fn set_up(state: State, body: LateBody<SetupInput>) -> Result<CreatedEmpty, Problem> {
    state.setup.require_open().await?;
    let SetupInput {
        username,
        password,
        server_name,
        setup_token,
    } = body.0?;
    state
        .setup
        .complete(SetupRequest {
            username,
            password,
            server_name,
            setup_token,
        })
        .await?;
    Ok(CreatedEmpty)
}
