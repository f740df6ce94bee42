//! Sign-in with a provider of OpenID Connect: the plugin of world `cloud-client` behind the options `oidc-*`.
//!
//! [`client`] has the functions; [`provider`] finds the provider's endpoints and keys; [`jws`] and [`jwk`] verify
//! signatures; [`claims`] checks what a token says. They know the host only as an [`environment::Environment`], so that
//! their tests run natively.

pub mod claims;
pub mod client;
pub mod environment;
pub mod error;
mod guest;
pub mod jwk;
pub mod jws;
pub mod options;
pub mod provider;
pub mod token_endpoint;

pub use guest::Oidc;
