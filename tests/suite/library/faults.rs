//! Files that change while they are read: the next run repairs the index.

use std::path::Path;

use svc_domain::scan::{RunStatus, RunType};
use svc_fixtures::{Format, Random, Track};
use svc_tests::indexed::Library;

const FILES: u32 = 120;

fn path(number: u32) -> String {
    format!("music/{}/{number}.mp3", number % 9)
}

fn bytes(title: &str) -> Vec<u8> {
    Track::new(title)
        .artist("Ann")
        .release("Blue")
        .encode(Format::Mp3)
        .unwrap()
        .0
}

/// Applies a random change to a path.
fn disturb(library: &Library, random: &mut Random, serial: u32) {
    let place = library.at(&path(random.below(FILES)));
    let other = library.at(&path(random.below(FILES)));
    // Each change may fail because of an earlier one.
    let _ = match random.below(9) {
        0 => std::fs::remove_file(&place),
        1 => write(&place, false, &bytes(&format!("Other {serial}"))),
        2 => write(&place, false, &bytes("Cut")[..100]),
        3 => write(&place, true, b"more"),
        4 => std::fs::rename(&place, &other),
        5 => fifo(&place),
        6 => std::os::unix::fs::symlink("..", &place),
        7 => std::fs::rename(
            place.parent().unwrap(),
            library.at(&format!("music/moved {}", random.below(3))),
        ),
        _ => std::fs::create_dir_all(place.parent().unwrap()),
    };
}

/// Writes to a path, except to a FIFO without a reader.
fn write(path: &Path, append: bool, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
    let mut options = std::fs::OpenOptions::new();
    options.custom_flags(nonblocking).create(true).write(true);
    options.append(append).truncate(!append);
    options.open(path)?.write_all(bytes)
}

fn fifo(path: &Path) -> std::io::Result<()> {
    let _ = std::fs::remove_file(path);
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    Ok(rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Fifo,
        mode,
        0,
    )?)
}

#[test]
fn files_that_vanish_grow_move_and_turn_into_others_during_a_scan_end_as_a_clean_scan() {
    let mut random = Random::new(41);
    let library = Library::new();
    for number in 0..FILES {
        library.write(&path(number), bytes(&format!("Track {number}")));
    }
    // A file that stays, so that the root never counts as unavailable.
    for number in 0..400 {
        library.write(
            &format!("music2/{number}.mp3"),
            bytes(&format!("Steady {number}")),
        );
    }
    library.index();
    for round in 0..12 {
        let run = library.run_beside(RunType::Full, || {
            for serial in 0..60 {
                disturb(&library, &mut random, round * 1000 + serial);
            }
        });
        assert_eq!(run.status, RunStatus::Completed, "{:?}", run.warnings);
    }
    let accept = svc_domain::scan::RunOptions {
        accept_missing: true,
        ..Default::default()
    };
    library.index_with(accept.clone());
    // A file that became unreadable keeps its old metadata, which a clean scan does not have.
    let errored = |id: i64| library.number(&format!("SELECT status FROM files WHERE file_id = {id}")) == 1;
    for (path, _) in library.ids().into_iter().filter(|(_, id)| errored(*id)) {
        let (folder, name) = path.rsplit_once('/').unwrap();
        library.rename(&path, &format!("{folder}/broken {name}"));
    }
    library.index_with(accept);
    library.purge();
    assert_eq!(library.content(), library.content_of_a_clean_scan());
    let check: String = library
        .database()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn link_cycles_end_and_special_files_are_not_opened() {
    let library = Library::new();
    library.track("music/a/1.mp3", "One");
    std::os::unix::fs::symlink("..", library.at("music/a/up")).unwrap();
    std::os::unix::fs::symlink("b.mp3", library.at("music/a.mp3")).unwrap();
    std::os::unix::fs::symlink("a.mp3", library.at("music/b.mp3")).unwrap();
    fifo(&library.at("music/fifo.mp3")).unwrap();
    let run = library.index();
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!(library.ids().into_keys().collect::<Vec<_>>(), ["music/a/1.mp3"]);
    assert_eq!(run.files_opened, 1);
}

#[test]
fn ways_through_links_end_where_they_come_by_themselves_again() {
    let library = Library::new();
    library.track("music/b/1.mp3", "One");
    library.track("music/b/d/2.mp3", "Two");
    std::os::unix::fs::symlink("b/d", library.at("music/in")).unwrap();
    std::os::unix::fs::symlink("../../b", library.at("music/b/d/back")).unwrap();
    let run = library.index();
    assert_eq!(run.status, RunStatus::Completed);
    let found: Vec<String> = library.ids().into_keys().collect();
    // `in/back/d` is the directory `in`.
    let expected = [
        "music/b/1.mp3",
        "music/b/d/2.mp3",
        "music/in/2.mp3",
        "music/in/back/1.mp3",
    ];
    assert_eq!(found, expected);
    assert_eq!(run.warnings.len(), 2, "{:?}", run.warnings);
}
