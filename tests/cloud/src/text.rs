//! The forms of texts in the protocol.

use crate::error::Refusal;

/// 1 to `most` characters, none of them a control character.
fn is_line(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

fn visible_ascii(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn expect(holds: bool, message: &'static str) -> Result<(), Refusal> {
    if holds {
        Ok(())
    } else {
        Err(Refusal::InvalidRequest(message))
    }
}

/// The id of an installation.
pub(crate) fn instance_id(text: &str) -> Result<(), Refusal> {
    expect(
        visible_ascii(text, 128),
        "instanceId: 1 to 128 visible ASCII characters",
    )
}

/// The name of a server or of an account.
pub(crate) fn name(text: &str) -> Result<(), Refusal> {
    expect(is_line(text, 128), "name: 1 to 128 characters")
}

/// The name by which an account signs in.
pub(crate) fn username(text: &str) -> Result<(), Refusal> {
    expect(
        is_line(text, 64) && text.trim() == text,
        "username: 1 to 64 characters, no space at its ends",
    )
}

/// The role that an invitation grants.
pub(crate) fn role(text: &str) -> Result<(), Refusal> {
    expect(is_line(text, 64), "role: 1 to 64 characters")
}

/// The id of a release channel, or the tier of a subscription.
pub(crate) fn label(text: &str) -> Result<(), Refusal> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    expect(
        (1..=32).contains(&text.len()) && text.bytes().all(allowed),
        "id: [a-z0-9-]{1,32}",
    )
}

/// An address for e-mails: only what could break out of its header is refused.
pub(crate) fn email(text: &str) -> Result<(), Refusal> {
    expect(
        visible_ascii(text, 254) && text.contains('@'),
        "email: an address of at most 254 characters",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_lengths_are_refused() {
        assert!(name("Living room – é").is_ok());
        for wrong in ["", "a\nb", "a\u{0}", &"x".repeat(129)] {
            assert!(name(wrong).is_err(), "{wrong:?}");
        }
        assert!(label("stable-2").is_ok());
        assert!(label("Stable").is_err() && label("").is_err());
        assert!(email("ada@example.org").is_ok());
        assert!(email("ada@example.org\r\nBcc: x").is_err());
    }
}
