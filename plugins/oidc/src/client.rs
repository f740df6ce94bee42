//! The functions of a client of OpenID Connect: sign-in by code, refresh, revocation, back-channel logout.

use data_encoding::BASE64URL_NOPAD;
use form_urlencoded::Serializer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256, Sha512};

use crate::claims::Claims;
use crate::environment::{Environment, Response};
use crate::error::{Endpoint, Error, Outage, Refusal, Result};
use crate::jws::{Algorithm, Jws};
use crate::options::Options;
use crate::provider::Provider;
use crate::token_endpoint::Tokens;

/// A sign-in takes at most this long, in seconds; an older ID token belongs to another.
const SIGN_IN: i64 = 10 * 60;
/// A report of a sign-out is sent at once, in seconds.
const REPORT: i64 = 5 * 60;
/// The member of `events` in a logout token.
const LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// What a browser is sent to the provider with.
#[derive(Debug, Clone)]
pub struct SignIn {
    pub redirect_uri: String,
    pub state: String,
    pub nonce: String,
    pub code_challenge: String,
}

/// What the browser brought back.
#[derive(Clone)]
pub struct Exchange {
    pub code: String,
    pub redirect_uri: String,
    pub nonce: String,
    pub code_verifier: String,
    /// The parameter `iss` of the redirect (RFC 9207).
    pub issuer: Option<String>,
}

/// A user of the provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// `<issuer>|<sub>`.
    pub id: String,
    pub display_name: Option<String>,
    pub username: Option<String>,
    pub groups: Vec<String>,
    /// In seconds since 1970; `None` for a session that can be refreshed.
    pub expires_at: Option<i64>,
}

/// A session with the provider.
#[derive(Clone)]
pub struct Session {
    pub account: Account,
    /// For [`Client::validate`] and [`Client::revoke`]; `None` if the provider gave no refresh token.
    pub token: Option<String>,
    /// The claim `sid`.
    pub session_id: Option<String>,
}

/// A verified report of a sign-out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedOut {
    pub id: String,
    pub account_id: Option<String>,
    pub session_id: Option<String>,
}

/// What a session is refreshed with, in the form in which the server stores it.
#[derive(Deserialize, Serialize)]
struct Stored {
    refresh_token: String,
    sub: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<String>,
}

/// The client. It keeps nothing but what the environment stores.
#[derive(Debug)]
pub struct Client<E> {
    pub environment: E,
    pub options: Options,
}

