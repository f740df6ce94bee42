//! The plugins.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Authenticated, Body, Input, PathId, State};
use crate::response::Json;
use crate::views::plugins::PluginView;

/// What to do with the plugin.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum PluginActionInput {
    Release,
}

/// An action on a plugin.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ControlPluginInput {
    /// `release`: ends its quarantine.
    action: PluginActionInput,
}

impl Input for ControlPluginInput {}

/// The plugins, also those that could not be loaded
#[endpoint]
pub async fn list_plugins(state: State) -> Json<Vec<PluginView>> {
    Json(state.plugins.list().into_iter().map(PluginView::from).collect())
}

/// Releases a plugin from quarantine
///
/// A plugin that failed too often in a run of the indexer is `quarantined`: nobody calls it, and files wait for it. Once it
/// is released it is called again, and the next run reads them.
#[endpoint(responses((status_code = 409, description = "`plugin_action_conflict`: it is not quarantined")))]
pub async fn control_plugin(
    state: State,
    by: Authenticated,
    body: Body<ControlPluginInput>,
    plugin_id: PathId<String>,
) -> Result<Json<PluginView>, ApiError> {
    let status = match body.0.action {
        PluginActionInput::Release => state.plugins.release(by.0, plugin_id.0).await?,
    };
    Ok(Json(status.into()))
}
