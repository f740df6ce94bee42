//! Signed tokens: parsing, and the choice of algorithms.

use data_encoding::BASE64URL_NOPAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::Refusal;

/// The algorithms that are accepted. All are asymmetric: a key that everybody can read must not verify an HMAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
    /// With the curve Ed25519.
    EdDsa,
}

/// The header. A parameter that occurs twice is an error.
#[derive(Debug, Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<serde::de::IgnoredAny>,
}

/// A token whose signature was not verified yet.
#[derive(Debug)]
pub struct Jws<'a> {
    pub algorithm: Algorithm,
    /// The name of the algorithm in the header.
    pub algorithm_name: String,
    pub key_id: Option<String>,
    /// `typ` in lower case, without `application/`.
    pub media_type: Option<String>,
    /// What was signed: header and payload as they were received.
    pub signed: &'a [u8],
    pub signature: Vec<u8>,
    payload: Vec<u8>,
}

impl<'a> Jws<'a> {
    /// Parses the compact form.
    ///
    /// # Errors
    /// It is malformed, or its algorithm is not accepted.
    pub fn parse(text: &'a str) -> Result<Self, Refusal> {
        let (signed, signature) = text.rsplit_once('.').ok_or(Refusal::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(Refusal::Malformed)?;
        // Five parts are an encrypted token.
        if payload.contains('.') {
            return Err(Refusal::Malformed);
        }
        let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| Refusal::Malformed)?;
        let algorithm = algorithm(&header.alg)?;
        if header.crit.is_some() {
            return Err(Refusal::CriticalHeader);
        }
        Ok(Self {
            algorithm,
            algorithm_name: header.alg,
            key_id: header.kid,
            media_type: header.typ.map(|typ| {
                let typ = typ.to_ascii_lowercase();
                typ.strip_prefix("application/").map(str::to_owned).unwrap_or(typ)
            }),
            signed: signed.as_bytes(),
            signature: decode(signature)?,
            payload: decode(payload)?,
        })
    }

    /// The claims. Only for a token whose signature was verified.
    ///
    /// # Errors
    /// They are no JSON of this form.
    pub fn claims<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_slice(&self.payload).map_err(|_| Refusal::Malformed)
    }
}

fn decode(text: &str) -> Result<Vec<u8>, Refusal> {
    BASE64URL_NOPAD
        .decode(text.as_bytes())
        .map_err(|_| Refusal::Malformed)
}

fn algorithm(name: &str) -> Result<Algorithm, Refusal> {
    match name {
        "RS256" => Ok(Algorithm::Rs256),
        "ES256" => Ok(Algorithm::Es256),
        // RFC 9864 names the curve instead of the family.
        "EdDSA" | "Ed25519" => Ok(Algorithm::EdDsa),
        other if other.eq_ignore_ascii_case("none") => Err(Refusal::Unsigned),
        other if other.starts_with("HS") => Err(Refusal::SharedSecret),
        _ => Err(Refusal::UnknownAlgorithm),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str) -> String {
        format!("{}.e30.", BASE64URL_NOPAD.encode(header.as_bytes()))
    }

    #[test]
    fn only_asymmetric_algorithms_are_accepted() {
        for (header, expected) in [
            (r#"{"alg":"none"}"#, Refusal::Unsigned),
            (r#"{"alg":"NonE"}"#, Refusal::Unsigned),
            (r#"{"alg":"HS256"}"#, Refusal::SharedSecret),
            (r#"{"alg":"HS512"}"#, Refusal::SharedSecret),
            (r#"{"alg":"RS1"}"#, Refusal::UnknownAlgorithm),
            (r#"{"alg":"rs256"}"#, Refusal::UnknownAlgorithm),
            (r#"{"alg":"RS256","crit":["b64"]}"#, Refusal::CriticalHeader),
            (r#"{"alg":"none","alg":"RS256"}"#, Refusal::Malformed),
            (r#"{"kid":"a"}"#, Refusal::Malformed),
        ] {
            assert_eq!(Jws::parse(&token(header)).unwrap_err(), expected, "{header}");
        }
        for header in [r#"{"alg":"RS256"}"#, r#"{"alg":"ES256"}"#, r#"{"alg":"EdDSA"}"#] {
            assert!(Jws::parse(&token(header)).is_ok(), "{header}");
        }
    }

    #[test]
    fn malformed_tokens_are_refused() {
        let good = token(r#"{"alg":"RS256"}"#);
        for bad in [
            "",
            ".",
            "..",
            "a.b",
            "a.b.c.d.e",
            &good.replace('.', "="),
            &format!("{good}="),
        ] {
            assert_eq!(Jws::parse(bad).unwrap_err(), Refusal::Malformed, "{bad}");
        }
    }
}
