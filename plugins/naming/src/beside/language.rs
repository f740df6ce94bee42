//! Languages as the names of subtitles have them: ISO 639 codes, English names and their own.

/// ISO 639-1, the codes of ISO 639-2, and names in lower case.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("af", &["afr", "afrikaans"]),
    ("ar", &["ara", "arabic", "العربية"]),
    ("az", &["aze", "azerbaijani"]),
    ("be", &["bel", "belarusian"]),
    ("bg", &["bul", "bulgarian", "български"]),
    ("bn", &["ben", "bengali"]),
    ("bs", &["bos", "bosnian", "bosanski"]),
    ("ca", &["cat", "catalan", "català"]),
    ("cs", &["ces", "cze", "czech", "čeština", "cesky"]),
    ("cy", &["cym", "wel", "welsh"]),
    ("da", &["dan", "danish", "dansk"]),
    ("de", &["deu", "ger", "german", "deutsch"]),
    ("el", &["ell", "gre", "greek", "ελληνικά"]),
    ("en", &["eng", "english"]),
    ("eo", &["epo", "esperanto"]),
    (
        "es",
        &["spa", "esp", "spanish", "español", "espanol", "castellano"],
    ),
    ("et", &["est", "estonian", "eesti"]),
    ("eu", &["eus", "baq", "basque", "euskara"]),
    ("fa", &["fas", "per", "persian", "farsi"]),
    ("fi", &["fin", "finnish", "suomi"]),
    ("fil", &["filipino", "tagalog", "tgl"]),
    ("fr", &["fra", "fre", "french", "français", "francais"]),
    ("ga", &["gle", "irish"]),
    ("gl", &["glg", "galician", "galego"]),
    ("he", &["heb", "hebrew", "iw", "עברית"]),
    ("hi", &["hin", "hindi"]),
    ("hr", &["hrv", "scr", "croatian", "hrvatski"]),
    ("hu", &["hun", "hungarian", "magyar"]),
    ("hy", &["hye", "arm", "armenian"]),
    ("id", &["ind", "indonesian"]),
    ("is", &["isl", "ice", "icelandic"]),
    ("it", &["ita", "italian", "italiano"]),
    ("ja", &["jpn", "jap", "japanese", "日本語"]),
    ("ka", &["kat", "geo", "georgian"]),
    ("kk", &["kaz", "kazakh"]),
    ("km", &["khm", "khmer"]),
    ("kn", &["kan", "kannada"]),
    ("ko", &["kor", "korean", "한국어"]),
    ("la", &["lat", "latin"]),
    ("lt", &["lit", "lithuanian"]),
    ("lv", &["lav", "latvian"]),
    ("mk", &["mkd", "mac", "macedonian"]),
    ("ml", &["mal", "malayalam"]),
    ("mn", &["mon", "mongolian"]),
    ("mr", &["mar", "marathi"]),
    ("ms", &["msa", "may", "malay"]),
    ("nb", &["nob"]),
    ("nl", &["nld", "dut", "dutch", "nederlands", "flemish"]),
    ("nn", &["nno"]),
    ("no", &["nor", "norwegian", "norsk"]),
    ("pl", &["pol", "polish", "polski"]),
    (
        "pt",
        &["por", "portuguese", "português", "portugues", "brazilian"],
    ),
    ("ro", &["ron", "rum", "romanian", "română"]),
    ("ru", &["rus", "russian", "русский"]),
    ("sk", &["slk", "slo", "slovak", "slovenčina"]),
    ("sl", &["slv", "slovenian", "slovenščina"]),
    ("sq", &["sqi", "alb", "albanian"]),
    ("sr", &["srp", "scc", "serbian", "srpski"]),
    ("sv", &["swe", "swedish", "svenska"]),
    ("ta", &["tam", "tamil"]),
    ("te", &["tel", "telugu"]),
    ("th", &["tha", "thai", "ไทย"]),
    ("tr", &["tur", "turkish", "türkçe", "turkce"]),
    ("uk", &["ukr", "ukrainian", "українська"]),
    ("ur", &["urd", "urdu"]),
    ("vi", &["vie", "vietnamese", "tiếng việt"]),
    ("zh", &["zho", "chi", "chinese", "chs", "cht", "中文"]),
];

/// Regions and scripts behind a language, as they are written in BCP 47.
const REGIONS: &[&str] = &[
    "419", "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CN", "DE", "ES", "FR", "GB", "Hans", "Hant", "HK",
    "IT", "MX", "NL", "NZ", "PT", "RS", "SG", "TW", "UK", "US", "Latn", "Cyrl",
];

/// The ISO 639-1 code of a language, by any of its codes or names; codes that have none of two letters stay.
pub(super) fn code(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let (code, _) = LANGUAGES
        .iter()
        .find(|(code, names)| *code == word || names.contains(&word.as_str()))?;
    Some(code)
}

/// A region or script, as it is written.
pub(super) fn region(word: &str) -> Option<&'static str> {
    REGIONS
        .iter()
        .find(|region| region.eq_ignore_ascii_case(word))
        .copied()
}
