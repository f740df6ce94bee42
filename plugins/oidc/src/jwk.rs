//! Public keys of a provider, and the verification of signatures with them.

use std::ops::RangeInclusive;

use data_encoding::BASE64URL_NOPAD;
use ed25519_dalek::{Signature as EdSignature, VerifyingKey as EdKey};
use p256::ecdsa::{Signature as EcSignature, VerifyingKey as EcKey};
use rsa::pkcs1v15::{Signature as RsaSignature, VerifyingKey as RsaKey};
use rsa::signature::Verifier as _;
use rsa::{BoxedUint, PublicKey};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::error::Refusal;
use crate::jws::{Algorithm, Jws};

/// In bits: NIST SP 800-131A requires 2048, and longer keys would take seconds to verify with.
const RSA_SIZES: RangeInclusive<usize> = 2048..=8192;

/// A key, as in a JWKS. Members that are not used are not stored.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct Jwk {
    pub kty: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    #[serde(default, rename = "use", skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alg: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_ops: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crv: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<String>,
}

impl Jwk {
    /// Whether the key is of the type of the algorithm and meant for signatures with it.
    fn fits(&self, token: &Jws<'_>) -> bool {
        let (kty, crv) = match token.algorithm {
            Algorithm::Rs256 => ("RSA", None),
            Algorithm::Es256 => ("EC", Some("P-256")),
            Algorithm::EdDsa => ("OKP", Some("Ed25519")),
        };
        let is_of_algorithm = self.alg.as_deref().is_none_or(|alg| {
            alg == token.algorithm_name
                || (token.algorithm == Algorithm::EdDsa && matches!(alg, "EdDSA" | "Ed25519"))
        });
        self.kty == kty && (crv.is_none() || self.crv.as_deref() == crv) && is_of_algorithm && self.verifies()
    }

    fn verifies(&self) -> bool {
        self.usage.as_deref().is_none_or(|usage| usage == "sig")
            && self
                .key_ops
                .as_ref()
                .is_none_or(|ops| ops.iter().any(|op| op == "verify"))
    }

    /// Verifies the signature of a token that the key fits.
    ///
    /// # Errors
    /// The key is invalid, or the signature is wrong.
    pub fn verify(&self, token: &Jws<'_>) -> Result<(), Refusal> {
        match token.algorithm {
            Algorithm::Rs256 => self.verify_rsa(token),
            Algorithm::Es256 => self.verify_ec(token),
            Algorithm::EdDsa => self.verify_ed(token),
        }
    }

    fn verify_rsa(&self, token: &Jws<'_>) -> Result<(), Refusal> {
        let (n, e) = (number(self.n.as_deref())?, number(self.e.as_deref())?);
        if n.len() * 8 > *RSA_SIZES.end() || e.len() > 8 {
            return Err(Refusal::InvalidKey);
        }
        let (n, e) = (
            BoxedUint::from_be_slice_vartime(&n),
            BoxedUint::from_be_slice_vartime(&e),
        );
        let key = PublicKey::new_with_size_limits(n, e, RSA_SIZES).map_err(|_| Refusal::InvalidKey)?;
        let signature =
            RsaSignature::try_from(token.signature.as_slice()).map_err(|_| Refusal::WrongSignature)?;
        RsaKey::<Sha256>::new(key)
            .verify(token.signed, &signature)
            .map_err(|_| Refusal::WrongSignature)
    }

    fn verify_ec(&self, token: &Jws<'_>) -> Result<(), Refusal> {
        let (x, y) = (number(self.x.as_deref())?, number(self.y.as_deref())?);
        // SEC 1, uncompressed point.
        let point: Vec<u8> = [&[4][..], &x, &y].concat();
        let key = EcKey::from_sec1_bytes(&point).map_err(|_| Refusal::InvalidKey)?;
        let signature = EcSignature::from_slice(&token.signature).map_err(|_| Refusal::WrongSignature)?;
        key.verify(token.signed, &signature)
            .map_err(|_| Refusal::WrongSignature)
    }

    fn verify_ed(&self, token: &Jws<'_>) -> Result<(), Refusal> {
        let x: [u8; 32] = number(self.x.as_deref())?
            .try_into()
            .map_err(|_| Refusal::InvalidKey)?;
        let key = EdKey::from_bytes(&x).map_err(|_| Refusal::InvalidKey)?;
        let signature = EdSignature::from_slice(&token.signature).map_err(|_| Refusal::WrongSignature)?;
        // Strict: keys of small order verify any message.
        key.verify_strict(token.signed, &signature)
            .map_err(|_| Refusal::WrongSignature)
    }
}

fn number(text: Option<&str>) -> Result<Vec<u8>, Refusal> {
    let text = text.ok_or(Refusal::InvalidKey)?;
    BASE64URL_NOPAD
        .decode(text.as_bytes())
        .map_err(|_| Refusal::InvalidKey)
}

/// The key that a token was signed with; `None` if a newer set of keys may have it.
///
/// # Errors
/// The key that the token names is of another type, or it names none and there are several.
pub fn find<'a>(keys: &'a [Jwk], token: &Jws<'_>) -> Result<Option<&'a Jwk>, Refusal> {
    match &token.key_id {
        Some(id) => {
            let mut named = keys
                .iter()
                .filter(|key| key.kid.as_deref() == Some(id))
                .peekable();
            if named.peek().is_none() {
                return Ok(None);
            }
            named
                .find(|key| key.fits(token))
                .map(Some)
                .ok_or(Refusal::WrongKeyType)
        }
        None => {
            let mut fitting = keys.iter().filter(|key| key.fits(token));
            match (fitting.next(), fitting.next()) {
                (Some(_), Some(_)) => Err(Refusal::AmbiguousKey),
                (one, _) => Ok(one),
            }
        }
    }
}
