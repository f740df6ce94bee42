//! Golden files: fixtures with the records that the plugin is to return for them.
//!
//! The record of `fixtures/a.cbz` is `fixtures/a.cbz.json`.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value as Json;
use svc_plugin_host::{Isolation, Manifest};

use crate::error::KitError;
use crate::media::Media;
use crate::record::{Record, SUSPENDED};
use crate::sandbox::{HostOptions, Sandbox};

/// The suffix of golden files.
const SUFFIX: &str = ".json";
/// Differences of one fixture that are listed.
const MAX_DIFFERENCES: usize = 20;

/// The comparison of one fixture.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Golden {
    /// Relative to the folder of fixtures.
    pub fixture: PathBuf,
    /// Result.
    pub status: GoldenStatus,
    /// What differs: the place in the record, what is expected and what was returned; or the fault of the plugin.
    pub differences: Vec<String>,
    /// What was returned.
    #[serde(skip)]
    pub(crate) record: Json,
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GoldenStatus {
    /// The record is as expected.
    Passed,
    /// It is not, or the plugin is at fault.
    Failed,
    /// There is no golden file.
    Missing,
    /// The golden file was written.
    Written,
}

/// The fixtures of a folder that the plugin reads, in order of their paths.
pub(crate) fn fixtures(sandbox: &Sandbox, folder: &Path) -> Result<Vec<Media>, KitError> {
    let mut media = Vec::new();
    collect(sandbox.manifest(), folder, folder, &mut media)?;
    media.retain(|media| sandbox.reads(&media.name));
    Ok(media)
}

/// The paths of the fixtures of a folder that the plugin reads.
///
/// # Errors
/// The plugin cannot be loaded, or the folder not be read.
pub fn media_files(options: &HostOptions, plugin: &Path, folder: &Path) -> Result<Vec<PathBuf>, KitError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let sandbox = Sandbox::load(options, plugin, Isolation::Worker)?;
    let fixtures = fixtures(&sandbox, folder)?;
    Ok(fixtures.into_iter().map(|media| media.path).collect())
}

fn collect(manifest: &Manifest, root: &Path, folder: &Path, media: &mut Vec<Media>) -> Result<(), KitError> {
    let entries = fs::read_dir(folder).map_err(KitError::file(folder))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(manifest, root, &path, media)?;
        } else if !path.to_string_lossy().ends_with(SUFFIX) {
            media.push(Media::open(&path, root, manifest)?);
        }
    }
    Ok(())
}

/// Compares the records of the fixtures with the golden files, or writes them. A fault of the plugin is never what is
/// expected: it is neither compared nor written.
pub(crate) fn compare(
    sandbox: &Sandbox,
    folder: &Path,
    fixtures: &[Media],
    writes: bool,
) -> Result<Vec<Golden>, KitError> {
    let mut reader = sandbox.reader();
    let mut results = Vec::with_capacity(fixtures.len());
    for media in fixtures {
        let returned = reader.read(&media.source());
        let record = returned.to_json();
        let mut golden = media.path.clone().into_os_string();
        golden.push(SUFFIX);
        let golden = PathBuf::from(golden);
        let (status, differences) = if let Some(fault) = fault(&returned) {
            (GoldenStatus::Failed, vec![fault])
        } else if writes {
            fs::write(&golden, format!("{record:#}\n")).map_err(KitError::file(&golden))?;
            (GoldenStatus::Written, Vec::new())
        } else if golden.is_file() {
            judge(&golden, &record)?
        } else {
            (GoldenStatus::Missing, Vec::new())
        };
        let fixture = media.path.strip_prefix(folder).unwrap_or(&media.path).to_owned();
        results.push(Golden {
            fixture,
            status,
            differences,
            record,
        });
    }
    Ok(results)
}

/// Why there is no record that could be expected.
fn fault(record: &Record) -> Option<String> {
    if let Some(fault) = record.fault() {
        return Some(format!("{}: {fault}", fault.code()));
    }
    record.is_suspended().then(|| format!("not read: {SUSPENDED}"))
}

fn judge(golden: &Path, record: &Json) -> Result<(GoldenStatus, Vec<String>), KitError> {
    let text = fs::read_to_string(golden).map_err(KitError::file(golden))?;
    let expected: Json = serde_json::from_str(&text).map_err(|error| KitError::Argument {
        what: format!("{} is not JSON: {error}", golden.display()),
        next: "`svc plugin test --bless` writes it anew".to_owned(),
    })?;
    let mut differences = Vec::new();
    list_differences("", &expected, record, &mut differences);
    let status = if differences.is_empty() {
        GoldenStatus::Passed
    } else {
        GoldenStatus::Failed
    };
    differences.truncate(MAX_DIFFERENCES);
    Ok((status, differences))
}

/// Lists the places where two values differ, as JSON pointers.
fn list_differences(at: &str, expected: &Json, returned: &Json, differences: &mut Vec<String>) {
    if let (Json::Object(left), Json::Object(right)) = (expected, returned) {
        let added = right.keys().filter(|key| !left.contains_key(*key));
        for key in left.keys().chain(added) {
            let (left, right) = (left.get(key), right.get(key));
            let at = format!("{at}/{key}");
            match (left, right) {
                (Some(left), Some(right)) => list_differences(&at, left, right, differences),
                (Some(left), None) => differences.push(format!("{at}: expected {left}, missing")),
                (None, Some(right)) => differences.push(format!("{at}: not expected, returned {right}")),
                (None, None) => {}
            }
        }
    } else if expected != returned {
        differences.push(format!("{at}: expected {expected}, returned {returned}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_name_their_place() {
        let mut found = Vec::new();
        let expected = json!({"a": {"b": 1, "c": [1]}, "d": null});
        list_differences(
            "",
            &expected,
            &json!({"a": {"b": 2, "c": [1]}, "e": true}),
            &mut found,
        );
        assert_eq!(
            found,
            [
                "/a/b: expected 1, returned 2",
                "/d: expected null, missing",
                "/e: not expected, returned true",
            ]
        );
    }
}
