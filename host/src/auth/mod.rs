//! Who calls, and what they may do: passwords, tokens, roles, capabilities. Knows no HTTP and no database.

pub mod access_token;
pub mod actor;
pub mod app;
pub mod buckets;
pub mod capability;
pub mod credential;
pub mod item_link;
pub mod password;
pub mod policy;
pub mod role;
pub mod secret_token;
pub mod throttle;
pub mod turns;
