//! What the fixtures of a plugin leave untested, and what the server drops of their records.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use svc_plugin_host::Manifest;

use crate::finding::{Check, Status};
use crate::golden::{Golden, GoldenStatus};

/// Compares the records of the fixtures with the fields that the manifest declares.
pub(crate) fn findings(manifest: &Manifest, golden: &[Golden]) -> Vec<Check> {
    if golden.is_empty() {
        let detail = "there are none, so no record is compared";
        let next = "put files that the plugin reads into `fixtures`, and run `svc plugin test --bless`";
        return vec![finding("fixtures", Status::Warning, detail.to_owned(), next)];
    }
    let mut findings = Vec::new();
    let mut expected = golden
        .iter()
        .filter(|golden| golden.status != GoldenStatus::Missing);
    if expected.clone().next().is_none() {
        let detail = "no fixture has an expected record, so nothing is compared";
        let next = "`svc plugin test --bless` writes the records; read them before you keep them";
        findings.push(finding("records", Status::Failed, detail.to_owned(), next));
    } else if expected.any(|golden| golden.record.pointer("/extraction/fields").is_some()) {
        findings.extend(untested_fields(manifest, golden));
    }
    findings.extend(dropped_keys(manifest, golden));
    findings
}

/// Declared fields of the plugin's own that no expected record has: their keys may be misspelled in the manifest.
fn untested_fields(manifest: &Manifest, golden: &[Golden]) -> Option<Check> {
    let own = format!("x.{}.", manifest.id);
    let schemas = manifest.kinds.iter().filter_map(|kind| kind.schema.as_ref());
    let declared: BTreeSet<&str> = schemas
        .flat_map(|schema| &schema.fields)
        .map(|field| field.key.as_str())
        .filter(|key| key.starts_with(&own))
        .collect();
    let expected = golden
        .iter()
        .filter(|golden| golden.status != GoldenStatus::Missing);
    let returned: BTreeSet<&str> = expected
        .filter_map(|golden| golden.record.pointer("/extraction/fields")?.as_object())
        .flat_map(|fields| fields.keys().map(String::as_str))
        .filter(|key| key.starts_with(&own))
        .collect();
    let untested = listed(declared.difference(&returned).copied());
    if untested.is_empty() {
        return None;
    }
    let undeclared = listed(returned.difference(&declared).copied());
    let mut detail = format!("declared, but in no expected record: {untested}");
    if !undeclared.is_empty() {
        detail = format!("{detail}; returned, but not declared: {undeclared}");
    }
    let next = "correct the key in plugin.toml, or add a fixture that has the field";
    Some(finding("fields", Status::Warning, detail, next))
}

/// Keys like those of plugins that the server does not know, as the host reports them in the record's warnings.
fn dropped_keys(manifest: &Manifest, golden: &[Golden]) -> Option<Check> {
    let warnings = golden
        .iter()
        .filter_map(|golden| golden.record.pointer("/extraction/warnings")?.as_array())
        .flatten();
    let dropped: BTreeSet<&str> = warnings.filter_map(unknown_key).collect();
    if dropped.is_empty() {
        return None;
    }
    let dropped = listed(dropped.into_iter());
    let detail = format!("returned, but dropped by the server: {dropped}");
    let next = format!("the plugin's own keys begin with `x.{}.`", manifest.id);
    Some(finding("fields", Status::Failed, detail, &next))
}

fn unknown_key(warning: &Json) -> Option<&str> {
    let key = warning
        .as_str()?
        .strip_prefix("unknown key `")?
        .strip_suffix('`')?;
    key.starts_with("x.").then_some(key)
}

fn listed<'a>(keys: impl Iterator<Item = &'a str>) -> String {
    let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
    keys.join(", ")
}

fn finding(check: &str, status: Status, detail: String, next: &str) -> Check {
    Check {
        check: check.to_owned(),
        status,
        detail,
        next: Some(next.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;
    use svc_test_support::guests;

    use super::*;

    fn manifest() -> Manifest {
        Manifest::parse(guests::kind_manifest("things", "things").as_bytes()).unwrap()
    }

    fn golden(status: GoldenStatus, fields: Json, warnings: Json) -> Golden {
        Golden {
            fixture: PathBuf::from("a.shared"),
            status,
            differences: Vec::new(),
            record: json!({ "extraction": { "fields": fields, "warnings": warnings } }),
        }
    }

    fn found(golden: &[Golden]) -> Vec<(Status, String)> {
        let findings = findings(&manifest(), golden).into_iter();
        findings.map(|finding| (finding.status, finding.detail)).collect()
    }

    #[test]
    fn folder_without_fixtures_is_a_warning_and_fixtures_without_records_a_failure() {
        let statuses = |golden: &[Golden]| -> Vec<Status> {
            found(golden).into_iter().map(|(status, _)| status).collect()
        };
        assert_eq!(statuses(&[]), [Status::Warning]);
        let missing = golden(GoldenStatus::Missing, json!({}), json!([]));
        assert_eq!(statuses(&[missing]), [Status::Failed]);
    }

    #[test]
    fn misspelled_field_is_named_with_what_is_returned_instead() {
        let fields = json!({ "x.things.series": "a", "x.things.nummer": 1 });
        let record = golden(GoldenStatus::Passed, fields, json!([]));
        let detail = "declared, but in no expected record: `x.things.number`; \
                      returned, but not declared: `x.things.nummer`";
        assert_eq!(found(&[record]), [(Status::Warning, detail.to_owned())]);
    }

    #[test]
    fn further_fields_are_nobodys_concern_while_all_declared_ones_are_returned() {
        let fields = json!({ "x.things.series": "a", "x.things.number": 1, "x.things.more": 2 });
        assert!(found(&[golden(GoldenStatus::Passed, fields, json!([]))]).is_empty());
    }

    #[test]
    fn key_of_another_plugin_is_a_failure() {
        let fields = json!({ "x.things.series": "a", "x.things.number": 1 });
        let warnings = json!(["unknown key `x.sheets.composer`", "unknown key `nonsense`"]);
        let detail = "returned, but dropped by the server: `x.sheets.composer`";
        assert_eq!(
            found(&[golden(GoldenStatus::Passed, fields, warnings)]),
            [(Status::Failed, detail.to_owned())]
        );
    }
}
