//! A client's whole evening: the commands of `docs/clients.md`, run as they stand against the real program, on both
//! databases.

use std::path::Path;
use std::process::{Command, Stdio};

use svc_tests::postgres::Schema;
use svc_tests::program::{PASSWORD, Server};

/// The commands of a page's `sh` blocks, in order.
fn commands(page: &str) -> String {
    let mut commands = String::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside => {
                commands.push_str(line);
                commands.push('\n');
            }
            _ => {}
        }
    }
    commands
}

fn spend_an_evening(database: Option<&str>) {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().canonicalize().unwrap().join("media");
    svc_fixtures::sample_library(&media, 7).unwrap();
    let kinds = ["music", "photos", "movies", "tv"];
    let roots = kinds.map(|kind| (format!("--{kind}-dir"), media.join(kind)));
    let mut arguments: Vec<&str> = roots
        .iter()
        .flat_map(|(option, root)| [option.as_str(), root.to_str().unwrap()])
        .collect();
    if let Some(url) = database {
        arguments.extend(["--database-url", url]);
    }
    let server = Server::start_as_owner(&dir.path().join("data"), &arguments);
    let run = server.index("quick");
    assert_eq!(run["status"], "completed", "{run}");

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/clients.md");
    let script = commands(&std::fs::read_to_string(page).unwrap());
    assert!(script.contains("auth/login") && script.contains("auth/logout"));
    let output = Command::new("bash")
        .args(["-euxo", "pipefail", "-c", &script])
        .env("BASE", format!("http://{}", server.address()))
        .env("SVC_USER", "owner")
        .env("SVC_PASSWORD", PASSWORD)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.lines().rev().take(12).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    assert!(output.status.success(), "{}", last.join("\n"));
    assert!(server.stop().success());
}

#[test]
fn page_for_clients_works_as_it_stands() {
    spend_an_evening(None);
}

#[test]
fn page_for_clients_works_on_postgresql() {
    let Some(schema) = Schema::create() else {
        return;
    };
    spend_an_evening(Some(&schema.url));
}
