//! JSON of links to cloud accounts.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::users::UserView;
use svc_identity::AuthContext;
use svc_identity::actor::AuthMethod;

/// The linked account, or the path at which linking continues.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "CloudLink"))]
#[serde(untagged)]
pub enum CloudLinkView {
    /// The account, which is linked now.
    Linked(UserView),
    /// A sign-in with the provider has to come first.
    Start(LinkStartView),
}

/// A sign-in with the provider that links the account.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "CloudLinkStart"))]
#[serde(rename_all = "camelCase")]
pub struct LinkStartView {
    /// The path that the app opens in the browser within a minute, with the parameter `redirect` added. It works once, and
    /// only in the browser of this session.
    start_path: String,
}

impl CloudLinkView {
    /// The start of a sign-in with this ticket.
    pub fn start(by: &AuthContext, ticket: &str) -> Self {
        let app = match &by.actor.auth_method {
            AuthMethod::AccessToken { app, .. } => app.as_str(),
            _ => "admin",
        };
        Self::Start(LinkStartView {
            start_path: format!("/api/v1/auth/oidc/start?app={app}&link={ticket}"),
        })
    }
}
