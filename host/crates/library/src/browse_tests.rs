//! Tests of directory listings.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::listing::is_about_the_path;
use super::*;

fn listing(roots: &[&Path], path: &str) -> Listing {
    let roots = roots.iter().map(|path| Root {
        path: path.to_path_buf(),
        indexed: HashSet::from(["2.mp3".to_owned()]),
    });
    Listing {
        roots: roots.collect(),
        path: RelativePath::parse(path).unwrap(),
        kind: MediaKind::music(),
        files: true,
        extensions: HashSet::from(["mp3".to_owned()]),
        shown: VisibleFolders::default(),
    }
}

fn names(listing: Listing) -> Vec<String> {
    let nodes = listing.read().unwrap().nodes;
    nodes.iter().map(|node| node.path.as_str().to_owned()).collect()
}

fn refused_path(result: Result<BrowsedDirectory>) -> String {
    match result {
        Err(ServiceError::Invalid(errors)) => errors[0].path.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nodes_are_in_natural_order() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "10.mp3",
        "2.mp3",
        "B.mp3",
        "a.mp3",
        ".hidden",
        "...And Justice.mp3",
    ] {
        fs::write(dir.path().join(name), "x").unwrap();
    }
    for name in ["Disc 10", "disc 2", ".git", "@eaDir", "z"] {
        fs::create_dir(dir.path().join(name)).unwrap();
    }
    assert_eq!(
        names(listing(&[dir.path()], "")),
        [
            "disc 2",
            "Disc 10",
            "z",
            "...And Justice.mp3",
            "2.mp3",
            "10.mp3",
            "a.mp3",
            "B.mp3"
        ]
    );
}

#[test]
fn nodes_have_type_size_and_kind() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["full", "nested/below", "empty", "hidden"] {
        fs::create_dir_all(dir.path().join(path)).unwrap();
    }
    for path in ["full/x", "hidden/.x", "1.MP3", "2.mp3", "cover.jpg"] {
        fs::write(dir.path().join(path), "four").unwrap();
    }
    let content = |files| {
        let listing = Listing {
            files,
            ..listing(&[dir.path()], "")
        };
        let nodes = listing.read().unwrap().nodes;
        let content = nodes
            .into_iter()
            .map(|node| (node.path.as_str().to_owned(), node.content));
        content.collect::<HashMap<_, _>>()
    };
    let all = content(true);
    for (name, has_children) in [
        ("full", true),
        ("nested", true),
        ("empty", false),
        ("hidden", false),
    ] {
        assert_eq!(all[name], NodeContent::Directory { has_children }, "{name}");
    }
    for (name, kind, indexed) in [
        ("1.MP3", Some(MediaKind::music()), false),
        ("2.mp3", Some(MediaKind::music()), true),
        ("cover.jpg", None, false),
    ] {
        let expected = NodeContent::File {
            size: 4,
            kind,
            indexed,
        };
        assert_eq!(all[name], expected, "{name}");
    }
    let directories = content(false);
    assert_eq!(directories.len(), 4);
    assert_eq!(
        directories["full"],
        NodeContent::Directory { has_children: false }
    );
    assert_eq!(
        directories["nested"],
        NodeContent::Directory { has_children: true }
    );
}

#[test]
fn directories_of_one_kind_are_merged_and_the_first_wins() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for path in ["one/shared", "one/only", "two/shared/more", "two/alone"] {
        let root = if path.starts_with("one") { &one } else { &two };
        fs::create_dir_all(root.path().join(&path[4..])).unwrap();
    }
    fs::write(one.path().join("song.mp3"), "1").unwrap();
    fs::write(two.path().join("song.mp3"), "22").unwrap();
    fs::write(two.path().join("only"), "a file here, a directory there").unwrap();
    let roots = [one.path(), two.path()];
    assert_eq!(
        names(listing(&roots, "")),
        ["alone", "only", "shared", "song.mp3"]
    );
    let nodes = listing(&roots, "").read().unwrap().nodes;
    assert_eq!(nodes[2].content, NodeContent::Directory { has_children: true });
    assert!(matches!(nodes[3].content, NodeContent::File { size: 1, .. }));
    assert_eq!(names(listing(&roots, "shared")), ["shared/more"]);
    assert_eq!(names(listing(&roots, "alone")), [""; 0]);
    let gone = [Path::new("/no/such/root"), two.path()];
    assert_eq!(names(listing(&gone, "")), ["alone", "shared", "only", "song.mp3"]);
}

#[test]
fn missing_directory_and_unavailable_root_differ() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "x").unwrap();
    let long = "x".repeat(5000);
    for path in ["none", "file", "file/below", long.as_str()] {
        assert_eq!(
            refused_path(listing(&[dir.path()], path).read()),
            "path",
            "{path:.20}"
        );
    }
    let gone = [Path::new("/no/such/root"), &dir.path().join("file")];
    assert_eq!(refused_path(listing(&gone, "").read()), "rootDir");
}

#[test]
fn names_that_are_not_utf8_can_be_listed_and_entered() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xe9");
    fs::create_dir_all(dir.path().join(name).join("below")).unwrap();
    let listed = names(listing(&[dir.path()], ""));
    assert_eq!(listed, ["caf\u{f7e9}"]);
    assert_eq!(names(listing(&[dir.path()], &listed[0])), ["caf\u{f7e9}/below"]);
}

#[test]
fn storage_errors_are_no_client_errors() {
    for (errno, of_the_path) in [
        (rustix::io::Errno::NOENT, true),
        (rustix::io::Errno::LOOP, true),
        (rustix::io::Errno::IO, false),
        (rustix::io::Errno::STALE, false),
        (rustix::io::Errno::MFILE, false),
    ] {
        assert_eq!(is_about_the_path(&errno.into()), of_the_path, "{errno:?}");
    }
}

#[tokio::test]
async fn hanging_storage_is_unavailable_and_keeps_its_thread() {
    let dir = tempfile::tempdir().unwrap();
    let readers = DirectoryReaders {
        permits: Arc::new(Semaphore::new(1)),
        time: Duration::from_millis(50),
    };
    // As a hanging listing would hold it.
    let hanging = Arc::clone(&readers.permits).acquire_owned().await.unwrap();
    let refused = readers.read(listing(&[dir.path()], "")).await.unwrap_err();
    assert!(matches!(
        refused,
        ServiceError::TryLater(TryLater {
            reason: RetryReason::StorageUnavailable,
            ..
        })
    ));
    drop(hanging);
    let patient = DirectoryReaders {
        time: TIME,
        ..readers
    };
    assert!(patient.read(listing(&[dir.path()], "")).await.is_ok());
}
