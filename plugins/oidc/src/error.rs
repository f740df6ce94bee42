//! Why a request failed. The texts go to the log of the server; none of them contains a token or a claim of a user.

use thiserror::Error;

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// The provider lacks this function.
    #[error("the provider does not offer {0}")]
    Unsupported(&'static str),
    /// The provider cannot be reached, or its answer makes no sense.
    #[error("provider not available: {0}")]
    Unavailable(Outage),
    /// The provider or the verification of a token refused.
    #[error("rejected: {0}")]
    Rejected(#[from] Refusal),
}

/// Why the provider cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Outage {
    /// The options of the server are incomplete.
    #[error("the option {0} is not set")]
    NotConfigured(&'static str),
    /// The host did not get a response.
    #[error("{endpoint}: {reason}")]
    Transport {
        endpoint: Endpoint,
        /// From the host.
        reason: String,
    },
    /// The provider responded with an unexpected status.
    #[error("{endpoint}: status {status}")]
    Status { endpoint: Endpoint, status: u16 },
    /// The response is longer than any that makes sense.
    #[error("{endpoint}: the response is too large")]
    TooLarge { endpoint: Endpoint },
    /// The response is not what the specification says.
    #[error("{endpoint}: the response is malformed")]
    Malformed { endpoint: Endpoint },
    /// The discovery document is of another issuer.
    #[error("the discovery document names the issuer {0:?}, which differs from the option oidc-issuer")]
    OtherIssuer(String),
    /// The provider refused this server, not the user.
    #[error("{endpoint}: the provider refuses this client: {code}")]
    ClientRefused { endpoint: Endpoint, code: String },
    /// The provider accepts no way to authenticate that this client has.
    #[error("the provider accepts neither client_secret_basic nor client_secret_post")]
    NoClientAuthentication,
}

/// What was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Endpoint {
    #[error("discovery document")]
    Discovery,
    #[error("keys (JWKS)")]
    Keys,
    #[error("token endpoint")]
    Token,
    #[error("userinfo endpoint")]
    Userinfo,
    #[error("revocation endpoint")]
    Revocation,
}

/// Why a token, a code or a session is not accepted. Each has a text of its own, so that the log tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("the token is no signed JWT")]
    Malformed,
    #[error("the token is not signed (alg none)")]
    Unsigned,
    #[error("the token is signed with a shared secret (HMAC)")]
    SharedSecret,
    #[error("the token is signed with an unsupported algorithm")]
    UnknownAlgorithm,
    #[error("the token is signed with an algorithm that the provider does not declare")]
    UndeclaredAlgorithm,
    #[error("the token has critical header parameters")]
    CriticalHeader,
    #[error("the token is of another type (typ)")]
    WrongType,
    #[error("the provider has no key with the token's key id (kid)")]
    UnknownKey,
    #[error("the token names no key, and the provider has several")]
    AmbiguousKey,
    #[error("the provider's key is of another type than the token's algorithm")]
    WrongKeyType,
    #[error("the provider's key is invalid or too weak")]
    InvalidKey,
    #[error("the signature is wrong")]
    WrongSignature,
    #[error("the token has no claim {0}, or one of another type")]
    MissingClaim(&'static str),
    #[error("the token is of another issuer (iss)")]
    WrongIssuer,
    #[error("the token is for another audience (aud)")]
    WrongAudience,
    #[error("the token has several audiences and no authorized party (azp)")]
    MissingAuthorizedParty,
    #[error("the token is for another authorized party (azp)")]
    WrongAuthorizedParty,
    #[error("the token has expired (exp)")]
    Expired,
    #[error("the token was issued in the future (iat)")]
    IssuedInFuture,
    #[error("the token was issued too long ago (iat)")]
    IssuedLongAgo,
    #[error("the token is not valid yet (nbf)")]
    NotYetValid,
    #[error("the token answers another sign-in (nonce)")]
    WrongNonce,
    #[error("the token belongs to another access token (at_hash)")]
    WrongAccessToken,
    #[error("the ID token of the refreshed session is of another user (sub)")]
    OtherUser,
    #[error("the userinfo is of another user (sub)")]
    OtherUserinfo,
    #[error("the redirect came from another issuer (iss)")]
    RedirectOfOtherIssuer,
    #[error("the redirect names no issuer (iss), which the provider promises")]
    RedirectWithoutIssuer,
    #[error("the provider refuses the code")]
    Code,
    #[error("the provider has ended the session")]
    SessionEnded,
    #[error("the stored session is unreadable")]
    UnreadableSession,
    #[error("the logout token has no logout event (events)")]
    NoLogoutEvent,
    #[error("the logout token has a nonce")]
    LogoutWithNonce,
    #[error("the logout token names neither a session nor a user (sid, sub)")]
    LogoutOfNobody,
}

pub type Result<T> = std::result::Result<T, Error>;

impl From<Outage> for Error {
    fn from(outage: Outage) -> Self {
        Self::Unavailable(outage)
    }
}
