//! The plugins.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::http::answer::Answer;
use crate::http::extract::State;
use crate::http::views::plugins::PluginView;

/// The plugins, also those that could not be loaded
#[endpoint]
pub async fn list_plugins(state: State) -> Answer<Vec<PluginView>> {
    Answer(state.plugins.list().into_iter().map(PluginView::from).collect())
}
