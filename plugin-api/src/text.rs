//! Texts as the contract wants them: no control characters but line breaks, trimmed, never empty.

/// The most bytes of one text: 16 KiB, far above any name and enough for a comment.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// The text as it may be sent, or `None` where nothing is left of it.
///
/// Control characters (NUL, DEL, C1 too) and stray byte order marks go, a tab becomes a space, every kind of
/// line break becomes `\n`, and what is beyond 16 KiB is cut at a character.
///
/// ```
/// use svc_plugin_api::clean_text;
/// assert_eq!(clean_text(" A\0\tline\r\nand more\u{7f} ").as_deref(), Some("A line\nand more"));
/// assert_eq!(clean_text("\0 \0"), None);
/// ```
pub fn clean_text(text: &str) -> Option<String> {
    let text = cut(text.trim_matches(|c: char| c.is_whitespace() || is_noise(c)));
    if text.is_empty() {
        return None;
    }
    if !text.contains(is_noise) {
        return Some(text.to_owned());
    }
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                if characters.peek() != Some(&'\n') {
                    clean.push('\n');
                }
            }
            '\n' => clean.push('\n'),
            '\t' => clean.push(' '),
            noise if is_noise(noise) => {}
            kept => clean.push(kept),
        }
    }
    Some(clean)
}

fn is_noise(character: char) -> bool {
    (character.is_control() && character != '\n') || character == '\u{feff}'
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).map_or("", str::trim_end)
}

#[cfg(test)]
mod tests {
    use super::{MAX_TEXT_BYTES, clean_text};

    #[test]
    fn clean_text_long_is_cut_at_a_character() {
        let text = "ä".repeat(MAX_TEXT_BYTES);
        let clean = clean_text(&format!("a{text}")).unwrap();
        assert_eq!(clean.len(), MAX_TEXT_BYTES - 1);
        assert!(clean.ends_with('ä'));
    }

    #[test]
    fn clean_text_without_characters_is_none() {
        for noise in ["", " ", "\u{feff}", "\u{0}\u{1}\u{9f}", "\r\n\t"] {
            assert_eq!(clean_text(noise), None, "{noise:?}");
        }
    }
}
