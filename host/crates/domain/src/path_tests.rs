//! Tests of relative paths and names.

use super::*;

#[test]
fn is_below_compares_whole_names() {
    let path = |text: &str| RelativePath::from_stored(text.to_owned());
    assert!(path("a/b").is_below(&path("a")));
    assert!(path("a").is_below(&path("a")));
    assert!(path("a").is_below(&path("")));
    assert!(!path("ab").is_below(&path("a")));
}

#[test]
fn names_round_trip_as_text() {
    let names: [&[u8]; 6] = [
        b"plain.mp3",
        b"caf\xe9.mp3",
        "caf\u{e9}.mp3".as_bytes(),
        b"\xff\xfe",
        "\u{f7e9}".as_bytes(),
        b"a\nb",
    ];
    let mut texts = std::collections::HashSet::new();
    for name in names {
        let text = name_to_text(OsStr::from_bytes(name));
        assert_eq!(name_into_text(OsString::from_vec(name.to_vec())), text);
        assert_eq!(text_to_os(&text).as_bytes(), name);
        assert!(texts.insert(text), "two names with one text");
    }
}

#[test]
fn client_paths_stay_below_the_root() {
    for good in [
        "",
        "a",
        "a/b.flac",
        "...",
        "..a/b..",
        "a\\b",
        "\u{f7e9}t\u{f7e9}",
        "C:",
    ] {
        assert_eq!(
            RelativePath::parse(good).as_ref().map(RelativePath::as_str),
            Some(good)
        );
    }
    for bad in [
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/../b",
        "a/./b",
        "../a",
        "a\0b",
        "\u{f72e}\u{f72e}",
        "a\u{f72f}..\u{f72f}b",
        "a\u{f700}",
        "\u{f761}",
    ] {
        assert_eq!(RelativePath::parse(bad), None, "{bad:?}");
    }
}

#[test]
fn sidecar_names_of_plugins_stay_near_the_file() {
    let movie = RelativePath::from_stored("Films/Heat/Heat.mkv".to_owned());
    for (name, path) in [
        ("Heat.srt", Some("Films/Heat/Heat.srt")),
        ("Subs/en.srt", Some("Films/Heat/Subs/en.srt")),
        ("../poster.jpg", Some("Films/poster.jpg")),
        ("..poster.jpg", Some("Films/Heat/..poster.jpg")),
        ("", None),
        ("..", None),
        ("../", None),
        ("../..", None),
        ("../../secret.jpg", None),
        ("../Other/secret.jpg", None),
        ("Subs/../../secret.jpg", None),
        ("a/b/c.srt", None),
        ("/etc/secret.jpg", None),
        ("Subs//en.srt", None),
        ("a\0.srt", None),
        ("\u{f72e}\u{f72e}/secret.jpg", None),
    ] {
        let found = movie.sibling(name);
        assert_eq!(found.as_ref().map(RelativePath::as_str), path, "{name:?}");
    }
    let top = RelativePath::from_stored("Heat.mkv".to_owned());
    assert_eq!(
        top.sibling("Heat.srt").map(|path| path.0),
        Some("Heat.srt".to_owned())
    );
    assert_eq!(top.sibling("../poster.jpg"), None, "no directory above the root");
    assert_eq!(RelativePath::root().sibling("a"), None);
}

#[test]
fn parent_and_name_split_at_the_last_slash() {
    let path = RelativePath::root().join_text("a").join_text("b.flac");
    assert_eq!(path.as_str(), "a/b.flac");
    assert_eq!(path.file_name(), "b.flac");
    assert_eq!(
        path.parent().and_then(|parent| parent.parent()),
        Some(RelativePath::root())
    );
    assert_eq!(RelativePath::root().parent(), None);
    assert_eq!((&*extension("x.FLAC"), &*extension(".hidden")), ("flac", ""));
}
