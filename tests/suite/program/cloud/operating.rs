//! The commands of `docs/operating-a-cloud.md`, run in one shell.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use svc_tests::workspace;

/// The commands of the page's `sh` blocks, in order.
fn commands(page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn commands_of_the_page_work() {
    let page = std::fs::read_to_string(workspace().join("docs/operating-a-cloud.md")).unwrap();
    let script = commands(&page);
    assert!(script.contains("svc-cloud serve") && script.contains("release publish"));
    let directory = tempfile::tempdir().unwrap();
    let programs = directory.path().join("bin");
    std::fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(svc_tests::cloud::program(), programs.join("svc-cloud")).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    // The page leaves the cloud running: the shell ends it.
    let script = format!("trap 'kill $(jobs -p)' EXIT\n{script}");
    let mut shell = Command::new("bash");
    let shell = shell
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .env("LISTEN", free.to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0);
    let mut shell = shell.spawn().unwrap();
    let status = shell.wait().unwrap();
    let mut said = String::new();
    shell.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(status.success(), "{said}");
    assert!(directory.path().join("cloud.mail").is_dir());
}
