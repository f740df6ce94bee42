//! `GET /.well-known/svc-cloud`.

use salvo::http::StatusCode;
use serde_json::json;

use crate::cloud::Cloud;
use crate::error::Result;
use crate::http::call::Call;
use crate::http::reply::{Cache, Reply};

pub(crate) async fn show(cloud: &Cloud, _call: &Call) -> Result<Reply> {
    let keys = cloud
        .release_keys()
        .await?
        .into_iter()
        .map(|key| match (key.signed_by, key.signature) {
            (Some(signed_by), Some(signature)) => {
                json!({ "key": key.key, "signedBy": signed_by, "signature": signature })
            }
            _ => json!({ "key": key.key }),
        });
    let body = json!({ "versions": { "1": {
        "features": ["accounts", "invitations", "licensing", "releases"],
        "endpoints": {
            "session": cloud.url("/api/v1/session"),
            "account": cloud.url("/api/v1/account"),
            "accounts": cloud.url("/api/v1/accounts"),
            "servers": cloud.url("/api/v1/servers"),
            "invitations": cloud.url("/api/v1/invitations"),
            "invitationStatuses": cloud.url("/api/v1/invitation-statuses"),
            "boundInvitations": cloud.url("/api/v1/bound-invitations"),
            "bindings": cloud.url("/api/v1/bindings"),
            "approvals": cloud.url("/api/v1/approvals"),
            "subscription": cloud.url("/api/v1/subscription"),
            "releaseChannels": cloud.url("/api/v1/release-channels"),
        },
        "releaseKeys": keys.collect::<Vec<_>>(),
    } } });
    Reply::json(StatusCode::OK, Cache::Public, &body)
}
