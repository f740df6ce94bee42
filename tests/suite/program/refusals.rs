//! Start failures: a message, a non-zero exit code, and no damage.

use std::fs;
use std::net::TcpListener;

use svc_tests::program::{Server, run};

/// Runs `svc serve` with these arguments, which must fail; returns its output.
fn refusal(arguments: &[&str]) -> String {
    let output = run(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
    assert!(!output.status.success(), "{arguments:?} started");
    assert!(output.stdout.is_empty(), "said it was ready");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        !said.contains("panicked") && !said.contains("RUST_BACKTRACE"),
        "{said}"
    );
    said
}

#[test]
fn wrong_flag_is_named() {
    let unknown = refusal(&["--musik-dir", "/tmp"]);
    assert!(
        unknown.contains("--musik-dir") && unknown.contains("--music-dir"),
        "{unknown}"
    );
    let of_a_plugin = refusal(&["--comics-dir", "/tmp"]);
    assert!(of_a_plugin.contains("--root comics=DIR"), "{of_a_plugin}");
    let nowhere = run(&["serve", "--listen", "nowhere"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8(nowhere.stderr).unwrap().contains("nowhere"));
}

#[test]
fn missing_media_directory_is_named() {
    let data = tempfile::tempdir().unwrap();
    let said = refusal(&[
        "--data-dir",
        data.path().to_str().unwrap(),
        "--music-dir",
        "/no/such/place",
    ]);
    assert!(said.contains("music directory /no/such/place"), "{said}");
}

#[test]
fn busy_port_is_named() {
    let data = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run(&[
        "serve",
        "--listen",
        &address,
        "--data-dir",
        data.path().to_str().unwrap(),
    ]);
    assert!(!output.status.success());
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains(&format!("cannot listen on {address}"))
    );
}

#[test]
fn data_directory_in_use_is_refused_and_its_server_continues() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &[]);
    assert!(refusal(&["--data-dir", data.path().to_str().unwrap()]).contains("in use"));
    assert_eq!(server.get("/api/v1/health").status, 200);
}

#[test]
fn database_of_a_newer_version_is_refused_and_left_as_it_is() {
    let data = tempfile::tempdir().unwrap();
    Server::start(data.path(), &[]).stop();
    let database = data.path().join("svc.db");
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection
        .execute_batch(
            "INSERT INTO schema_migrations VALUES (9999); PRAGMA user_version = 9999;
             PRAGMA wal_checkpoint(TRUNCATE);",
        )
        .unwrap();
    drop(connection);
    let before = fs::read(&database).unwrap();
    let said = refusal(&["--data-dir", data.path().to_str().unwrap()]);
    assert!(said.contains("newer"), "{said}");
    assert!(fs::read(&database).unwrap() == before, "the database was changed");
}

#[test]
fn file_that_is_no_database_is_refused_and_left_as_it_is() {
    let data = tempfile::tempdir().unwrap();
    let database = data.path().join("svc.db");
    fs::write(&database, vec![b'x'; 10_000]).unwrap();
    refusal(&["--data-dir", data.path().to_str().unwrap()]);
    assert_eq!(fs::read(&database).unwrap(), vec![b'x'; 10_000]);
}

#[test]
fn lost_database_is_not_replaced_by_an_empty_one() {
    let data = tempfile::tempdir().unwrap();
    Server::start(data.path(), &[]).stop();
    for name in ["svc.db", "svc.db-wal", "svc.db-shm"] {
        // The last two files exist only while a server runs.
        let _ = fs::remove_file(data.path().join(name));
    }
    let said = refusal(&["--data-dir", data.path().to_str().unwrap()]);
    assert!(said.contains("restore the database"), "{said}");
}

#[test]
fn index_without_a_directory_lists_the_flags() {
    let data = tempfile::tempdir().unwrap();
    let output = run(&["index", "--data-dir", data.path().to_str().unwrap()]);
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("--music-dir"));
}
