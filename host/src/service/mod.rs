//! The use cases, one file per resource. A service takes the actor where it matters, asks store and plugins, and
//! knows nothing of HTTP. Whether the actor may call it at all is the route's capability, checked before.

pub mod authentication;
pub mod browse;
pub mod error;
pub mod indexing;
pub mod login;
pub mod media;
pub mod music;
pub mod photos;
pub mod plugins;
pub mod server;
pub mod setup;
