//! What happens around every handler.

pub mod authorize;
pub mod catch;
pub mod cors;
pub mod request_layer;
