//! Private keys of the tests' provider, and tokens signed with them.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use ed25519_dalek::Signer as _;
use p256::ecdsa::{Signature as EcSignature, SigningKey as EcKey};
use rsa::pkcs1v15::SigningKey as RsaKey;
use rsa::signature::SignatureEncoding as _;
use rsa::traits::PublicKeyParts as _;
use rsa::{BoxedUint, PrivateKey};
use serde_json::{Value, json};
use sha2::Sha256;

/// The primes of an RSA key of 2048 bits that protects nothing.
const P: &str = "\
    c9252f33d5e755c70e7d39ae5d6b77c88272aa9f4ec0f49dd00ff364d90b017189d8c65951f63ca6b26875282322d667\
    ceb7583cdeb58eb6092f276c2b45aaff0e317c8c5844cad6e67632e2bc4f653292717bb9736da52986f4862ebb4990f5\
    8ae5e7283a313bce1b119b034ddddc54c5f45f8e9212c642aae242d47957efdd";
const Q: &str = "\
    bc56db12d7345ba70dca4d6a2dff0b2d0f38c45884e412d27d7a91f7a03be8d16fd3f65bd0f2029c66e6d1da808f49a5\
    4bfa493186ba38a6dd5dc4822b431b1e41022d8bcbe1f974612b72a9e2946c6ca82f9d2c006216a660e5670d750ea232\
    4a2140313e525cf3d725c3a95d98874dcb3f3cd9159121d5378918d4600a1feb";

/// A key of the provider.
pub(crate) enum Signer {
    Rs256(Box<PrivateKey>),
    Es256(Box<EcKey>),
    EdDsa(Box<ed25519_dalek::SigningKey>),
}

pub(crate) fn base64(bytes: impl AsRef<[u8]>) -> String {
    BASE64URL_NOPAD.encode(bytes.as_ref())
}

fn integer(hex: &str) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(&HEXLOWER.decode(hex.as_bytes()).unwrap())
}

impl Signer {
    pub(crate) fn rs256() -> Self {
        let key = PrivateKey::from_p_q(integer(P), integer(Q), BoxedUint::from(65537u64));
        Self::Rs256(Box::new(key.unwrap()))
    }

    pub(crate) fn es256(seed: u8) -> Self {
        Self::Es256(Box::new(EcKey::from_slice(&[seed; 32]).unwrap()))
    }

    pub(crate) fn eddsa() -> Self {
        Self::EdDsa(Box::new(ed25519_dalek::SigningKey::from_bytes(&[7; 32])))
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rs256(_) => "RS256",
            Self::Es256(_) => "ES256",
            Self::EdDsa(_) => "EdDSA",
        }
    }

    /// The public key, with a key id.
    pub(crate) fn jwk(&self, kid: &str) -> Value {
        let mut key = match self {
            Self::Rs256(key) => {
                let key = key.to_public_key();
                let (n, e) = (
                    key.n().to_be_bytes_trimmed_vartime(),
                    key.e().to_be_bytes_trimmed_vartime(),
                );
                json!({"kty": "RSA", "n": base64(n), "e": base64(e)})
            }
            Self::Es256(key) => {
                let point = key.verifying_key().to_sec1_point(false);
                json!({"kty": "EC", "crv": "P-256", "x": base64(point.x().unwrap()), "y": base64(point.y().unwrap())})
            }
            Self::EdDsa(key) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": base64(key.verifying_key().to_bytes())})
            }
        };
        key["kid"] = kid.into();
        key["use"] = "sig".into();
        key["alg"] = self.algorithm().into();
        key
    }

    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", base64(header.to_string()), base64(claims.to_string()));
        let signature = match self {
            Self::Rs256(key) => RsaKey::<Sha256>::new((**key).clone())
                .sign(signed.as_bytes())
                .to_vec(),
            Self::Es256(key) => {
                let signature: EcSignature = key.sign(signed.as_bytes());
                signature.to_vec()
            }
            Self::EdDsa(key) => key.sign(signed.as_bytes()).to_vec(),
        };
        format!("{signed}.{}", base64(signature))
    }
}
