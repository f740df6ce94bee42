//! Languages as files have them: ISO 639-2 or BCP 47, packed letters, and QuickTime's numbers.

/// QuickTime's first numbers, in order, as ISO 639-2; the rest is hardly ever seen.
const QUICKTIME: [&str; 42] = [
    "eng", "fre", "ger", "ita", "dut", "swe", "spa", "dan", "por", "nor", "heb", "jpn", "ara", "fin", "gre",
    "ice", "mlt", "tur", "hrv", "chi", "urd", "hin", "tha", "kor", "lit", "pol", "hun", "est", "lav", "sme",
    "fao", "per", "rus", "chi", "dut", "gle", "alb", "rum", "cze", "slo", "slv", "yid",
];

/// A code that says something: not empty, not `und`, and of the letters that codes are made of.
pub(crate) fn known(code: &str) -> Option<String> {
    let code = code.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let is_code =
        (2..=35).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (is_code && !code.eq_ignore_ascii_case("und")).then(|| code.to_owned())
}

/// A code of three bytes, as MPEG has it.
pub(crate) fn letters(code: &[u8]) -> Option<String> {
    known(&std::str::from_utf8(code).ok()?.to_ascii_lowercase())
}

/// The number of a media header: three letters of five bits, or one of QuickTime's.
pub(crate) fn packed(number: u16) -> Option<String> {
    if number < 0x400 {
        return QUICKTIME.get(usize::from(number)).map(|code| (*code).to_owned());
    }
    let letter = |shift: u16| u8::try_from(number >> shift & 31).map_or('\0', |bits| char::from(bits + 0x60));
    known(&[letter(10), letter(5), letter(0)].iter().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_that_say_nothing_are_none() {
        assert_eq!(packed(0x55c4), None);
        assert_eq!(packed(0x7fff), None);
        assert_eq!(known("und"), None);
        assert_eq!(known("e g"), None);
        assert_eq!(known("pt-BR\0").as_deref(), Some("pt-BR"));
    }

    #[test]
    fn packed_languages_are_letters_or_numbers() {
        assert_eq!(packed(0x15c7).as_deref(), Some("eng"));
        assert_eq!(packed(2).as_deref(), Some("ger"));
    }
}
