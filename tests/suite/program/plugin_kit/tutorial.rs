//! The commands of `docs/plugins/tutorial.md`, word for word, with the time of each step.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};
use svc_tests::program::program;
use svc_tests::{skipped, workspace};

use super::{Author, rust_is_installed};

/// Printed after each step, with the time of day in seconds.
const MARKER: &str = "### at ";
/// Ends a shell that waits for a server that did not start.
const HANGS_AFTER_SECONDS: &str = "900";

/// A block of shell commands.
struct Step {
    heading: String,
    commands: String,
}

/// The blocks of shell commands of the page, each with the heading above it.
fn steps() -> Vec<Step> {
    let text = fs::read_to_string(workspace().join("docs/plugins/tutorial.md")).unwrap();
    let mut steps: Vec<Step> = Vec::new();
    let (mut heading, mut inside) = (String::new(), false);
    for line in text.lines() {
        match line {
            "```sh" => {
                inside = true;
                steps.push(Step {
                    heading: heading.clone(),
                    commands: String::new(),
                });
            }
            "```" => inside = false,
            _ if inside => {
                let commands = &mut steps.last_mut().unwrap().commands;
                commands.push_str(line);
                commands.push('\n');
            }
            _ => {
                if let Some(title) = line.strip_prefix("## ") {
                    heading = title.to_owned();
                }
            }
        }
    }
    steps
}

/// The steps for one shell, in which directories and variables last from step to step.
fn script(steps: &[Step]) -> String {
    let mark = format!("printf '\\n{MARKER}%s\\n' \"$EPOCHREALTIME\"\n");
    // A step that fails leaves no server behind.
    let mut script = format!("trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n{mark}");
    for step in steps {
        script.push_str(&step.commands);
        script.push_str(&mark);
    }
    script
}

/// What each step printed, and how many seconds it took.
fn outcomes(said: &str) -> Vec<(String, f64)> {
    let mut marks: Vec<(f64, String)> = Vec::new();
    for line in said.lines() {
        if let Some(time) = line.strip_prefix(MARKER) {
            marks.push((time.parse().unwrap(), String::new()));
        } else if let Some((_, output)) = marks.last_mut() {
            output.push_str(line);
            output.push('\n');
        }
    }
    let steps = marks.windows(2);
    steps
        .map(|pair| (pair[0].1.clone(), pair[1].0 - pair[0].0))
        .collect()
}

#[test]
fn tutorial_ends_with_an_item_in_the_list() {
    if let Err(reason) = rust_is_installed() {
        return skipped(&reason);
    }
    let mut author = Author::new();
    fs::create_dir(author.at("bin")).unwrap();
    symlink(program(), author.at("bin/svc")).unwrap();
    author.path = format!("{}:{}", author.at("bin").display(), author.path);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let steps = steps();
    let names: Vec<&str> = steps.iter().map(|step| step.heading.as_str()).collect();
    let expected = [
        "1. Make it",
        "2. Build it",
        "3. See whether it is right",
        "4. Change it",
        "5. Use it",
        "6. See it in the list",
    ];
    assert_eq!(names, expected);

    let mut shell = Command::new("timeout");
    author.prepare(&mut shell);
    let output = shell
        .args([HANGS_AFTER_SECONDS, "bash", "-euxo", "pipefail", "-c"])
        .arg(script(&steps))
        .env("LISTEN", free.to_string())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{log}");
    let outcomes = outcomes(&said);
    assert_eq!(outcomes.len(), steps.len(), "{said}\n{log}");
    eprintln!("{:<28} {:>8}", "step of the tutorial", "seconds");
    for (name, (_, seconds)) in names.iter().zip(&outcomes) {
        eprintln!("{name:<28} {seconds:>8.2}");
    }
    let total: f64 = outcomes.iter().map(|(_, seconds)| seconds).sum();
    eprintln!("{:<28} {total:>8.2}", "all");

    let [_, _, right, _, indexed, listed] = outcomes.as_slice() else {
        panic!("{} steps", outcomes.len());
    };
    assert!(
        right.0.contains("\"title\": \"The First Notes\""),
        "{said}\n{log}"
    );
    let row = indexed.0.lines().rfind(|line| line.starts_with("notes "));
    let counts: Vec<&str> = row.unwrap_or_default().split_whitespace().collect();
    assert_eq!(
        counts.get(1..3),
        Some(&["1", "1"][..]),
        "found and added: {said}\n{log}"
    );
    let page: Value = serde_json::from_str(&listed.0).unwrap();
    assert_eq!(
        (&page[0][0]["title"], &page[1]),
        (&json!("The First Notes"), &json!(1)),
        "{page}"
    );
}
