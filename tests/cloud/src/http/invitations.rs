//! The API of invitations: for servers (create, statuses, bound, claim, revoke) and for accounts (bind, approve).

use salvo::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bindings::Binding;
use crate::cloud::Cloud;
use crate::error::{Refusal, Result};
use crate::http::call::Call;
use crate::http::reply::{Cache, Reply};
use crate::invitations::{NewInvitation, Status};

/// Ids in one request for statuses.
const IDS: usize = 500;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InvitationBody {
    role: String,
    target: Option<String>,
    expires_at: i64,
}

pub(crate) async fn create(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let server = call.server(cloud).await?;
    let session = call.session(cloud, Some(&server.instance_id)).await?;
    let InvitationBody {
        role,
        target,
        expires_at,
    } = call.json()?;
    let new = NewInvitation {
        role: &role,
        target: target.as_deref(),
        expires_at,
    };
    let created = cloud.create_invitation(&server, &session.account, &new).await?;
    let mut body = json!({ "id": created.id, "expiresAt": created.expires_at });
    if let (Some(shortcode), Some(fields)) = (created.shortcode, body.as_object_mut()) {
        fields.insert(
            "url".to_owned(),
            cloud.url(&format!("/invite/{shortcode}")).into(),
        );
        fields.insert("shortcode".to_owned(), shortcode.to_string().into());
    }
    Reply::json(StatusCode::CREATED, Cache::Never, &body)
}

#[derive(Deserialize)]
struct IdsBody {
    ids: Vec<String>,
}

fn view_status(status: Option<Status>) -> Value {
    match status {
        None => Value::Null,
        Some(Status::Active) => json!({ "status": "active" }),
        Some(Status::Bound { at }) => json!({ "status": "bound", "boundAt": at }),
        Some(Status::Claimed) => json!({ "status": "claimed" }),
        Some(Status::Expired) => json!({ "status": "expired" }),
        Some(Status::Revoked) => json!({ "status": "revoked" }),
    }
}

pub(crate) async fn list_statuses(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let server = call.server(cloud).await?;
    let IdsBody { ids } = call.json()?;
    if ids.len() > IDS {
        return Err(Refusal::InvalidRequest("ids: at most 500").into());
    }
    let statuses = cloud.statuses(server.id, &ids).await?;
    let statuses: Vec<Value> = statuses.into_iter().map(view_status).collect();
    Reply::json(StatusCode::OK, Cache::Never, &json!({ "statuses": statuses }))
}

pub(crate) async fn list_bound(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let server = call.server(cloud).await?;
    let session = call.session(cloud, Some(&server.instance_id)).await?;
    let ids = cloud.bound_invitations(server.id, &session.account.id).await?;
    Reply::json(StatusCode::OK, Cache::Never, &json!({ "ids": ids }))
}

pub(crate) async fn claim(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let server = call.server(cloud).await?;
    let session = call.session(cloud, Some(&server.instance_id)).await?;
    let claimed = cloud.claim(server.id, &session.account.id, &call.id).await?;
    Reply::json(StatusCode::OK, Cache::Never, &json!({ "claimed": claimed }))
}

pub(crate) async fn revoke(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let server = call.server(cloud).await?;
    let revoked = cloud.revoke(server.id, &call.id).await?;
    Reply::json(StatusCode::OK, Cache::Never, &json!({ "revoked": revoked }))
}

fn view_binding(binding: &Binding) -> Value {
    json!({
        "id": binding.id,
        "server": { "instanceId": binding.instance_id, "name": binding.server_name },
        "role": binding.role,
        "expiresAt": binding.expires_at,
    })
}

#[derive(Deserialize)]
struct ShortcodeBody {
    shortcode: String,
}

pub(crate) async fn bind(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let session = call.any_session(cloud).await?;
    let ShortcodeBody { shortcode } = call.json()?;
    let binding = cloud
        .bind_by_shortcode(&session, &shortcode, &call.network)
        .await?;
    Reply::json(StatusCode::OK, Cache::Never, &view_binding(&binding))
}

#[derive(Deserialize)]
struct ApprovalBody {
    code: String,
}

pub(crate) async fn approve(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let session = call.any_session(cloud).await?;
    let ApprovalBody { code } = call.json()?;
    let binding = cloud.bind_by_approval(&session, &code).await?;
    Reply::json(StatusCode::OK, Cache::Never, &view_binding(&binding))
}
