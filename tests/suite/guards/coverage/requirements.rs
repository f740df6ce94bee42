//! The requirements that tests have to cover: those of `tests/requirements.txt`, and those that the API description and
//! the tables of limits imply.

use std::path::Path;

use serde_json::Value;

/// Files whose constants are limits of requests, each of which a test has to cross.
const LIMITS: [&str; 1] = ["host/crates/http-io/src/limits.rs"];

/// Marks a requirement whose feature does not exist yet.
const LATER: &str = "later: issue ";

/// What a test may name in `#[covers(…)]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) id: String,
    /// What is required, or the file that implies it.
    pub(super) text: String,
    /// Its feature does not exist yet: no test can cover it.
    pub(super) later: bool,
}

/// All requirements, from the checkout at `workspace`.
pub(super) fn all(workspace: &Path) -> Vec<Requirement> {
    let read = |path: &str| {
        let text = std::fs::read_to_string(workspace.join(path));
        text.unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let listed = "tests/requirements.txt";
    let mut all = parse_list(&read(listed)).unwrap_or_else(|error| panic!("{listed}: {error}"));
    let openapi = "host/openapi.json";
    let document: Value = serde_json::from_str(&read(openapi)).unwrap();
    let codes = error_codes(&document);
    let operations = operations(&document);
    let ids = codes.iter().map(|code| format!("code {code}")).chain(operations);
    all.extend(ids.map(|id| derived(id, openapi)));
    for path in LIMITS {
        let limits = constants(&read(path)).into_iter();
        all.extend(limits.map(|name| derived(format!("limit {name}"), path)));
    }
    all
}

fn derived(id: String, path: &str) -> Requirement {
    Requirement {
        id,
        text: path.to_owned(),
        later: false,
    }
}

/// Lines of `id | text` or `id | later: issue X | text`, without comments and empty lines.
pub(super) fn parse_list(text: &str) -> Result<Vec<Requirement>, String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let (id, text, later) = match fields[..] {
                [id, text] => (id, text, false),
                [id, issue, text] if issue.starts_with(LATER) => (id, text, true),
                _ => return Err(format!("not `id | requirement`: {line}")),
            };
            if id.is_empty() || !text.contains(' ') || text.starts_with(LATER) {
                return Err(format!("an id and a sentence are needed: {line}"));
            }
            Ok(Requirement {
                id: id.to_owned(),
                text: text.to_owned(),
                later,
            })
        })
        .collect()
}

/// Operations of an API description, such as `GET /api/v1/movies`.
pub(super) fn operations(document: &Value) -> Vec<String> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().keys();
        operations.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    operations
}

/// Error codes, from the table in an API description: lines of `` | `code` | status | meaning | ``.
pub(super) fn error_codes(document: &Value) -> Vec<String> {
    let description = document["info"]["description"].as_str().unwrap();
    let rows = description.lines().filter_map(|line| line.strip_prefix("| `"));
    let codes: Vec<String> = rows
        .map(|row| row.split('`').next().unwrap().to_owned())
        .collect();
    assert!(
        !codes.is_empty(),
        "no table of error codes in the API description"
    );
    codes
}

/// Names of the constants of a source file that other modules see.
pub(super) fn constants(source: &str) -> Vec<String> {
    let items = syn::parse_file(source).unwrap().items.into_iter();
    let names: Vec<String> = items
        .filter_map(|item| match item {
            syn::Item::Const(item) if !matches!(item.vis, syn::Visibility::Inherited) => {
                Some(item.ident.to_string())
            }
            _ => None,
        })
        .collect();
    assert!(!names.is_empty(), "no limits in a file of limits");
    names
}
