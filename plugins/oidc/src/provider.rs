//! What is known of the provider: its discovery document and its keys, both cached in the host's store.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::environment::{Environment, Request, respond};
use crate::error::{Endpoint, Outage, Refusal, Result};
use crate::jwk::{self, Jwk};
use crate::jws::Jws;
use crate::options::Options;

/// Age at which discovery document and keys are requested again, in seconds. A key that the provider has withdrawn is
/// accepted no longer than this.
const MAX_AGE: i64 = 60 * 60;
/// Pause between two requests of the keys because of unknown key ids, in seconds: anyone can send such tokens.
const KEYS_PAUSE: i64 = 60;

/// The part of the discovery document that is used.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct Metadata {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub jwks_uri: String,
    #[serde(default)]
    pub userinfo_endpoint: Option<String>,
    #[serde(default)]
    pub revocation_endpoint: Option<String>,
    #[serde(default)]
    pub scopes_supported: Option<Vec<String>>,
    #[serde(default)]
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    pub id_token_signing_alg_values_supported: Option<Vec<String>>,
    #[serde(default)]
    pub userinfo_signing_alg_values_supported: Option<Vec<String>>,
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

/// A cached value.
#[derive(Debug, Deserialize, Serialize)]
struct Cached<T> {
    /// Seconds since 1970.
    fetched_at: i64,
    /// The issuer of the options at that time.
    issuer: String,
    value: T,
}

/// The cached keys.
#[derive(Debug, Deserialize, Serialize)]
struct Keys {
    keys: Vec<Jwk>,
    /// When they were last requested because of an unknown key id, in seconds since 1970.
    searched_at: Option<i64>,
}

/// Keys of a JWKS; ones of unknown form are skipped.
#[derive(Debug, Deserialize)]
struct KeySet {
    keys: Vec<serde_json::Value>,
}

/// The provider behind an environment.
#[derive(Debug)]
pub struct Provider<'a, E> {
    pub environment: &'a E,
    pub options: &'a Options,
    pub metadata: Metadata,
}

impl<'a, E: Environment> Provider<'a, E> {
    /// Reads the discovery document, from the cache or the provider.
    ///
    /// # Errors
    /// The provider is not available, or is another one.
    pub fn discover(environment: &'a E, options: &'a Options) -> Result<Self> {
        let cached: Option<Cached<Metadata>> = load(environment, options, "discovery");
        let metadata = match cached.filter(|cached| is_fresh(cached.fetched_at, environment.now(), MAX_AGE)) {
            Some(cached) => cached.value,
            None => fetch_metadata(environment, options)?,
        };
        Ok(Self {
            environment,
            options,
            metadata,
        })
    }

    /// Verifies the signature of a token, and returns its claims. `declared` are the algorithms that the provider
    /// declares for tokens of this use.
    ///
    /// # Errors
    /// The token is not signed by the provider; its keys are not available.
    pub fn verified<T: DeserializeOwned>(&self, token: &Jws<'_>, declared: Option<&[String]>) -> Result<T> {
        if declared.is_some_and(|names| !names.contains(&token.algorithm_name)) {
            return Err(Refusal::UndeclaredAlgorithm.into());
        }
        self.key_of(token)?.verify(token)?;
        Ok(token.claims()?)
    }

    /// The key that a token names. Keys are requested again for one that is unknown, once a minute at most.
    fn key_of(&self, token: &Jws<'_>) -> Result<Jwk> {
        let now = self.environment.now();
        let cached: Option<Cached<Keys>> = load(self.environment, self.options, "keys");
        let cached = cached.filter(|cached| is_fresh(cached.fetched_at, now, MAX_AGE));
        let mut searched_at = None;
        if let Some(cached) = cached {
            if let Some(key) = jwk::find(&cached.value.keys, token)? {
                return Ok(key.clone());
            }
            let last = cached.value.searched_at;
            if last.is_some_and(|last| is_fresh(last, now, KEYS_PAUSE)) {
                return Err(Refusal::UnknownKey.into());
            }
            searched_at = Some(now);
        }
        let keys = self.fetch_keys(searched_at)?;
        Ok(jwk::find(&keys, token)?.cloned().ok_or(Refusal::UnknownKey)?)
    }

    fn fetch_keys(&self, searched_at: Option<i64>) -> Result<Vec<Jwk>> {
        let set: KeySet = get(self.environment, Endpoint::Keys, &self.metadata.jwks_uri, "keys")?;
        let keys = set.keys.into_iter();
        let keys: Vec<Jwk> = keys.filter_map(|key| serde_json::from_value(key).ok()).collect();
        let cached = Keys { keys, searched_at };
        save(self.environment, self.options, "keys", &cached);
        Ok(cached.keys)
    }
}

fn fetch_metadata<E: Environment>(environment: &E, options: &Options) -> Result<Metadata> {
    let url = format!(
        "{}/.well-known/openid-configuration",
        options.issuer.trim_end_matches('/')
    );
    let metadata: Metadata = get(environment, Endpoint::Discovery, &url, "discovery")?;
    if metadata.issuer != options.issuer {
        let named: String = metadata.issuer.chars().take(200).collect();
        return Err(Outage::OtherIssuer(named).into());
    }
    save(environment, options, "discovery", &metadata);
    Ok(metadata)
}

/// The moment may be in the future, when the clock was set back: then it is not fresh either.
fn is_fresh(fetched_at: i64, now: i64, age: i64) -> bool {
    (0..age).contains(&now.saturating_sub(fetched_at))
}

fn load<T: DeserializeOwned>(
    environment: &impl Environment,
    options: &Options,
    key: &str,
) -> Option<Cached<T>> {
    let cached: Cached<T> = serde_json::from_slice(&environment.load(key)?).ok()?;
    (cached.issuer == options.issuer).then_some(cached)
}

fn save<T: Serialize>(environment: &impl Environment, options: &Options, key: &str, value: &T) {
    let cached = Cached {
        fetched_at: environment.now(),
        issuer: options.issuer.clone(),
        value,
    };
    if let Ok(bytes) = serde_json::to_vec(&cached) {
        environment.store(key, &bytes);
    }
}

fn get<T: DeserializeOwned>(
    environment: &impl Environment,
    endpoint: Endpoint,
    url: &str,
    flight: &'static str,
) -> Result<T> {
    let request = Request {
        method: "GET",
        url: url.to_owned(),
        headers: vec![("accept", "application/json".to_owned())],
        body: None,
        flight: Some(flight),
    };
    let response = respond(environment, endpoint, request)?;
    if response.status != 200 {
        let status = response.status;
        return Err(Outage::Status { endpoint, status }.into());
    }
    Ok(serde_json::from_slice(&response.body).map_err(|_| Outage::Malformed { endpoint })?)
}
