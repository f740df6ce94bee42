//! `svc user`, while a server is running.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};
use svc_tests::program::{Server, run, svc, wait_for};

fn login(server: &Server, username: &str, password: &str) -> u16 {
    let body = json!({"username": username, "password": password});
    let headers = [("svc-app", "admin")];
    server
        .request("POST", "/api/v1/auth/login", &headers, Some(&body))
        .status
}

fn user(data: &str, arguments: &[&str]) -> (bool, String) {
    let output = run(&[&["user"], arguments, &["--data-dir", data]].concat());
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn operator_lists_accounts_sets_passwords_and_makes_an_owner_beside_a_running_server() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let server = Server::start_as_owner(dir.path(), &[]);
    let new = json!({"username": "bob", "password": "first password", "role": "administrator"});
    assert_eq!(server.post("/api/v1/users", &new).status, 201);
    let (done, list) = user(data, &["list"]);
    assert!(done && list.lines().count() == 3, "{list}");
    assert!(list.contains("administrator") && list.contains("guest"), "{list}");

    // A generated password, and a given one.
    let (done, text) = user(data, &["set-password", "BOB"]);
    let made_up = text.trim().rsplit(' ').next().unwrap();
    assert!(done && made_up.len() == 32, "{text}");
    assert_eq!(login(&server, "bob", made_up), 201);
    assert_eq!(login(&server, "bob", "first password"), 403);
    let mut command = svc(&["user", "set-password", "bob", "--stdin", "--data-dir", data]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"third password\n")
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(login(&server, "bob", "third password"), 201);

    // The server caches accounts, and detects changes by another process.
    let (done, text) = user(data, &["make-owner", "bob"]);
    assert!(!done && text.contains("--replace"), "{text}");
    let (done, text) = user(data, &["make-owner", "bob", "--replace"]);
    assert!(done, "{text}");
    wait_for("the old owner to be none any more", || {
        server.get("/api/v1/users").status == 403
    });
    let log = svc_audit(&server, "bob", "third password");
    let times = |event: &str| -> i64 {
        let lines = log.iter().filter(|line| line["event"] == event);
        lines.map(|line| line["count"].as_i64().unwrap()).sum()
    };
    assert_eq!((times("password_changed"), times("owner_changed")), (2, 1));
}

fn svc_audit(server: &Server, username: &str, password: &str) -> Vec<Value> {
    let body = json!({"username": username, "password": password});
    let login = server.request("POST", "/api/v1/auth/login", &[("svc-app", "admin")], Some(&body));
    let token = login.json()["JWT"].as_str().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let log = server.request(
        "GET",
        "/api/v1/audit?take=100",
        &[("authorization", &bearer)],
        None,
    );
    log.json()[0].as_array().unwrap().clone()
}

#[test]
fn impossible_commands_fail_with_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let server = Server::start_as_owner(dir.path(), &[]);
    for (arguments, said) in [
        (&["set-password", "nobody"][..], "there is no account `nobody`"),
        (&["set-password", "guest"], "guest"),
        (&["make-owner", "nobody"], "there is no account `nobody`"),
        (&["unlink", "nobody"], "there is no account `nobody`"),
        (&["unlink", "owner"], "not linked"),
    ] {
        let (done, text) = user(data, arguments);
        assert!(!done && text.contains(said), "{arguments:?} {text}");
    }
    drop(server);
    let elsewhere = tempfile::tempdir().unwrap();
    let (done, text) = user(elsewhere.path().to_str().unwrap(), &["list"]);
    assert!(!done && text.contains("not the data directory"), "{text}");
    assert!(
        std::fs::read_dir(elsewhere.path()).unwrap().next().is_none(),
        "nothing was made"
    );
}
