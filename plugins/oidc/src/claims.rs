//! The claims of ID tokens, userinfo and logout tokens.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Refusal;
use crate::options::Options;

/// Difference between the clocks of provider and server that is accepted, in seconds.
pub const LEEWAY: i64 = 30;
/// The most groups of a user that are read, and the longest name.
const MAX_GROUPS: usize = 1000;
const MAX_GROUP_BYTES: usize = 256;
/// OpenID Connect Core, 2: `sub` has at most 255 characters.
const MAX_SUBJECT: usize = 255;

/// One audience or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Audience {
    fn contains(&self, client: &str) -> bool {
        match self {
            Self::One(one) => one == client,
            Self::Several(several) => several.iter().any(|one| one == client),
        }
    }

    fn is_several(&self) -> bool {
        matches!(self, Self::Several(several) if several.len() > 1)
    }
}

/// The claims of a verified token.
#[derive(Debug, Clone, Default)]
pub struct Claims(pub Map<String, Value>);

impl<'de> Deserialize<'de> for Claims {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self)
    }
}

impl Claims {
    /// A claim that is a text; `None` if it is empty or of another type.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// A claim that is a moment, in seconds since 1970. The standard permits fractions.
    fn moment(&self, name: &'static str) -> Result<Option<i64>, Refusal> {
        match self.0.get(name) {
            None => Ok(None),
            Some(value) => {
                let seconds = value
                    .as_i64()
                    .or_else(|| value.as_f64().map(|seconds| seconds as i64));
                seconds.map(Some).ok_or(Refusal::MissingClaim(name))
            }
        }
    }

    /// When the token expires, in seconds since 1970.
    pub fn expiry(&self) -> Option<i64> {
        self.moment("exp").ok().flatten()
    }

    /// The user, unique at the issuer.
    ///
    /// # Errors
    /// The claim is missing or too long.
    pub fn subject(&self) -> Result<&str, Refusal> {
        let subject = self.text("sub").filter(|sub| sub.len() <= MAX_SUBJECT);
        subject.ok_or(Refusal::MissingClaim("sub"))
    }

    /// Checks issuer, audience and authorized party.
    ///
    /// # Errors
    /// The token is not of this issuer for this client.
    pub fn check_parties(&self, options: &Options) -> Result<(), Refusal> {
        let issuer = self.text("iss").ok_or(Refusal::MissingClaim("iss"))?;
        if issuer != options.issuer {
            return Err(Refusal::WrongIssuer);
        }
        let audience = self.0.get("aud").ok_or(Refusal::MissingClaim("aud"))?;
        let audience = Audience::deserialize(audience).map_err(|_| Refusal::MissingClaim("aud"))?;
        if !audience.contains(&options.client_id) {
            return Err(Refusal::WrongAudience);
        }
        match self.0.get("azp") {
            None if audience.is_several() => Err(Refusal::MissingAuthorizedParty),
            Some(azp) if azp.as_str() != Some(&options.client_id) => Err(Refusal::WrongAuthorizedParty),
            _ => Ok(()),
        }
    }

    /// Checks `exp`.
    ///
    /// # Errors
    /// The claim is missing, or the token has expired.
    pub fn check_expiry(&self, now: i64) -> Result<(), Refusal> {
        let expires_at = self.moment("exp")?.ok_or(Refusal::MissingClaim("exp"))?;
        if expires_at.saturating_add(LEEWAY) <= now {
            return Err(Refusal::Expired);
        }
        Ok(())
    }

    /// Checks `iat` and `nbf`. A token issued more than `max_age` seconds ago is refused.
    ///
    /// # Errors
    /// The token is not valid yet, or was issued too long ago.
    pub fn check_issue(&self, now: i64, max_age: Option<i64>) -> Result<(), Refusal> {
        let issued_at = self.moment("iat")?.ok_or(Refusal::MissingClaim("iat"))?;
        if issued_at > now.saturating_add(LEEWAY) {
            return Err(Refusal::IssuedInFuture);
        }
        if max_age.is_some_and(|age| issued_at < now.saturating_sub(age + LEEWAY)) {
            return Err(Refusal::IssuedLongAgo);
        }
        let not_before = self.moment("nbf")?;
        if not_before.is_some_and(|moment| moment > now.saturating_add(LEEWAY)) {
            return Err(Refusal::NotYetValid);
        }
        Ok(())
    }

    /// The value at a path; `None` if there is none.
    fn at(&self, path: &[String]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(self.0.get(first)?, |value, step| value.get(step))
    }

    /// Whether there is a value at the path.
    pub fn has(&self, path: &[String]) -> bool {
        self.at(path).is_some_and(|value| !value.is_null())
    }

    /// The texts at a path: those of a list, or one text.
    pub fn groups(&self, path: &[String]) -> Vec<String> {
        let values = match self.at(path) {
            Some(Value::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
            None => &[],
        };
        let texts = values.iter().filter_map(Value::as_str);
        let texts = texts.filter(|text| text.len() <= MAX_GROUP_BYTES);
        texts.take(MAX_GROUPS).map(str::to_owned).collect()
    }

    /// Adds the claims that are missing here.
    pub fn complete(&mut self, others: Self) {
        for (name, value) in others.0 {
            self.0.entry(name).or_insert(value);
        }
    }
}
