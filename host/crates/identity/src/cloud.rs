//! The interface to a service that vouches for accounts: a cloud, or a provider of single sign-on.

use std::pin::Pin;
use std::time::Duration;

use crate::error::{ErrorCode, RetryReason, ServiceError, TryLater};
use svc_domain::time::Timestamp;

/// Why a request to the cloud failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CloudError {
    /// The cloud is unreachable or not configured.
    Unavailable,
    /// The configured cloud lacks this function.
    Unsupported,
    /// The cloud rejected the token, the code or the session.
    Rejected,
    /// The cloud refused, with its code: `[a-z0-9_]{1,64}`.
    Refused(String),
    /// The account that an invitation is addressed to cannot be invited.
    TargetUnavailable,
}

impl From<CloudError> for ServiceError {
    fn from(error: CloudError) -> Self {
        match error {
            CloudError::Rejected => Self::Unauthorized {
                code: Some(ErrorCode::CloudTokenRequired),
                message: "the cloud rejected this token",
            },
            // Services that expect a refusal translate it before.
            CloudError::Unavailable
            | CloudError::Unsupported
            | CloudError::Refused(_)
            | CloudError::TargetUnavailable => {
                TryLater::unavailable(RetryReason::CloudUnavailable, "the cloud cannot be reached").into()
            }
        }
    }
}

/// What the configured cloud can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CloudFeatures {
    /// Its tokens sign in.
    pub accounts: bool,
    /// Sign-in by redirect.
    pub sign_in: bool,
    /// It reports sign-outs.
    pub logout: bool,
    /// It keeps invitations.
    pub invitations: bool,
    /// It knows the subscription.
    pub licensing: bool,
    /// It knows releases.
    pub releases: bool,
}

/// An account that the cloud vouches for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CloudAccount {
    /// The service that vouches for it, `|`, and its id there: accounts of two services never have the same.
    pub id: String,
    /// A name to show.
    pub display_name: Option<String>,
    /// A name that suits as the name of a local account.
    pub username: Option<String>,
    /// Values of the claim that is mapped to roles.
    pub groups: Vec<String>,
    /// When the account's session with the cloud ends.
    pub expires_at: Option<Timestamp>,
}

/// How long a client waits for the cloud, however many requests that takes: it has its answer within 10 s.
pub(crate) const CLOUD_TIME: Duration = Duration::from_millis(9_500);
/// Longest id of an account, in bytes: issuer and subject.
const MAX_ACCOUNT_ID: usize = 1024;

impl CloudAccount {
    /// Whether its id can be stored.
    pub(crate) fn has_valid_id(&self) -> bool {
        (1..=MAX_ACCOUNT_ID).contains(&self.id.len())
    }

    /// Its id as the service itself names it.
    pub fn public_id(&self) -> &str {
        self.id.split_once('|').map_or(self.id.as_str(), |(_, id)| id)
    }

    /// Whether another account is of the same service.
    pub(crate) fn shares_service_with(&self, id: &str) -> bool {
        service_of(&self.id) == service_of(id)
    }
}

fn service_of(id: &str) -> Option<&str> {
    id.split_once('|').map(|(service, _)| service)
}

/// What a browser needs to be sent to the cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInRequest {
    /// Where the cloud sends the browser back to.
    pub redirect_uri: String,
    /// Random; repeated to the redirect URI.
    pub state: String,
    /// Random; repeated in the ID token.
    pub nonce: String,
    /// SHA-256 of the code verifier, base64url without padding.
    pub code_challenge: String,
}

/// A code that the browser brought back.
#[derive(Clone, PartialEq, Eq)]
pub struct CodeExchange {
    /// The code.
    pub code: String,
    /// That of the request.
    pub redirect_uri: String,
    /// That of the request.
    pub nonce: String,
    /// The random text behind the code challenge.
    pub code_verifier: String,
    /// The issuer that the redirect named (RFC 9207).
    pub issuer: Option<String>,
}

impl std::fmt::Debug for CodeExchange {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CodeExchange").finish_non_exhaustive()
    }
}

/// A session with the cloud.
#[derive(Clone, PartialEq, Eq)]
pub struct CloudSession {
    /// Whose it is.
    pub account: CloudAccount,
    /// What [`Cloud::validate`] and [`Cloud::revoke`] take.
    pub token: Option<String>,
    /// The id by which the cloud reports its end.
    pub session_id: Option<String>,
}

impl std::fmt::Debug for CloudSession {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("CloudSession")
            .field("account", &self.account)
            .field("session_id", &self.session_id)
            .finish_non_exhaustive()
    }
}

/// A sign-out that the cloud reports: of one session, or of all sessions of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedOut {
    /// The id of the report, which is accepted once.
    pub id: String,
    /// The account, by its id in the cloud.
    pub account_id: Option<String>,
    /// The session, by its id in the cloud.
    pub session_id: Option<String>,
}

/// This server, as it introduces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerIdentity {
    /// The id of this installation.
    pub instance_id: String,
    /// Its name.
    pub name: String,
}

/// An invitation for the cloud to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationRequest {
    /// The role that it grants.
    pub role: String,
    /// The account that it is addressed to; anyone who has the shortcode if `None`.
    pub target: Option<String>,
    /// Its end.
    pub expires_at: Timestamp,
}

