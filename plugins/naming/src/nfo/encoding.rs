//! Decodes a sidecar; the encoding that its first line declares is often wrong.

/// The text, with a warning if its encoding is not the declared one. Tries the byte order mark, UTF-8, UTF-16 without
/// a mark (by its zeros), then Windows-1252, a superset of Latin-1.
pub(super) fn decode(bytes: &[u8]) -> (String, Option<&'static str>) {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return utf8_or_western(rest);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes);
    }
    match bytes {
        [first, 0, _, 0, ..] if *first != 0 => utf16(bytes, u16::from_le_bytes),
        [0, first, 0, _, ..] if *first != 0 => utf16(bytes, u16::from_be_bytes),
        _ => utf8_or_western(bytes),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (String, Option<&'static str>) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let mut broken = !rest.is_empty();
    let text = char::decode_utf16(units)
        .map(|character| {
            character.unwrap_or_else(|_| {
                broken = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    (text, broken.then_some("broken UTF-16"))
}

fn utf8_or_western(bytes: &[u8]) -> (String, Option<&'static str>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        // The text is cut within a character, but it is UTF-8.
        Err(error) if error.error_len().is_none() => {
            (String::from_utf8_lossy(bytes).into_owned(), Some("cut off"))
        }
        Err(_) => {
            let text = bytes.iter().map(|byte| western(*byte)).collect();
            (
                text,
                (!declares_western(bytes)).then_some("not UTF-8, read as Windows-1252"),
            )
        }
    }
}

/// Whether the first line declares a Western encoding.
fn declares_western(bytes: &[u8]) -> bool {
    let head = bytes.get(..200).unwrap_or(bytes).to_ascii_lowercase();
    [b"8859-1".as_slice(), b"windows-1252", b"latin1"]
        .iter()
        .any(|name| head.windows(name.len()).any(|window| window == *name))
}

/// 0x80 to 0x9f of Windows-1252; its five undefined bytes stay control characters.
const WESTERN: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn western(byte: u8) -> char {
    let special = byte
        .checked_sub(0x80)
        .and_then(|index| WESTERN.get(usize::from(index)));
    special.copied().unwrap_or(char::from(byte))
}
