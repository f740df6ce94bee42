//! What happens around every handler.

pub mod catch;
pub mod cors;
pub mod envelope;
pub mod guard;
