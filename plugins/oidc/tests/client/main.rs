//! The client against a provider in memory: valid tokens of each algorithm, and tables of changed ones.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod logout;
mod provider;
mod refresh;
mod sign_in;
mod signer;
mod tokens;
mod userinfo;
