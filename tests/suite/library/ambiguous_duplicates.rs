//! A directory with a million entries: the walk is correct and its memory bounded.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::Connection;
use serde_json::Value;
use svc_fixtures::{Format, Track};
use svc_tests::program::{memory_of, svc};

/// Hard links per file that file systems allow.
const LINKS: usize = 50_000;
/// Percentage of entries that no plugin reads.
const OF_NO_KIND: usize = 20;
/// Numbers of new files and of rows of missing files.
const NEW: usize = 400;
const GONE: usize = 300;

/// Fills a directory with entries that share content and modification time.
fn fill(directory: &Path, template: &Path, names: impl Iterator<Item = String>) {
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let mut source = template.to_owned();
    for (at, name) in names.enumerate() {
        let place = directory.join(name);
        if at % LINKS == 0 {
            std::fs::copy(template, &place).unwrap();
            let file = std::fs::File::options().write(true).open(&place).unwrap();
            file.set_modified(moment).unwrap();
            source = place;
        } else {
            std::fs::hard_link(&source, &place).unwrap();
        }
    }
}

fn track(path: &Path, title: &str) {
    let track = Track::new(title).artist("Ann").release("Blue");
    std::fs::write(path, track.encode(Format::Mp3).unwrap().0).unwrap();
}

/// Inserts a row for each name, copied from the indexed file.
fn pretend(database: &Path, names: &[String]) {
    let mut database = Connection::open(database).unwrap();
    let mut columns = Vec::new();
    {
        let mut query = database
            .prepare("SELECT name FROM pragma_table_info('files')")
            .unwrap();
        let mut rows = query.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            columns.push(row.get::<_, String>(0).unwrap());
        }
    }
    let values = columns.iter().map(|column| match column.as_str() {
        "file_id" => "file_id + ?1",
        "name" => "?2",
        "mtime_ns" => "1600000000000000000",
        // Equal contents would all be detected as moved files.
        "fingerprint" => "NULL",
        other => other,
    });
    let sql = format!(
        "INSERT INTO files ({}) SELECT {} FROM files WHERE file_id = ?3",
        columns.join(", "),
        values.collect::<Vec<_>>().join(", ")
    );
    let first: i64 = database
        .query_row("SELECT file_id FROM files", [], |row| row.get(0))
        .unwrap();
    let transaction = database.transaction().unwrap();
    {
        let mut insert = transaction.prepare(&sql).unwrap();
        for (at, name) in (1_i64..).zip(names) {
            assert_eq!(insert.execute((at, name, first)).unwrap(), 1);
        }
    }
    let count = i64::try_from(names.len() + 1).unwrap();
    transaction
        .execute("UPDATE folders SET file_count = ?1, stamp = NULL", [count])
        .unwrap();
    transaction.commit().unwrap();
}

/// Indexes; returns the run and the peak memory of the program.
fn index(data: &Path, media: &Path) -> (Value, u64) {
    let arguments = [
        "index",
        "--json",
        "--data-dir",
        data.to_str().unwrap(),
        "--music-dir",
        media.to_str().unwrap(),
    ];
    let mut child = svc(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = memory_of(child.id(), "VmHWM").unwrap_or(0).max(peak);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    (serde_json::from_slice(&output.stdout).unwrap(), peak)
}

/// Measures the memory per entry of a run over mostly unchanged entries.
fn index_a_crowd(above: &Path, entries: usize) -> u64 {
    let dir = tempfile::tempdir_in(above).unwrap();
    let (media, data) = (dir.path().join("music"), dir.path().join("data"));
    std::fs::create_dir(&media).unwrap();
    track(&media.join("first.mp3"), "First");
    let (_, idle) = index(&data, &media);

    let of_no_kind = entries / 100 * OF_NO_KIND;
    let known: Vec<String> = (0..entries - of_no_kind - NEW - 1)
        .map(|number| format!("{number:07}.mp3"))
        .collect();
    let template = dir.path().join("template");
    std::fs::copy(media.join("first.mp3"), &template).unwrap();
    fill(&media, &template, known.iter().cloned());
    let others = (0..of_no_kind).map(|number| format!("{number:07}.dat"));
    fill(&media, &template, others);
    for number in 0..NEW {
        track(&media.join(format!("new {number}.mp3")), &format!("New {number}"));
    }
    let mut rows = known;
    rows.extend((0..GONE).map(|number| format!("gone {number}.mp3")));
    pretend(&data.join("svc.db"), &rows);

    let since = Instant::now();
    let (run, peak) = index(&data, &media);
    let counts = &run["counts"]["music"];
    let of = |name: &str| usize::try_from(counts[name].as_u64().unwrap()).unwrap();
    assert_eq!(of("found"), entries - of_no_kind, "{run}");
    assert_eq!(
        (of("added"), of("missing"), of("updated"), of("errored")),
        (NEW, GONE, 0, 0),
        "{run}"
    );
    println!(
        "{entries} entries: {:.1} s, {} MiB at most, {} MiB over nothing",
        since.elapsed().as_secs_f64(),
        peak >> 20,
        idle >> 20
    );
    // The index matches the disk, and the next run changes nothing.
    let database = Connection::open(data.join("svc.db")).unwrap();
    let mut query = database
        .prepare("SELECT name FROM files WHERE status <> 2")
        .unwrap();
    let indexed = query.query_map([], |row| row.get(0)).unwrap();
    let indexed: BTreeSet<String> = indexed.map(Result::unwrap).collect();
    let on_disk = std::fs::read_dir(&media).unwrap();
    let on_disk = on_disk.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let on_disk: BTreeSet<String> = on_disk.filter(|name| name.ends_with(".mp3")).collect();
    assert!(indexed == on_disk, "{} and {}", indexed.len(), on_disk.len());
    let (run, _) = index(&data, &media);
    assert_eq!(run["filesOpened"], 0, "{run}");
    peak.saturating_sub(idle) / entries as u64
}

#[test]
fn directory_of_a_hundred_thousand_entries_ends_right_in_little_memory() {
    let each = index_a_crowd(&std::env::temp_dir(), 100_000);
    println!("{each} bytes an entry");
    assert!(each < 1024, "{each} bytes an entry");
}

/// Needs a disk in memory with room for a million names; takes minutes.
#[test]
#[ignore = "a million entries take minutes; run it by name"]
fn directory_of_a_million_entries_ends_right_in_little_memory() {
    let each = index_a_crowd(Path::new("/dev/shm"), 1_000_000);
    println!("{each} bytes an entry");
    assert!(each < 1024, "{each} bytes an entry");
}
