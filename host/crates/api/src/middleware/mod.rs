//! What happens around every handler.

pub mod catch;
pub mod cors;
pub mod request_layer;
pub mod authorize;
