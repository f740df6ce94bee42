//! Constructors and accessors of the generated types.

use crate::{ExtractError, Extraction, IoError, Malformed, Value};

impl ExtractError {
    /// A damaged file, with the offset of the damage in bytes if it is known.
    pub fn invalid(offset: Option<u64>, reason: impl Into<String>) -> Self {
        Self::Invalid(Malformed {
            offset,
            reason: reason.into(),
        })
    }
}

impl Extraction {
    /// The value of the first field with this key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        let field = self.fields.iter().find(|field| field.key == key);
        field.map(|field| &field.value)
    }
}

/// Converts an error of [`std::io`]. An unexpected end means a damaged file, not a failed storage. A storage failure
/// is recorded in the [`Source`](crate::Source), and [`run`](crate::run) returns it instead of this error.
impl From<std::io::Error> for ExtractError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData => {
                Self::invalid(None, error.to_string())
            }
            _ => Self::Io(IoError::Failed(error.to_string())),
        }
    }
}
