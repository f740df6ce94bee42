//! The API of servers: registration and subscription.

use salvo::http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::cloud::Cloud;
use crate::error::Result;
use crate::http::call::Call;
use crate::http::reply::{Cache, Reply};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServerBody {
    instance_id: String,
    name: String,
}

pub(crate) async fn register(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let session = call.any_session(cloud).await?;
    let ServerBody { instance_id, name } = call.json()?;
    let session = session.intended_for(Some(&instance_id))?;
    let credential = cloud.register(&session.account.id, &instance_id, &name).await?;
    Reply::json(
        StatusCode::CREATED,
        Cache::Never,
        &json!({ "credential": credential }),
    )
}

pub(crate) async fn show_subscription(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let server = call.server(cloud).await?;
    let subscription = cloud.subscription(server.id).await?;
    let body = json!({
        "tier": subscription.tier,
        "seats": subscription.seats,
        "expiresAt": subscription.ends_at,
    });
    Reply::json(StatusCode::OK, Cache::Private, &body)
}
