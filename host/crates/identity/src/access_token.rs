//! Access tokens: JWTs that this server signs and verifies, valid for fifteen minutes.
//!
//! A token identifies its bearer; it carries no permissions. This module also decides whether an invalid token is 401
//! (refresh and retry) or 410 (discard it); see `docs/decisions/0012-401-410-503.md`.

use std::io;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use svc_domain::id::{SessionId, UserId};
use svc_domain::time::Timestamp;

use crate::app::App;
use svc_platform::random::{Random, random_hex};
use svc_platform::secret_key::SecretKey;

/// Lifetime of a token, checked without leeway.
pub const LIFETIME_SECONDS: i64 = 900;
/// Maximum length of a token; issued tokens have about 450 characters.
const MAX_LENGTH: usize = 2048;
const AUDIENCE: &str = "svc-api";
const ISSUER_PREFIX: &str = "svc:";
/// Value of the `sid` claim for a token without a session.
const NO_SESSION: &str = "none";

/// Why a token is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Malformed, forged or expired; a refresh may help.
    #[error("the access token is invalid or has expired")]
    Invalid,
    /// Issued by another server, or by this one before a factory reset; a refresh cannot help.
    #[error("the access token is not valid on this server")]
    Foreign,
}

/// The verified claims of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenIdentity {
    /// The account.
    pub user: UserId,
    /// The app for which the token was issued.
    pub app: App,
    /// The session of the token, if it has one.
    pub session: Option<SessionId>,
    /// Expiry.
    pub expires_at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    sid: String,
    jti: String,
    app: String,
    iat: i64,
    exp: i64,
    // Not issued, because a clock that is set back would reject the server's own tokens. Checked if present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nbf: Option<i64>,
}

/// Claims that are read before the signature is verified, to choose between the two errors.
#[derive(Deserialize)]
struct Origin {
    iss: Option<String>,
}

/// Issues and verifies the tokens of one server.
pub struct AccessTokens {
    issuer: String,
    key_id: String,
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

impl std::fmt::Debug for AccessTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessTokens")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl AccessTokens {
    /// Creates the issuer for the server `instance_id` with the signing key `key`.
    pub fn new(instance_id: &str, key: &SecretKey) -> Self {
        let issuer = format!("{ISSUER_PREFIX}{instance_id}");
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&issuer]);
        validation.set_audience(&[AUDIENCE]);
        validation.leeway = 0;
        // Compared below with the injected clock.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        Self {
            issuer,
            key_id: key.id(),
            encoding: EncodingKey::from_secret(key.bytes()),
            decoding: DecodingKey::from_secret(key.bytes()),
            validation,
        }
    }

    /// Issues a token.
    ///
    /// # Errors
    /// Fails if the system has no randomness or signing fails.
    pub fn issue(
        &self,
        user: UserId,
        app: App,
        session: Option<SessionId>,
        now: Timestamp,
        random: &dyn Random,
    ) -> io::Result<String> {
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: AUDIENCE.to_owned(),
            sub: user.to_string(),
            sid: session.map_or_else(|| NO_SESSION.to_owned(), |session| session.to_string()),
            jti: random_hex(random)?,
            app: app.as_str().to_owned(),
            iat: now.seconds(),
            exp: now.seconds() + LIFETIME_SECONDS,
            nbf: None,
        };
        let header = Header {
            kid: Some(self.key_id.clone()),
            ..Header::new(Algorithm::HS256)
        };
        jsonwebtoken::encode(&header, &claims, &self.encoding).map_err(io::Error::other)
    }

    /// Verifies a token and returns its claims.
    ///
    /// # Errors
    /// `Invalid` if a refresh may help, `Foreign` if it cannot.
    pub fn read(&self, token: &str, now: Timestamp) -> Result<TokenIdentity, TokenError> {
        let header = well_formed_header(token)?;
        if self.is_foreign(token, &header) {
            return Err(TokenError::Foreign);
        }
        if header.kid.as_deref() != Some(self.key_id.as_str()) {
            return Err(TokenError::Invalid);
        }
        let claims = jsonwebtoken::decode::<Claims>(token, &self.decoding, &self.validation)
            .map_err(|_| TokenError::Invalid)?
            .claims;
        if claims.exp <= now.seconds() || claims.nbf.is_some_and(|moment| moment > now.seconds()) {
            return Err(TokenError::Invalid);
        }
        identity(&claims).ok_or(TokenError::Invalid)
    }

    /// Whether the token names another server or an earlier key of this one. It reads unverified claims, which is safe
    /// because the token is rejected in either case.
    fn is_foreign(&self, token: &str, header: &Header) -> bool {
        let origin = jsonwebtoken::dangerous::insecure_decode_claims::<Origin>(token);
        let issuer = origin.ok().and_then(|origin| origin.iss).unwrap_or_default();
        let names_other_server = issuer != self.issuer
            && issuer
                .strip_prefix(ISSUER_PREFIX)
                .is_some_and(|id| is_hex(id, 32));
        let names_other_key = header
            .kid
            .as_deref()
            .is_some_and(|key_id| key_id != self.key_id && is_hex(key_id, 16));
        names_other_server || (names_other_key && issuer == self.issuer)
    }
}

fn well_formed_header(token: &str) -> Result<Header, TokenError> {
    let parts = token.split('.').filter(|part| !part.is_empty()).count();
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let has_form = token.len() <= MAX_LENGTH
        && parts == 3
        && token.matches('.').count() == 2
        && token.bytes().all(alphabet);
    if !has_form {
        return Err(TokenError::Invalid);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| TokenError::Invalid)?;
    // RFC 7515 4.1.11 requires rejecting an unsupported `crit`; none is supported.
    let understood = header.alg == Algorithm::HS256 && header.crit.is_none() && header.zip.is_none();
    understood.then_some(header).ok_or(TokenError::Invalid)
}

fn identity(claims: &Claims) -> Option<TokenIdentity> {
    let session = match claims.sid.as_str() {
        NO_SESSION => None,
        session => Some(session.parse().ok()?),
    };
    Some(TokenIdentity {
        user: claims.sub.parse().ok()?,
        app: App::from_name(&claims.app)?,
        session,
        expires_at: Timestamp::from_millis(claims.exp.checked_mul(1000)?),
    })
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
#[path = "access_token_tests.rs"]
mod tests;
