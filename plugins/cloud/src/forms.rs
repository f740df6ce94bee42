//! The forms of texts in the protocol.

use svc_plugin_api::cloud::CloudError;

/// The result of a function of the plugin.
pub type Result<T> = std::result::Result<T, CloudError>;

/// Characters of names, and of a user's name.
pub const NAME: usize = 128;
pub const USERNAME: usize = 64;
/// Characters of a credential or a token.
const CREDENTIAL: usize = 512;

/// The id of an account or an invitation: `[A-Za-z0-9_-]{8,64}`. It becomes part of a path.
pub fn id(text: String) -> Result<String> {
    let is_character = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
    let is_id = matches!(text.len(), 8..=64) && text.bytes().all(is_character);
    is_id.then_some(text).ok_or(CloudError::Unavailable)
}

/// Whether it is 1 to 512 visible ASCII characters, which travel in a header.
pub fn is_credential(text: &str) -> bool {
    matches!(text.len(), 1..=CREDENTIAL) && text.bytes().all(|c| c.is_ascii_graphic())
}

/// A credential that the cloud issued.
pub fn credential(text: String) -> Result<String> {
    let issued = Some(text).filter(|text| is_credential(text));
    issued.ok_or(CloudError::Unavailable)
}

/// Whether it is a tier or the id of a release channel: `[a-z0-9-]{1,32}`.
pub fn is_name(text: &str) -> bool {
    let is_character = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    matches!(text.len(), 1..=32) && text.bytes().all(is_character)
}

/// Whether it is the code of an error: `[a-z0-9_]{1,64}`.
pub fn is_code(text: &str) -> bool {
    let is_character = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
    matches!(text.len(), 1..=64) && text.bytes().all(is_character)
}

/// Whether it is a shortcode: 16 characters of Crockford's base32, in groups with hyphens.
pub fn is_shortcode(text: &str) -> bool {
    let is_character = |c: u8| c.is_ascii_digit() || c.is_ascii_uppercase() && !b"ILOU".contains(&c);
    let characters: Vec<u8> = text.bytes().filter(|c| *c != b'-').collect();
    characters.len() == 16 && text.len() <= 19 && characters.into_iter().all(is_character)
}

/// A text of 1 to `most` characters; none if it is another.
pub fn text(text: Option<String>, most: usize) -> Result<Option<String>> {
    match text {
        Some(text) if text.is_empty() || text.chars().count() > most => Err(CloudError::Unavailable),
        text => Ok(text),
    }
}

/// The first `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