impl<E: Environment> Client<E> {
    fn provider(&self) -> Result<Provider<'_, E>> {
        Provider::discover(&self.environment, &self.options)
    }

    /// The address that a browser is sent to.
    ///
    /// # Errors
    /// The provider is not available.
    pub fn sign_in_url(&self, request: &SignIn) -> Result<String> {
        let metadata = self.provider()?.metadata;
        let offers = |scope: &str| {
            let scopes = metadata.scopes_supported.as_ref();
            scopes.is_none_or(|scopes| scopes.iter().any(|offered| offered == scope))
        };
        let scopes = ["profile", "offline_access"]
            .into_iter()
            .filter(|scope| offers(scope));
        let scopes: Vec<&str> = std::iter::once("openid").chain(scopes).collect();
        let mut query = Serializer::new(String::new());
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.options.client_id)
            .append_pair("redirect_uri", &request.redirect_uri)
            .append_pair("scope", &scopes.join(" "))
            .append_pair("state", &request.state)
            .append_pair("nonce", &request.nonce)
            .append_pair("code_challenge", &request.code_challenge)
            .append_pair("code_challenge_method", "S256");
        if offers("offline_access") {
            // OpenID Connect Core, 11: without it the provider may ignore `offline_access`.
            query.append_pair("prompt", "consent");
        }
        let endpoint = &metadata.authorization_endpoint;
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        Ok(format!("{endpoint}{separator}{}", query.finish()))
    }

    /// Exchanges a code for a session, whose tokens are verified.
    ///
    /// # Errors
    /// The code or the tokens are not accepted; the provider is not available.
    pub fn exchange(&self, request: &Exchange) -> Result<Session> {
        let provider = self.provider()?;
        match &request.issuer {
            Some(issuer) if *issuer != self.options.issuer => {
                return Err(Refusal::RedirectOfOtherIssuer.into());
            }
            None if provider.metadata.authorization_response_iss_parameter_supported => {
                return Err(Refusal::RedirectWithoutIssuer.into());
            }
            _ => {}
        }
        let form = [
            ("grant_type", "authorization_code"),
            ("code", &request.code),
            ("redirect_uri", &request.redirect_uri),
            ("code_verifier", &request.code_verifier),
        ];
        let tokens = provider.request_tokens(&form, Refusal::Code)?;
        let id_token = tokens
            .id_token
            .as_deref()
            .ok_or(Refusal::MissingClaim("id_token"))?;
        let mut claims = self.verify_id_token(&provider, id_token, &tokens, Some(SIGN_IN))?;
        if claims.text("nonce") != Some(&request.nonce) {
            return Err(Refusal::WrongNonce.into());
        }
        self.add_userinfo(&provider, &mut claims, &tokens)?;
        let sub = claims.subject()?.to_owned();
        self.session(&claims, tokens, sub)
    }

    /// Refreshes a session: whether the provider still accepts it.
    ///
    /// # Errors
    /// The provider has ended the session, or is not available.
    pub fn validate(&self, token: &str) -> Result<Session> {
        let stored = read_stored(token)?;
        let provider = self.provider()?;
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", &stored.refresh_token),
        ];
        let mut tokens = provider.request_tokens(&form, Refusal::SessionEnded)?;
        let mut claims = match tokens.id_token.as_deref() {
            Some(id_token) => self.verify_id_token(&provider, id_token, &tokens, None)?,
            None => Claims::default(),
        };
        if claims.0.contains_key("sub") && claims.subject()? != stored.sub {
            return Err(Refusal::OtherUser.into());
        }
        // A provider that does not rotate its refresh tokens returns none: the old one stays valid.
        tokens.refresh_token.get_or_insert(stored.refresh_token);
        if let Some(sid) = stored.sid {
            claims.0.entry("sid").or_insert(sid.into());
        }
        self.session(&claims, tokens, stored.sub)
    }

    /// Ends a session with the provider.
    ///
    /// # Errors
    /// The provider offers no revocation, or is not available.
    pub fn revoke(&self, token: &str) -> Result<()> {
        let stored = read_stored(token)?;
        self.provider()?.revoke_token(&stored.refresh_token)
    }

    /// Verifies a logout token (OpenID Connect Back-Channel Logout, 2.6).
    ///
    /// # Errors
    /// The token is not accepted; the provider's keys are not available.
    pub fn logout(&self, token: &str) -> Result<SignedOut> {
        let jws = Jws::parse(token)?;
        if !matches!(jws.media_type.as_deref(), None | Some("jwt" | "logout+jwt")) {
            return Err(Refusal::WrongType.into());
        }
        let provider = self.provider()?;
        let declared = provider.metadata.id_token_signing_alg_values_supported.as_deref();
        let claims: Claims = provider.verified(&jws, declared)?;
        claims.check_parties(&self.options)?;
        let now = self.environment.now();
        claims.check_issue(now, Some(REPORT))?;
        // Required only by the newest version of the standard.
        if claims.0.contains_key("exp") {
            claims.check_expiry(now)?;
        }
        let event = claims.0.get("events").and_then(|events| events.get(LOGOUT_EVENT));
        if !event.is_some_and(serde_json::Value::is_object) {
            return Err(Refusal::NoLogoutEvent.into());
        }
        if claims.0.contains_key("nonce") {
            return Err(Refusal::LogoutWithNonce.into());
        }
        let id = claims.text("jti").ok_or(Refusal::MissingClaim("jti"))?.to_owned();
        let session_id = claims.text("sid").map(str::to_owned);
        let account_id = match claims.0.get("sub") {
            Some(_) => Some(self.account_id(claims.subject()?)),
            None => None,
        };
        if session_id.is_none() && account_id.is_none() {
            return Err(Refusal::LogoutOfNobody.into());
        }
        Ok(SignedOut {
            id,
            account_id,
            session_id,
        })
    }

    fn account_id(&self, sub: &str) -> String {
        format!("{}|{sub}", self.options.issuer)
    }

    fn verify_id_token(
        &self,
        provider: &Provider<'_, E>,
        token: &str,
        tokens: &Tokens,
        max_age: Option<i64>,
    ) -> Result<Claims> {
        let jws = Jws::parse(token)?;
        if !matches!(jws.media_type.as_deref(), None | Some("jwt" | "id_token+jwt")) {
            return Err(Refusal::WrongType.into());
        }
        let declared = provider.metadata.id_token_signing_alg_values_supported.as_deref();
        let claims: Claims = provider.verified(&jws, declared)?;
        claims.check_parties(&self.options)?;
        let now = self.environment.now();
        claims.check_expiry(now)?;
        claims.check_issue(now, max_age)?;
        claims.subject()?;
        if let Some(expected) = claims.0.get("at_hash") {
            let access_token = tokens.access_token.as_deref().unwrap_or_default();
            if expected.as_str() != Some(&access_token_hash(access_token, jws.algorithm)) {
                return Err(Refusal::WrongAccessToken.into());
            }
        }
        Ok(claims)
    }

    /// Adds the claims of the userinfo, if the ID token lacks any that is used.
    fn add_userinfo(&self, provider: &Provider<'_, E>, claims: &mut Claims, tokens: &Tokens) -> Result<()> {
        let has_names = claims.text("preferred_username").is_some() && claims.text("name").is_some();
        let path = self.options.groups_claim.as_deref();
        let has_groups = path.is_none_or(|path| claims.has(path));
        let (false, Some(access_token)) = (has_names && has_groups, &tokens.access_token) else {
            return Ok(());
        };
        let Some(response) = provider.request_userinfo(access_token)? else {
            return Ok(());
        };
        let userinfo = self.read_userinfo(provider, &response)?;
        // OpenID Connect Core, 5.3.2: an access token that was swapped shows here.
        if userinfo.text("sub") != Some(claims.subject()?) {
            return Err(Refusal::OtherUserinfo.into());
        }
        claims.complete(userinfo);
        Ok(())
    }

    /// The claims of a response of the userinfo endpoint, which is JSON or a signed token.
    fn read_userinfo(&self, provider: &Provider<'_, E>, response: &Response) -> Result<Claims> {
        let malformed = || {
            Error::from(Outage::Malformed {
                endpoint: Endpoint::Userinfo,
            })
        };
        if response.content_type() != "application/jwt" {
            return serde_json::from_slice(&response.body).map_err(|_| malformed());
        }
        let text = std::str::from_utf8(&response.body).map_err(|_| malformed())?;
        let jws = Jws::parse(text.trim())?;
        let declared = provider.metadata.userinfo_signing_alg_values_supported.as_deref();
        let claims: Claims = provider.verified(&jws, declared)?;
        claims.check_parties(&self.options)?;
        Ok(claims)
    }

    fn session(&self, claims: &Claims, tokens: Tokens, sub: String) -> Result<Session> {
        let text = |name: &str| claims.text(name).map(str::to_owned);
        let path = self.options.groups_claim.as_deref();
        let session_id = text("sid");
        let is_refreshable = tokens.refresh_token.is_some();
        let account = Account {
            id: self.account_id(&sub),
            display_name: text("name"),
            username: text("preferred_username").or_else(|| text("nickname")),
            groups: path.map(|path| claims.groups(path)).unwrap_or_default(),
            expires_at: claims.expiry().filter(|_| !is_refreshable),
        };
        let stored = tokens.refresh_token.map(|refresh_token| Stored {
            refresh_token,
            sub,
            sid: session_id.clone(),
        });
        let token = stored.map(|stored| serde_json::to_vec(&stored)).transpose();
        let token = token.map_err(|_| Refusal::UnreadableSession)?;
        Ok(Session {
            account,
            // A token of the service is visible ASCII; a subject may be any text.
            token: token.map(|token| BASE64URL_NOPAD.encode(&token)),
            session_id,
        })
    }
}

fn read_stored(token: &str) -> Result<Stored> {
    let decoded = BASE64URL_NOPAD.decode(token.as_bytes());
    let stored = decoded.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(stored.ok_or(Refusal::UnreadableSession)?)
}

/// The claim `at_hash`: the first half of the hash that belongs to the algorithm.
fn access_token_hash(token: &str, algorithm: Algorithm) -> String {
    let digest = match algorithm {
        Algorithm::Rs256 | Algorithm::Es256 => Sha256::digest(token).to_vec(),
        Algorithm::EdDsa => Sha512::digest(token).to_vec(),
    };
    BASE64URL_NOPAD.encode(digest.get(..digest.len() / 2).unwrap_or_default())
}
