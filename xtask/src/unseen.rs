//! Statuses that the API description declares and no test receives; after all tests they are compared with
//! `tests/openapi-unseen.txt`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::workspace;

/// The variable with the directory to which tests write the statuses that they receive.
pub(crate) const VARIABLE: &str = "SVC_OPENAPI_SEEN";

/// A line of the list: a declared status, or several by `*`, and why no test receives it.
struct Exemption {
    line: String,
    words: Vec<String>,
}

/// Creates the empty directory for received statuses.
pub(crate) fn prepare() -> Result<PathBuf> {
    let directory = workspace::target().join("openapi-seen");
    if directory.exists() {
        std::fs::remove_dir_all(&directory).context("empty the directory of what was seen")?;
    }
    std::fs::create_dir_all(&directory).context("make the directory of what is seen")?;
    Ok(directory)
}

fn declared() -> Result<BTreeSet<String>> {
    let path = workspace::root().join("host/openapi.json");
    let text = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let document: Value = serde_json::from_str(&text).context("read the API's description")?;
    let mut all = BTreeSet::new();
    for (path, item) in document
        .get("paths")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let responses = operation.get("responses").and_then(Value::as_object);
            for status in responses.into_iter().flat_map(|responses| responses.keys()) {
                all.insert(format!("{} {path} {status}", method.to_uppercase()));
            }
        }
    }
    Ok(all)
}

fn seen(directory: &Path) -> Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for file in std::fs::read_dir(directory).context("list what was seen")? {
        let text = std::fs::read_to_string(file?.path()).context("read what was seen")?;
        all.extend(text.lines().map(str::to_owned));
    }
    Ok(all)
}

fn exemptions(text: &str) -> Result<Vec<Exemption>> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (what, reason) = line
                .split_once('|')
                .with_context(|| format!("no `|` in {line:?}"))?;
            let words: Vec<String> = what.split_whitespace().map(str::to_owned).collect();
            if words.len() != 3 || reason.trim().is_empty() {
                bail!("not `METHOD path status | reason`: {line:?}");
            }
            Ok(Exemption {
                line: line.to_owned(),
                words,
            })
        })
        .collect()
}

impl Exemption {
    fn covers(&self, what: &str) -> bool {
        let words: Vec<&str> = what.split(' ').collect();
        words.len() == self.words.len()
            && self
                .words
                .iter()
                .zip(words)
                .all(|(listed, word)| listed == "*" || listed == word)
    }
}

/// The differences: declared statuses that are neither received nor listed, and listed ones that are received or not
/// declared.
fn faults(declared: &BTreeSet<String>, seen: &BTreeSet<String>, exemptions: &[Exemption]) -> Vec<String> {
    let unseen: Vec<&String> = declared.difference(seen).collect();
    let unexcused = unseen
        .iter()
        .filter(|what| !exemptions.iter().any(|exemption| exemption.covers(what)));
    let unexcused = unexcused.map(|what| format!("declared, and never received: {what}"));
    let stale = exemptions
        .iter()
        .filter(|exemption| !unseen.iter().any(|what| exemption.covers(what)));
    let stale = stale.map(|exemption| format!("there is nothing unseen of that kind: {}", exemption.line));
    unexcused.chain(stale).collect()
}

/// Compares the received statuses with the API description and the list.
///
/// # Errors
/// The differences.
pub(crate) fn compare(directory: &Path) -> Result<()> {
    let list = workspace::root().join("tests/openapi-unseen.txt");
    let list = std::fs::read_to_string(&list).context("read tests/openapi-unseen.txt")?;
    let faults = faults(&declared()?, &seen(directory)?, &exemptions(&list)?);
    if faults.is_empty() {
        return Ok(());
    }
    bail!("tests/openapi-unseen.txt:\n  {}", faults.join("\n  "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_statuses_are_received_or_listed() {
        let set = |lines: &[&str]| {
            lines
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<BTreeSet<_>>()
        };
        let declared = set(&[
            "GET /a 200",
            "GET /a 500",
            "GET /b 200",
            "GET /b 500",
            "GET /b 404",
        ]);
        let exemptions =
            exemptions("# why\n\n* * 500 | no test breaks a server at will\nGET /b 200 | x\n").unwrap();
        let lines = faults(&declared, &set(&["GET /a 200", "GET /b 200"]), &exemptions);
        assert_eq!(
            lines,
            [
                "declared, and never received: GET /b 404",
                "there is nothing unseen of that kind: GET /b 200 | x",
            ]
        );
        let all = faults(&declared, &set(&["GET /a 200", "GET /b 404"]), &exemptions);
        assert_eq!(all, Vec::<String>::new());
        assert!(super::exemptions("GET /b 200").is_err() && super::exemptions("GET /b | x").is_err());
    }
}
