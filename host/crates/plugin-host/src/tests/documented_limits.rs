//! Compares the limits with their documentation.

use std::time::Duration;

use crate::limits;
use crate::tests::*;

/// The lines of tables in `docs/plugins.md`.
fn documented() -> Vec<String> {
    let text = fs::read_to_string(guests::repository().join("docs/plugins.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| "));
    rows.map(str::to_owned).collect()
}

fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
    let (mut number, mut unit) = (bytes, 0);
    while number >= 1024 && number.is_multiple_of(1024) {
        (number, unit) = (number / 1024, unit + 1);
    }
    format!("{number} {}", UNITS[unit])
}

fn grouped(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

#[test]
fn limits_of_abilities_are_those_of_the_documentation() {
    let rows = documented();
    let caps = LimitCaps::default();
    for (abilities, caps) in [
        ("`extractor`, `artwork`", caps.extract),
        ("`pages`", caps.pages),
        ("`thumbnailer`", caps.render),
        ("`waveform`", caps.analyze),
    ] {
        let row = format!(
            "| {abilities} | {}, {} | {}, {} | {}, {} | {} |",
            seconds(caps.default_time),
            seconds(caps.max_time),
            bytes(caps.default_memory),
            bytes(caps.max_memory),
            bytes(caps.default_read_bytes),
            bytes(caps.max_read_bytes),
            grouped(caps.reads.into()),
        );
        assert!(rows.contains(&row), "missing: {row}");
    }
}

#[test]
fn limits_of_all_plugins_are_those_of_the_documentation() {
    let rows = documented();
    for (name, value) in [
        ("Plugin file", bytes(limits::COMPONENT_BYTES)),
        ("Manifest", bytes(limits::MANIFEST_BYTES as u64)),
        ("Compilation", seconds(limits::COMPILE_WALL)),
        (
            "Files of the plugin directory",
            grouped(limits::PLUGIN_FILES as u64),
        ),
        (
            "Start of an instance",
            format!("{} ms", limits::INSTANTIATION_TIME.as_millis()),
        ),
        ("Stack", bytes(limits::STACK_BYTES as u64)),
        ("One read", bytes(limits::READ_BYTES)),
        ("Sidecar files of a file", grouped(limits::RELATED_FILES as u64)),
        ("Log lines per call", grouped(limits::LOG_LINES.into())),
        ("One log line", bytes(limits::LOG_LINE_BYTES as u64)),
        ("Fields", grouped(limits::FIELDS as u64)),
        ("Texts of one field", grouped(limits::TEXTS as u64)),
        ("One text, one blob", bytes(limits::TEXT_BYTES as u64)),
        (
            "Keys, texts and blobs of an extraction together",
            bytes(limits::EXTRACTION_BYTES as u64),
        ),
        ("Length of a key", bytes(limits::KEY_BYTES as u64)),
        ("Pictures", grouped(limits::PICTURES as u64)),
        ("Warnings", grouped(limits::WARNINGS as u64)),
        (
            "A warning, the reason of an error",
            bytes(limits::MESSAGE_BYTES as u64),
        ),
    ] {
        let row = format!("| {name} | {value} | ");
        assert!(rows.iter().any(|line| line.starts_with(&row)), "missing: {row}");
    }
    assert_eq!(limits::BLOB_BYTES, limits::TEXT_BYTES);
    let more = format!("after {} more `budget`", grouped(limits::REJECTED_CALLS.into()));
    assert!(rows.iter().any(|line| line.contains(&more)), "missing: {more}");
}
