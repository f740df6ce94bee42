//! Killing the process at any moment of a scan loses nothing, and the next scan completes.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use svc_fixtures::Random;
use svc_tests::program::svc;

/// Kills per test run; `SVC_TEST_KILLS` overrides it.
const KILLS: u32 = 20;

/// Titles by path in the database.
fn titles(database: &Path) -> Vec<(String, String)> {
    let connection = rusqlite::Connection::open(database).unwrap();
    let check: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    let broken: i64 = connection
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(broken, 0, "rows that point nowhere");
    let mut query = connection
        .prepare(
            "SELECT folders.path || '/' || files.name, music_tracks.title FROM music_tracks
             JOIN files ON files.file_id = music_tracks.track_id JOIN folders USING (folder_id) ORDER BY 1",
        )
        .unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn start_index(data: &Path, media: &Path, full: bool) -> std::process::Child {
    let mut command = svc(&[
        "index",
        "--data-dir",
        data.to_str().unwrap(),
        "--music-dir",
        media.to_str().unwrap(),
    ]);
    command
        .args(full.then_some("--full"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_scans_lose_nothing_and_the_next_one_completes() {
    let seed = 20_261_121;
    let kills = std::env::var("SVC_TEST_KILLS")
        .ok()
        .map_or(KILLS, |text| text.parse().unwrap());
    let mut random = Random::new(seed);
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().join("media");
    std::fs::create_dir(&media).unwrap();
    let expected = svc_fixtures::many_files(&media, 1500, seed).unwrap().len();
    let clean = dir.path().join("clean");
    assert!(start_index(&clean, &media, false).wait().unwrap().success());
    let reference = titles(&clean.join("svc.db"));
    assert_eq!(reference.len(), expected);

    let data = dir.path().join("data");
    let mut before: Vec<(String, String)> = Vec::new();
    for round in 0..kills {
        // A full run at the end: re-reading must keep the stored rows.
        let mut child = start_index(&data, &media, before.len() == expected);
        std::thread::sleep(Duration::from_millis(u64::from(random.below(700))));
        child.kill().unwrap();
        child.wait().unwrap();
        if data.join("svc.db").exists() {
            let after = if round == 0 {
                Vec::new()
            } else {
                titles(&data.join("svc.db"))
            };
            assert!(
                before.iter().all(|row| after.contains(row)),
                "round {round} of seed {seed} lost a row"
            );
            before = after;
        }
    }
    assert!(start_index(&data, &media, false).wait().unwrap().success());
    assert_eq!(titles(&data.join("svc.db")), reference, "seed {seed}");
}