/// An invitation that the cloud created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedInvitation {
    /// Its id in the cloud.
    pub id: String,
    /// Absent from an invitation that is addressed to an account.
    pub shortcode: Option<String>,
    /// As `shortcode`.
    pub url: Option<String>,
    /// Its end.
    pub expires_at: Timestamp,
}

/// What the cloud knows about an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudInvitationStatus {
    /// Nobody holds it.
    Active,
    /// An account holds it, since this time.
    Bound(Timestamp),
    /// It was used.
    Claimed,
    /// It ended unused.
    Expired,
    /// It was taken back.
    Revoked,
}

/// The subscription of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Name of the tier.
    pub tier: String,
    /// Maximum number of accounts; unlimited if `None`.
    pub seats: Option<u32>,
    /// Its end.
    pub expires_at: Option<Timestamp>,
}

/// A channel on which versions are released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudReleaseChannel {
    /// Its name in options.
    pub id: String,
    /// For whom it is.
    pub description: Option<String>,
}

/// A released version of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Semantic version.
    pub version: String,
    /// When it was released.
    pub released_at: Timestamp,
}

/// The future of a request to the cloud.
pub type CloudFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CloudError>> + Send + 'a>>;

/// Requests to the cloud. A request takes at most 9.5 s. What an implementation leaves out is unsupported.
pub trait Cloud: Send + Sync + std::fmt::Debug {
    /// What the cloud can do; nothing if none is configured.
    fn features(&self) -> CloudFeatures;

    /// Which cloud it is, such as its plugin and URL. Credentials and invitations of one are not used with another.
    fn identity(&self) -> &str {
        ""
    }

    /// Verifies a token and returns its account.
    fn account<'a>(&'a self, _token: &'a str) -> CloudFuture<'a, CloudAccount> {
        unsupported()
    }

    /// The address that a browser is sent to for a sign-in.
    fn sign_in_url(&self, _request: SignInRequest) -> CloudFuture<'_, String> {
        unsupported()
    }

    /// Exchanges the code of a sign-in for a session with the cloud.
    fn exchange(&self, _request: CodeExchange) -> CloudFuture<'_, CloudSession> {
        unsupported()
    }

    /// Whether a session with the cloud still holds. The answer replaces the session.
    fn validate<'a>(&'a self, _token: &'a str) -> CloudFuture<'a, CloudSession> {
        unsupported()
    }

    /// Ends a session with the cloud.
    fn revoke<'a>(&'a self, _token: &'a str) -> CloudFuture<'a, ()> {
        unsupported()
    }

    /// Verifies the report of a sign-out.
    fn logout<'a>(&'a self, _token: &'a str) -> CloudFuture<'a, SignedOut> {
        unsupported()
    }

    /// Registers the server on behalf of its owner, and returns its credential for invitations.
    fn credential<'a>(&'a self, _owner_token: &'a str, _server: ServerIdentity) -> CloudFuture<'a, String> {
        unsupported()
    }

    /// Creates an invitation on behalf of the account that the token belongs to.
    fn create_invitation<'a>(
        &'a self,
        _credential: &'a str,
        _token: &'a str,
        _request: InvitationRequest,
    ) -> CloudFuture<'a, CreatedInvitation> {
        unsupported()
    }

    /// Revokes an invitation; `false` if it was no longer active or bound.
    fn revoke_invitation<'a>(&'a self, _credential: &'a str, _id: &'a str) -> CloudFuture<'a, bool> {
        unsupported()
    }

    /// The status of each of the invitations, in the order of the ids; `None` for one that the cloud does not know.
    fn invitation_statuses<'a>(
        &'a self,
        _credential: &'a str,
        _ids: &'a [String],
    ) -> CloudFuture<'a, Vec<Option<CloudInvitationStatus>>> {
        unsupported()
    }

    /// The ids of this server's invitations that the token's account holds.
    fn bound_invitations<'a>(
        &'a self,
        _credential: &'a str,
        _token: &'a str,
    ) -> CloudFuture<'a, Vec<String>> {
        unsupported()
    }

    /// Tells the cloud that the token's account has claimed an invitation; `false` if it does not hold it.
    fn claim_invitation<'a>(
        &'a self,
        _credential: &'a str,
        _token: &'a str,
        _id: &'a str,
    ) -> CloudFuture<'a, bool> {
        unsupported()
    }

    /// The subscription of this server.
    fn subscription<'a>(&'a self, _credential: &'a str) -> CloudFuture<'a, Subscription> {
        unsupported()
    }

    /// The release channels.
    fn release_channels(&self) -> CloudFuture<'_, Vec<CloudReleaseChannel>> {
        unsupported()
    }

    /// The newest release of a channel.
    fn latest_release<'a>(&'a self, _channel: &'a str) -> CloudFuture<'a, Release> {
        unsupported()
    }
}

/// The implementation without a configured cloud: no request succeeds, and nothing calls out.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCloud;

impl Cloud for NoCloud {
    fn features(&self) -> CloudFeatures {
        CloudFeatures::default()
    }
}

fn unsupported<'a, T: Send + 'a>() -> CloudFuture<'a, T> {
    Box::pin(async { Err(CloudError::Unsupported) })
}
