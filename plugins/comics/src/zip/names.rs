//! Names of files: UTF-8 where the archive says so or the bytes are, otherwise code page 437 of MS-DOS.

use super::extra_fields::extra_fields;
use super::{IS_UTF8, u32_at};

/// Field with the name in UTF-8, and the checksum of the name that it replaces.
const UNICODE_PATH: u16 = 0x7075;

/// 0x80 to 0xff of code page 437.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Decodes a name. Backslashes, which some programs of Windows write, become slashes.
pub(super) fn decode(name: &[u8], flags: u16, extra: &[u8]) -> String {
    let mut fields = extra_fields(extra);
    let unicode = fields.find_map(|(id, field)| {
        let (head, text) = field.split_at_checked(5)?;
        let is_current =
            id == UNICODE_PATH && head.first() == Some(&1) && u32_at(head, 1) == crc32fast::hash(name);
        is_current.then(|| std::str::from_utf8(text).ok()).flatten()
    });
    let text = match (unicode, std::str::from_utf8(name)) {
        (Some(text), _) | (None, Ok(text)) => text.to_owned(),
        (None, Err(_)) if flags & IS_UTF8 != 0 => String::from_utf8_lossy(name).into_owned(),
        (None, Err(_)) => name.iter().map(|byte| character(*byte)).collect(),
    };
    text.replace('\\', "/")
}

fn character(byte: u8) -> char {
    match byte.checked_sub(0x80) {
        Some(high) => CP437
            .chars()
            .nth(high.into())
            .unwrap_or(char::REPLACEMENT_CHARACTER),
        None => byte.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_utf8_or_code_page_437() {
        assert_eq!(CP437.chars().count(), 128);
        assert_eq!(decode("Übung.jpg".as_bytes(), IS_UTF8, &[]), "Übung.jpg");
        // macOS writes UTF-8 without the flag.
        assert_eq!(decode("Übung.jpg".as_bytes(), 0, &[]), "Übung.jpg");
        assert_eq!(decode(b"\x9abung\\1.jpg", 0, &[]), "Übung/1.jpg");
        assert_eq!(decode(b"\xff", 0, &[]), "\u{a0}");
        assert_eq!(decode(b"a\xff", IS_UTF8, &[]), "a\u{fffd}");
    }

    #[test]
    fn unicode_field_counts_for_its_name_only() {
        let field = |name: &[u8]| {
            let text = "日本.jpg".as_bytes();
            let mut field = vec![0x75, 0x70, (5 + text.len()) as u8, 0, 1];
            field.extend(crc32fast::hash(name).to_le_bytes());
            field.extend(text);
            field
        };
        assert_eq!(decode(b"??.jpg", 0, &field(b"??.jpg")), "日本.jpg");
        assert_eq!(decode(b"??.jpg", 0, &field(b"renamed.jpg")), "??.jpg");
    }
}
