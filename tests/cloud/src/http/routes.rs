//! The list of routes.

use futures_util::future::BoxFuture;
use salvo::http::Method;

use crate::cloud::Cloud;
use crate::error::Result;
use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::{accounts, discovery, invitations, pages, releases, servers};

/// Handles a request.
pub(crate) type Run = for<'a> fn(&'a Cloud, &'a Call) -> BoxFuture<'a, Result<Reply>>;

/// A method and a path with a name, by which failure switches choose it.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// Lists routes: method, path, name, handler.
macro_rules! list {
    ($($method:ident $path:literal $name:literal $run:path,)*) => {
        vec![$($crate::http::routes::Route {
            method: salvo::http::Method::$method,
            path: $path,
            name: $name,
            run: |cloud, call| Box::pin($run(cloud, call)),
        }),*]
    };
}
pub(crate) use list;

/// The protocol and the pages.
pub(crate) fn routes() -> Vec<Route> {
    list![
        GET "/.well-known/svc-cloud" "discovery" discovery::show,
        POST "/api/v1/session" "signIn" accounts::sign_in,
        DELETE "/api/v1/session" "signOut" accounts::sign_out,
        GET "/api/v1/account" "account" accounts::show_own,
        GET "/api/v1/accounts/{id}" "accounts" accounts::look_up,
        POST "/api/v1/servers" "servers" servers::register,
        POST "/api/v1/invitations" "createInvitation" invitations::create,
        DELETE "/api/v1/invitations/{id}" "revokeInvitation" invitations::revoke,
        POST "/api/v1/invitations/{id}/claim" "claimInvitation" invitations::claim,
        POST "/api/v1/invitation-statuses" "invitationStatuses" invitations::list_statuses,
        GET "/api/v1/bound-invitations" "boundInvitations" invitations::list_bound,
        POST "/api/v1/bindings" "bindings" invitations::bind,
        POST "/api/v1/approvals" "approvals" invitations::approve,
        GET "/api/v1/subscription" "subscription" servers::show_subscription,
        GET "/api/v1/release-channels" "releaseChannels" releases::list_channels,
        GET "/api/v1/release-channels/{id}/latest" "latestRelease" releases::show_latest,
        GET "/" "homePage" pages::show_home,
        GET "/style.css" "style" pages::show_style,
        GET "/sign-in" "signInPage" pages::show_sign_in,
        POST "/sign-in" "signInForm" pages::sign_in,
        POST "/sign-out" "signOutForm" pages::sign_out,
        POST "/token" "tokenForm" pages::create_token,
        GET "/invite" "invitePage" pages::show_invitation,
        GET "/invite/{id}" "shortcodePage" pages::show_invitation,
        POST "/invite" "inviteForm" pages::bind,
        GET "/approve/{id}" "approvePage" pages::show_approval,
        POST "/approve" "approveForm" pages::approve,
    ]
}
