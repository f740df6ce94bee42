//! `svc doctor cloud`: what it says of a cloud that answers, of one that does not, and of options that cannot work.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use svc_covers::covers;
use svc_tests::program::run;
use svc_tests::workspace;

/// Runs `svc doctor cloud`; returns whether all is well, what it reported, and its errors.
fn doctor(arguments: &[&str]) -> (bool, String, String) {
    let output = run(&[&["doctor", "cloud"], arguments].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// Serves documents by their path, until the process ends. Returns its origin.
fn cloud(documents: impl Fn(&str, &str) -> Option<String> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let of_thread = origin.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap(), |path| documents(&of_thread, path));
        }
    });
    origin
}

fn answer(mut stream: TcpStream, document: impl Fn(&str) -> Option<String>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let Some(Ok(request)) = lines.next() else { return };
    for line in lines {
        if line.unwrap().is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap();
    let (status, body) = document(path).map_or(("404 Not Found", String::new()), |body| ("200 OK", body));
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
}

fn document(origin: &str, path: &str) -> Option<String> {
    match path {
        "/.well-known/svc-cloud" => Some(format!(
            r#"{{"versions": {{"1": {{"features": ["accounts", "releases"],
                "endpoints": {{"account": "{origin}/account", "releaseChannels": "{origin}/channels"}}}}}}}}"#
        )),
        "/channels" => {
            Some(r#"{"channels": [{"id": "stable"}, {"id": "lts", "description": "For years"}]}"#.to_owned())
        }
        _ => None,
    }
}

#[covers("C1")]
#[test]
fn without_a_cloud_nothing_is_called() {
    let (is_well, report, _) = doctor(&[]);
    assert!(is_well, "{report}");
    assert!(
        report.contains("none") && report.contains("calls nobody"),
        "{report}"
    );
}

#[test]
fn cloud_that_answers_is_reached() {
    let origin = cloud(document);
    let (is_well, report, errors) = doctor(&["--cloud-url", &origin]);
    assert!(is_well, "{report}{errors}");
    for part in [
        &origin,
        "built-in",
        "/.well-known/svc-cloud in ",
        "status 200, not encrypted",
        "accounts, invitations, licensing, releases",
        "2 channels",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn cloud_that_is_away_or_another_service_is_a_problem() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (is_well, report, _) = doctor(&["--cloud-url", &format!("http://{closed}")]);
    assert!(!is_well, "{report}");
    assert!(
        report.contains("not reached") && report.contains("does not work"),
        "{report}"
    );
    let origin = cloud(|_, _| None);
    let (is_well, report, _) = doctor(&["--cloud-url", &origin]);
    assert!(!is_well && report.contains("status 404"), "{report}");
    let origin = cloud(|_, _| Some("{}".to_owned()));
    let (is_well, report, _) = doctor(&["--cloud-url", &origin]);
    assert!(
        !is_well && report.contains("does not answer it as expected"),
        "{report}"
    );
}

#[test]
fn options_that_cannot_work_are_named() {
    let (is_well, _, errors) = doctor(&["--oidc-issuer", "https://id.example"]);
    assert!(
        !is_well && errors.contains("`oidc-issuer` needs `oidc-client-id`"),
        "{errors}"
    );
    let reader = workspace()
        .join("target/plugins/music.wasm")
        .display()
        .to_string();
    let (is_well, _, errors) = doctor(&["--cloud-plugin", &reader]);
    assert!(
        !is_well && errors.contains("is not a plugin for accounts"),
        "{errors}"
    );
}
