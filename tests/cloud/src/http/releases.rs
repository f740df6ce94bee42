//! The API of release channels and releases.

use salvo::http::StatusCode;
use serde_json::{Value, json};

use crate::cloud::Cloud;
use crate::error::Result;
use crate::http::call::Call;
use crate::http::reply::{Cache, Reply};
use crate::releases::Channel;

fn view_channel(channel: Channel) -> Value {
    match channel.description {
        Some(description) => json!({ "id": channel.id, "description": description }),
        None => json!({ "id": channel.id }),
    }
}

pub(crate) async fn list_channels(cloud: &Cloud, _call: &Call) -> Result<Reply> {
    let channels: Vec<Value> = cloud
        .release_channels()
        .await?
        .into_iter()
        .map(view_channel)
        .collect();
    Reply::json(StatusCode::OK, Cache::Public, &json!({ "channels": channels }))
}

pub(crate) async fn show_latest(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let release = cloud.latest_release(&call.id).await?;
    let body = json!({
        "channel": call.id,
        "version": release.version,
        "releasedAt": release.released_at,
        "key": release.key,
        "signature": release.signature,
    });
    Reply::json(StatusCode::OK, Cache::Public, &body)
}
