//! The truth file, the expected differences, and their comparison.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use svc_domain::extraction::{Extraction, Value as FieldValue};
use svc_tests::{foreign_media, workspace};

/// The lines of the truth file of this kind and category.
pub fn truths(kind: &str, category: &str) -> Vec<Value> {
    let Some(folder) = foreign_media() else {
        return Vec::new();
    };
    let text = std::fs::read_to_string(folder.join("truth.jsonl")).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["kind"] == kind && line["category"] == category)
        .collect()
}

/// A difference that is known, by path and field.
#[derive(Debug, Deserialize)]
struct Difference {
    path: String,
    field: String,
    reason: String,
    /// Whether neither tool reads the place of the value: not a disagreement.
    #[serde(default)]
    unseen: bool,
}

#[derive(Debug, Deserialize)]
struct Expectations {
    difference: Vec<Difference>,
}

/// Fields that were compared and those that differ.
#[derive(Debug, Default)]
pub struct Comparison {
    compared: usize,
    /// Path and field to "truth, ours".
    differing: BTreeMap<(String, String), String>,
}

impl Comparison {
    /// Records one field.
    pub fn field(&mut self, path: &str, field: &str, agrees: bool, truth: &str, ours: &str) {
        self.compared += 1;
        if !agrees {
            let reported = format!("truth {truth:?}, ours {ours:?}");
            self.differing
                .insert((path.to_owned(), field.to_owned()), reported);
        }
    }

    /// Records one number, which agrees if it is as far from the truth as `within` allows for that value, or closer.
    pub fn near(
        &mut self,
        path: &str,
        field: &str,
        truth: Option<f64>,
        ours: Option<f64>,
        within: impl Fn(f64) -> f64,
    ) {
        let agrees = match (truth, ours) {
            (Some(truth), Some(ours)) => (truth - ours).abs() <= within(truth),
            (truth, ours) => truth.is_none() && ours.is_none(),
        };
        self.field(path, field, agrees, &format!("{truth:?}"), &format!("{ours:?}"));
    }

    /// Records an unreadable file and its number of fields.
    pub fn unreadable(&mut self, path: &str, fields: usize, failure: &str) {
        self.compared += fields;
        self.differing
            .insert((path.to_owned(), "readable".to_owned()), failure.to_owned());
    }

    /// The differences must be those of the expectations, each with a reason, and at most one field in a hundred.
    pub fn must_match(self, expectations: &str) {
        if self.compared == 0 {
            return;
        }
        let path = workspace().join("tests/expectations").join(expectations);
        let known: Expectations = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert!(
            known
                .difference
                .iter()
                .all(|difference| difference.reason.len() > 10),
            "each has a reason"
        );
        let key = |difference: &Difference| (difference.path.clone(), difference.field.clone());
        let known_list = known.difference;
        let known: Vec<_> = known_list.iter().map(key).collect();
        let new: Vec<_> = self
            .differing
            .iter()
            .filter(|(key, _)| !known.contains(key))
            .collect();
        let gone: Vec<_> = known
            .iter()
            .filter(|key| !self.differing.contains_key(*key))
            .collect();
        assert!(new.is_empty(), "differences that are not expected: {new:#?}");
        assert!(
            gone.is_empty(),
            "differences that are gone, take them out of {expectations}: {gone:#?}"
        );
        let unseen = known_list.iter().filter(|difference| difference.unseen);
        let unseen: Vec<_> = unseen
            .filter_map(|difference| self.differing.get(&key(difference)))
            .collect();
        assert!(
            unseen
                .iter()
                .all(|reported| reported.starts_with("truth \" or \",")),
            "the tools do say something: {unseen:#?}"
        );
        let differing = self.differing.len() - unseen.len();
        let agreement = 1.0 - differing as f64 / self.compared as f64;
        println!(
            "{} of {} fields agree ({:.2} %)",
            self.compared - differing,
            self.compared,
            agreement * 100.0
        );
        assert!(
            agreement >= 0.99,
            "{differing} of {} fields differ",
            self.compared
        );
    }
}

/// A field of an extraction.
pub fn field<'a>(extraction: &'a Extraction, key: &str) -> Option<&'a FieldValue> {
    extraction
        .fields
        .iter()
        .find(|field| field.key == key)
        .map(|field| &field.value)
}

/// Without control characters, trimmed.
pub fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Digits at the beginning, as a number; none for 0.
pub fn leading_number(text: &str) -> Option<i64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|number| *number != 0)
}
