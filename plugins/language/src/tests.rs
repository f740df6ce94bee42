//! Tests of language tags: codes, names, words of file names, codes of MP4, and the tables.

use std::collections::HashSet;

use super::*;

#[test]
fn each_language_has_one_tag_for_all_its_names() {
    for (stated, expected) in [
        ("en", "en"),
        ("eng", "en"),
        ("ENG", "en"),
        ("English", "en"),
        ("ger", "de"),
        ("deu", "de"),
        ("Deutsch", "de"),
        ("cze\0", "cs"),
        ("ces", "cs"),
        ("chi", "zh"),
        ("zho", "zh"),
        ("cmn", "zh"),
        ("may", "ms"),
        ("nob", "nb"),
        ("scr", "hr"),
        ("iw", "he"),
        ("tiếng việt", "vi"),
        ("fil", "fil"),
        // Codes of three letters without a shorter one are kept.
        ("haw", "haw"),
        ("ANG", "ang"),
        ("mul", "mul"),
        ("zxx", "zxx"),
    ] {
        assert_eq!(tag(stated).as_deref(), Some(expected), "{stated}");
    }
}

#[test]
fn tags_are_written_as_the_standard_has_them() {
    for (stated, expected) in [
        ("pt-br", "pt-BR"),
        ("por_BR", "pt-BR"),
        ("EN-us", "en-US"),
        ("en-UK", "en-GB"),
        ("ZH-HANT-tw", "zh-Hant-TW"),
        ("chs-CN", "zh-CN"),
        ("es-419", "es-419"),
        ("sr_latn", "sr-Latn"),
        ("zh-yue-HK", "yue-HK"),
        ("zh-cmn-Hans", "zh-Hans"),
        ("de_AT.UTF-8", "de-AT"),
        ("ca-valencia", "ca-valencia"),
        ("de-DE-1996", "de-DE-1996"),
        ("pob", "pt-BR"),
        ("mo", "ro"),
    ] {
        assert_eq!(tag(stated).as_deref(), Some(expected), "{stated}");
        assert_eq!(tag(expected).as_deref(), Some(expected), "a tag stays as it is");
    }
}

#[test]
fn other_text_is_not_a_language() {
    let long = format!("en{}", "-x".repeat(40));
    for stated in [
        "",
        " ",
        "\0\0\0",
        "und",
        "UND",
        "und-US",
        "mis",
        "qaa",
        "qtz",
        "xx",
        "e g",
        "en-",
        "-en",
        "i-default",
        "x-mine",
        "englisch",
        "12",
        "e",
        "en\u{7f}",
        &long,
    ] {
        assert_eq!(tag(stated), None, "{stated:?}");
    }
    // The first code after the range for private use.
    assert_eq!(tag("qua").as_deref(), Some("qua"));
}

#[test]
fn words_of_names_are_languages_only_if_they_are_known() {
    assert_eq!(
        (word("Français"), word("fra"), word("FR")),
        (Some("fr"), Some("fr"), Some("fr"))
    );
    assert_eq!(
        (word("cut"), word("und"), word("x"), word("")),
        (None, None, None, None)
    );
    assert_eq!(region("zh", "Simplified", false), Some("Hans"));
    assert_eq!(region("pt-BR", "brazil", false), Some("BR"));
    assert_eq!(region("en", "simplified", false), None);
    assert_eq!(
        (region("en", "uk", false), region("uk", "uk", false)),
        (Some("GB"), None)
    );
    assert_eq!(
        (region("hi", "in", true), region("hi", "in", false)),
        (Some("IN"), None)
    );
}

#[test]
fn mp4_languages_are_letters_or_numbers() {
    assert_eq!(mp4_tag(0x15c7).as_deref(), Some("en"));
    assert_eq!(mp4_tag(0x1cb2).as_deref(), Some("de"));
    assert_eq!(
        (mp4_tag(2).as_deref(), mp4_tag(33).as_deref()),
        (Some("de"), Some("zh-Hans"))
    );
    assert_eq!((mp4_tag(94).as_deref(), mp4_tag(95)), (Some("eo"), None));
    // "und" and an unset value.
    assert_eq!((mp4_tag(0x55c4), mp4_tag(0x7fff)), (None, None));
}

#[test]
fn table_has_unique_well_formed_entries() {
    let mut said = HashSet::new();
    for (code, terminology, bibliography, names) in LANGUAGES {
        let codes = [*terminology, *bibliography]
            .into_iter()
            .filter(|other| other != code && !other.is_empty());
        // Some names are equal to their code.
        let all: HashSet<_> = codes.chain([*code]).chain(names.split('|')).collect();
        for one in all {
            assert!(said.insert(one), "{one} twice");
            assert_eq!(one.to_lowercase(), one);
        }
        assert_eq!(tag(code).as_deref(), Some(*code));
    }
    for (alias, of) in ALIASES {
        assert!(said.insert(alias), "{alias} twice");
        assert_eq!(tag(of).as_deref(), Some(*of));
    }
    for one in QUICKTIME.split(' ') {
        assert_eq!(tag(one).as_deref(), Some(one));
    }
    assert_eq!(COUNTRIES.split(' ').collect::<HashSet<_>>().len(), 249);
    assert!(
        COMMON_REGIONS
            .split(' ')
            .all(|region| region == "419" || COUNTRIES.contains(region))
    );
}
