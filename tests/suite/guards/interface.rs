//! The versions of the plugin interface: each folder of `wit/` grows into the next, and the server serves the newest two.

use std::path::PathBuf;

use svc_test_support::interfaces::{Change, breaks, made_up};
use svc_tests::workspace;

/// The folders of `wit/`, oldest first, with their numbers.
fn folders() -> Vec<((u32, u32), PathBuf)> {
    let entries = std::fs::read_dir(workspace().join("wit")).unwrap();
    let mut folders: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let numbers = name.strip_prefix('v').and_then(|numbers| numbers.split_once('.'));
            let (major, minor) = numbers.unwrap_or_else(|| panic!("wit/{name} is not a version"));
            ((major.parse().unwrap(), minor.parse().unwrap()), path)
        })
        .collect();
    folders.sort();
    folders
}

/// What is wrong with a version that is 0.1 after these changes.
fn breaks_of(changes: &[Change<'_>]) -> Vec<String> {
    breaks(&workspace().join("wit/v0.1"), made_up("0.2.0", changes).path())
}

#[track_caller]
fn is_refused(change: Change<'_>, reason: &str) {
    let found = breaks_of(&[change]);
    assert!(
        found.iter().any(|problem| problem.contains(reason)),
        "{change:?}: {found:#?}"
    );
}

#[test]
fn each_version_grows_into_the_next() {
    let folders = folders();
    assert!(!folders.is_empty());
    for pair in folders.windows(2) {
        let [(_, before), (_, next)] = pair else {
            unreachable!()
        };
        let found = breaks(before, next);
        assert!(found.is_empty(), "{}: {found:#?}", next.display());
    }
}

#[test]
fn older_versions_are_released_and_the_newest_two_are_served() {
    let folders = folders();
    let pinned = std::fs::read_to_string(workspace().join("wit/released.txt")).unwrap();
    let (_, older) = folders.split_last().unwrap();
    for ((major, minor), _) in older {
        let line = format!("v{major}.{minor} ");
        assert!(
            pinned.lines().any(|found| found.starts_with(&line)),
            "{line}has no digest"
        );
    }
    let newest = folders.iter().rev().take(2);
    let newest: Vec<String> = newest
        .map(|((major, minor), _)| format!("{major}.{minor}.0"))
        .collect();
    assert_eq!(svc_plugin_host::served_versions().collect::<Vec<_>>(), newest);
}

#[test]
fn version_with_additions_alone_is_accepted() {
    let found = breaks_of(&[
        (
            "source.wit",
            "size: func() -> u64;",
            "size: func() -> u64;\n    is-empty: func() -> bool;",
        ),
        (
            "artwork.wit",
            "interface artwork {",
            "interface sky { brightness: func() -> u64; }\ninterface chapters { count: func() -> u32; }\ninterface artwork {",
        ),
        (
            "worlds.wit",
            "/// Renders thumbnails.",
            "world media-extractor-with-chapters { include media-extractor; import sky; export chapters; }\n/// Renders thumbnails.",
        ),
        (
            "types.wit",
            "record span {",
            "record part { span: span, name: string }\nrecord span {",
        ),
    ]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn version_that_removes_or_changes_something_is_refused() {
    is_refused(
        ("source.wit", "size: func() -> u64;", ""),
        "`size` of the interface `source` is gone",
    );
    is_refused(
        ("source.wit", "size: func() -> u64;", "size: func() -> u32;"),
        "the world `media-extractor`",
    );
    is_refused(
        ("types.wit", "title: option<string>,", "title: string,"),
        "the world `media-extractor`",
    );
    is_refused(
        (
            "types.wit",
            "title: option<string>,",
            "title: option<string>, subtitle: option<string>,",
        ),
        "the world `media-extractor`",
    );
    is_refused(
        (
            "types.wit",
            "boolean(bool),",
            "boolean(bool),\n        duration(u64),",
        ),
        "the world `media-extractor`",
    );
    is_refused(("log.wit", "warn,", ""), "the world `image-thumbnailer`");
    // Plugins that exist do not have it: the host finds new abilities in interfaces of their own.
    is_refused(
        (
            "artwork.wit",
            "read: func",
            "count: func() -> u32;\n    read: func",
        ),
        "the world `media-extractor-with-artwork`",
    );
    is_refused(
        ("worlds.wit", "export artwork;", ""),
        "the world `media-extractor-with-artwork` does not export `svc:plugin/artwork`",
    );
    is_refused(
        ("worlds.wit", "    import related;\n", ""),
        "the world `media-extractor-with-related`",
    );
    is_refused(
        ("worlds.wit", "world waveform-analyzer", "world audio-analyzer"),
        "the world `waveform-analyzer` is gone",
    );
}
