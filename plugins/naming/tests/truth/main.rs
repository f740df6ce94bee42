//! Compares the results with assertions from the test suites of other projects, for names and for sidecars.
//!
//! The data is in `../shared/media` and not part of the repository; without it the tests are skipped.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod names;
mod releases;
mod sidecars;
#[path = "../../../../tests/support/src/skipped.rs"]
mod skipped;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use svc_plugin_api::PartialDate;

/// The folder of the data that contains this file; `None` with a message if there is none.
#[allow(clippy::disallowed_methods, reason = "the environment locates the test data")]
fn media(file: &str) -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("SVC_TEST_MEDIA")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("SVC_SHARED").map(|shared| PathBuf::from(shared).join("media")))
        .unwrap_or_else(|| repository.join("../shared/media"));
    if folder.join(file).is_file() {
        return Some(folder);
    }
    skipped::skipped(&format!(
        "no {file} in {}; SVC_SHARED names another folder",
        folder.display()
    ));
    None
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A known difference.
#[derive(Debug, Deserialize)]
struct Difference {
    kind: String,
    path: String,
    field: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
struct Expectations {
    #[serde(default)]
    difference: Vec<Difference>,
}

/// The differences so far.
#[derive(Debug, Default)]
struct Verdict {
    cases: usize,
    fields: usize,
    wrong: BTreeSet<String>,
    differing: Vec<(String, String, String)>,
}

impl Verdict {
    fn field(&mut self, path: &str, field: &str, truth: &str, ours: &str) {
        self.fields += 1;
        if truth != ours {
            self.wrong.insert(path.to_owned());
            self.differing.push((
                path.to_owned(),
                field.to_owned(),
                format!("truth {truth:?}, ours {ours:?}"),
            ));
        }
    }

    /// Prints and returns the share of cases without a difference.
    fn tell(&self, kind: &str) -> f64 {
        let (cases, right) = (self.cases, self.cases - self.wrong.len());
        let share = right as f64 / cases as f64;
        println!(
            "{kind}: {right} of {cases} right ({:.1} %), {} fields",
            share * 100.0,
            self.fields
        );
        share
    }

    /// Requires this share of cases without a difference; the expectations list the other cases with reasons.
    fn must_match(&self, kind: &str, least: f64) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/expectations/naming.toml");
        let known: Expectations = toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert!(
            known
                .difference
                .iter()
                .all(|difference| difference.reason.len() > 10),
            "each has a reason"
        );
        let is_known = |path: &str, field: &str| {
            known
                .difference
                .iter()
                .any(|one| one.kind == kind && one.path == path && one.field == field)
        };
        let new: Vec<_> = self
            .differing
            .iter()
            .filter(|(path, field, _)| !is_known(path, field))
            .collect();
        let differs = |known: &Difference| {
            let mut differing = self.differing.iter();
            differing.any(|(path, field, _)| known.path == *path && known.field == *field)
        };
        let gone: Vec<_> = known
            .difference
            .iter()
            .filter(|known| known.kind == kind && !differs(known))
            .collect();
        assert!(gone.is_empty(), "differences that are gone: {gone:#?}");
        let right = self.tell(kind);
        assert!(self.fields > self.cases, "a case has more than one field");
        assert!(
            new.is_empty(),
            "{} differences that are not expected: {new:#?}",
            new.len()
        );
        assert!(
            right >= least,
            "{kind}: {} of {} wrong",
            self.wrong.len(),
            self.cases
        );
    }
}

/// The form in which titles are compared: without case, and with dots and underscores as spaces, which some suites do
/// not convert.
fn plain(title: &str) -> String {
    let spaced = title.replace(['.', '_'], " ").to_lowercase();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn described(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// A date in the format of the cases.
fn date(date: Option<PartialDate>) -> String {
    described(date.map(|date| {
        let (month, day) = (date.month.unwrap_or(0), date.day.unwrap_or(0));
        format!("{:04}-{month:02}-{day:02}", date.year)
    }))
}

/// The number that a suite asserts; `None` if it asserts none.
fn asserted(case: &Value, field: &str) -> Option<String> {
    case.get(field).map(|value| described(value.as_u64()))
}
