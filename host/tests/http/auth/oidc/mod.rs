//! Sign-in with a provider. The protocol itself is tested with a real one, in `tests/suite/program/oidc`.

mod accounts;
mod devices;
mod link;
mod logout;
mod races;
mod refresh;
mod refusals;
mod start;

use std::sync::Arc;

use crate::support::provider::{ScriptedProvider, with_provider};
use crate::support::{Reply, TestServer};
use svc_identity::oidc::{OidcPolicy, RoleMap};

/// New users get the role `music_user`; the group `media` has the role `member`.
fn policy() -> OidcPolicy {
    OidcPolicy {
        default_role: Some("music_user".to_owned()),
        role_map: RoleMap::parse("media=member").unwrap(),
        label: None,
    }
}

async fn server_with(policy: OidcPolicy) -> (TestServer, Arc<ScriptedProvider>) {
    let provider = Arc::new(ScriptedProvider::default());
    provider.knows("ada", &["media"]);
    let server = TestServer::start_with(with_provider(&provider, policy)).await;
    server.person("owner", "owner").await;
    (server, provider)
}

fn assert_failed(reply: &Reply, path: &str) {
    let location = format!("{path}?error=sign_in_failed");
    assert_eq!((reply.status, reply.header("location")), (303, location.as_str()));
    assert_eq!(reply.set_cookie(crate::support::accounts::COOKIE), None);
}
