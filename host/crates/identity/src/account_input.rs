//! Checks of what accounts are made of.

use crate::error::{ErrorCode, FieldError, ServiceError};
use crate::password::NewPassword;

/// Returns the valid value, or records the error for the field.
pub(super) fn check<T>(
    outcome: std::result::Result<T, &'static str>,
    path: &str,
    errors: &mut Vec<FieldError>,
) -> Option<T> {
    outcome
        .map_err(|message| errors.push(FieldError::new(path, message)))
        .ok()
}

/// Checks the length of a new password.
///
/// # Errors
/// The reason, as text for the client.
pub fn check_password(password: String) -> std::result::Result<NewPassword, &'static str> {
    NewPassword::new(password).ok_or("must have 8 to 256 bytes")
}

/// The error for a username that another account has.
pub fn name_taken() -> ServiceError {
    ServiceError::conflict(
        ErrorCode::UsernameTaken,
        "an account with this name already exists",
    )
}
