//! `/auth`: login, refresh, logout and the tokens that they issue.

mod access_tokens;
mod cloud_refusals;
mod cloud_sessions;
mod device;
mod login;
mod login_as_guest;
mod login_by_cloud;
mod login_cookie;
mod login_limits;
mod login_load;
mod logout;
mod oidc;
mod refresh;
mod refresh_by_cloud;
mod refresh_concurrency;
mod refresh_reuse;

use crate::support::Reply;

/// Asserts that the session has ended: 401 without a code, and the cookie is cleared.
pub(crate) fn assert_ended(reply: &Reply) {
    assert_eq!((reply.status, reply.code()), (401, None));
    assert!(reply.clears_cookie(), "{:?}", reply.headers);
    assert!(reply.header("set-cookie").contains("Path=/api/v1/auth"));
    assert_eq!(reply.header("cache-control"), "no-store");
}

const ADMIN: (&str, &str) = ("svc-app", "admin");

const MUSIC: (&str, &str) = ("svc-app", "music");
