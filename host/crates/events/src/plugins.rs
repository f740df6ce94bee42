//! Payloads of the events of plugins.

use serde::Serialize;

use crate::message::{EventKind, Message};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StateChanged<'a> {
    plugin_id: &'a str,
    version: Option<&'a str>,
    state: &'a str,
    reason: Option<&'a str>,
}

/// `plugin.state_changed`; the state of a plugin that is gone is `removed`.
pub fn state_changed(plugin_id: &str, version: Option<&str>, state: &str, reason: Option<&str>) -> Message {
    let payload = StateChanged {
        plugin_id,
        version,
        state,
        reason,
    };
    Message::new(EventKind::PluginStateChanged, &payload)
}
