//! Tests of opening files and reading directories below a root.

use svc_covers::covers;

use super::*;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, Mode};

fn path(text: &str) -> RelativePath {
    RelativePath::from_stored(text.to_owned())
}

#[covers("T36")]
#[test]
fn open_file_follows_links_inside_the_root_only() {
    let dir = tempfile::tempdir().unwrap();
    let root_path = dir.path().join("root");
    std::fs::create_dir_all(root_path.join("a")).unwrap();
    std::fs::write(root_path.join("a/song"), b"inside").unwrap();
    std::fs::write(dir.path().join("secret"), b"outside").unwrap();
    symlink("a/song", root_path.join("relative")).unwrap();
    symlink(root_path.join("a/song"), root_path.join("absolute")).unwrap();
    symlink("../secret", root_path.join("escape")).unwrap();
    symlink(dir.path(), root_path.join("up")).unwrap();
    symlink("loop", root_path.join("loop")).unwrap();

    let root = MediaRoot::open(&root_path).unwrap();
    for inside in ["a/song", "relative", "absolute"] {
        assert_eq!(root.open_file(&path(inside)).unwrap().size, 6, "{inside}");
    }
    for outside in [
        "escape",
        "up/secret",
        "up/root/a/song",
        "../secret",
        "loop",
        "a",
        "",
    ] {
        assert!(root.open_file(&path(outside)).is_err(), "{outside:?}");
    }
}

#[covers("T36")]
#[test]
fn folder_swapped_for_a_link_during_opening_never_leads_outside() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{RenameFlags, renameat_with};

    let dir = tempfile::tempdir().unwrap();
    let root_path = dir.path().join("root");
    for (folder, content) in [
        (root_path.join("a"), "inside"),
        (dir.path().join("a"), "outside!"),
    ] {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("song"), content).unwrap();
    }
    // The other thread exchanges folder `a` and a link that leaves the root.
    symlink("../a", root_path.join("b")).unwrap();
    let root = MediaRoot::open(&root_path).unwrap();
    let (done, song) = (AtomicBool::new(false), path("a/song"));
    let (mut opened, mut refused, mut outside) = (0, 0, false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (a, b) = (root_path.join("a"), root_path.join("b"));
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
            }
        });
        while (opened < 5_000 || refused < 5_000) && opened + refused < 10_000_000 {
            match root.open_file(&song) {
                // Asserted after the other thread has ended.
                Ok(found) if found.size != 6 => {
                    outside = true;
                    break;
                }
                Ok(_) => opened += 1,
                Err(_) => refused += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(!outside, "opened the file outside of the root");
    assert!(opened >= 5_000 && refused >= 5_000, "{opened} {refused}");
}

#[test]
fn read_dir_lists_files_directories_and_inner_links() {
    let dir = tempfile::tempdir().unwrap();
    let root_path = dir.path().join("root");
    std::fs::create_dir_all(root_path.join("a/b")).unwrap();
    std::fs::write(root_path.join("a/song"), b"inside").unwrap();
    std::fs::write(dir.path().join("secret"), b"outside").unwrap();
    for (target, link) in [
        ("song", "relative"),
        ("../a/b", "sideways"),
        ("../../secret", "escape"),
        ("../../../../../../proc/self/root", "far"),
        ("/proc/self/root", "magic"),
        ("nothing", "dangling"),
        ("loop", "loop"),
        ("..", "up"),
        (".", "here"),
    ] {
        symlink(target, root_path.join("a").join(link)).unwrap();
    }
    symlink(root_path.join("a/b"), root_path.join("a/absolute")).unwrap();
    symlink(&root_path, root_path.join("a/top")).unwrap();
    symlink(dir.path(), root_path.join("outside")).unwrap();
    rustix::fs::mknodat(
        CWD,
        root_path.join("a/pipe"),
        rustix::fs::FileType::Fifo,
        Mode::RWXU,
        0,
    )
    .unwrap();
    let root = MediaRoot::open(&root_path).unwrap();
    let names = |at: &str| {
        let mut names = Vec::new();
        let read = root.read_dir(
            &path(at),
            |name| name != "unwanted",
            |name, entry| {
                names.push(format!(
                    "{}{}",
                    name.display(),
                    if entry.is_directory { "/" } else { "" }
                ));
                ControlFlow::Continue(())
            },
        );
        names.sort();
        read.map(|()| names)
    };
    assert_eq!(
        names("a").unwrap(),
        ["absolute/", "b/", "relative", "sideways/", "song"]
    );
    assert_eq!(names("").unwrap(), ["a/"]);
    assert!(names("a/sideways").unwrap().is_empty());
    assert!(names("a/absolute").unwrap().is_empty());
    for refused in [
        "outside",
        "outside/root",
        "outside/root/a",
        "a/far",
        "a/magic",
        "a/escape",
        "a/song",
        "a/pipe",
        "a/loop",
        "a/none",
        "..",
    ] {
        assert!(names(refused).is_err(), "{refused}");
    }
}

#[test]
fn open_file_rejects_a_fifo_without_waiting() {
    let dir = tempfile::tempdir().unwrap();
    rustix::fs::mknodat(
        CWD,
        dir.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        Mode::RWXU,
        0,
    )
    .unwrap();
    let root = MediaRoot::open(dir.path()).unwrap();
    assert!(root.open_file(&path("pipe")).is_err());
}
