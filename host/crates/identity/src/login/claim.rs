//! Signing in for the first time, with an invitation.

use super::{Login, LoginRequest, Logins};
use crate::ClientInfo;
use crate::account_input::{check, check_password};
use crate::app::App;
use crate::error::{LOGIN_REFUSED, Result, ServiceError};
use crate::invitations::Shortcode;
use crate::invitations::claims::NewCredentials;
use crate::names::check_username;
use crate::sessions::Proof;

/// Input of [`Logins::claim_invitation`].
#[derive(Debug, Default)]
pub struct ClaimRequest {
    /// The app; `None` if the client named none or an unknown one.
    pub app: Option<App>,
    /// The shortcode, as the person typed it.
    pub shortcode: String,
    /// Username of the new account.
    pub username: String,
    /// Plain text.
    pub password: String,
    /// The client program.
    pub client: ClientInfo,
    /// The request comes from another site; it gets no cookie.
    pub cross_site: bool,
    /// The refresh cookie of the request, whose session ends.
    pub previous: Option<String>,
}

impl Logins {
    /// Creates an account with an invitation, and signs it in.
    ///
    /// # Errors
    /// Refused for an unknown app or one that the role does not permit; invalid input; absent if the invitation cannot
    /// be used; conflict for a name in use, or if invitations are used by signing in; too many attempts; try later if
    /// the hashing queue is full. The invitation stays open in all cases.
    pub async fn claim_invitation(&self, request: ClaimRequest) -> Result<Login> {
        let Some(app) = request.app else {
            return Err(LOGIN_REFUSED);
        };
        let mut errors = Vec::new();
        let shortcode = Shortcode::parse(&request.shortcode).ok_or_else(|| self.claims.not_a_shortcode());
        let shortcode = check(shortcode, "shortcode", &mut errors);
        let username = check(check_username(&request.username), "username", &mut errors);
        let password = check(check_password(request.password), "password", &mut errors);
        let (Some(shortcode), Some(username), Some(password)) = (shortcode, username, password) else {
            return Err(ServiceError::Invalid(errors));
        };
        let credentials = NewCredentials { username, password };
        let (account, hash) = self
            .claims
            .claim_with_password(&shortcode, credentials, app, &request.client)
            .await?;
        let login = LoginRequest {
            client: request.client,
            cross_site: request.cross_site,
            previous: request.previous,
            ..LoginRequest::default()
        };
        self.open_session(account.user.id, app, Proof::Password(hash), login)
            .await
    }
}
