//! What a server says of a request that it refuses, and what to do about it.

use std::fmt;

use serde::Deserialize;

/// A refusal.
#[derive(Debug)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// What is wrong with each field, or else the message of the server.
    pub message: String,
    /// The fields that are not valid.
    fields: Vec<String>,
    /// The capabilities that the request requires.
    requires: &'static [&'static str],
}

impl Refusal {
    /// The refusal of a request, with the path below `/api/v1`, by the body of the response.
    pub fn of(method: &str, path: &str, status: u16, body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Body {
            message: String,
            #[serde(default)]
            errors: Vec<Field>,
        }
        #[derive(Deserialize)]
        struct Field {
            path: String,
            message: String,
        }
        let body = serde_json::from_slice(body).unwrap_or_else(|_| Body {
            message: "the answer is not that of svc".to_owned(),
            errors: Vec::new(),
        });
        let errors = body.errors.iter();
        let errors: Vec<String> = errors
            .map(|Field { path, message }| format!("{path}: {message}"))
            .collect();
        // The message says no more than that there are errors.
        let message = if errors.is_empty() {
            body.message
        } else {
            errors.join("; ")
        };
        Self {
            status,
            message,
            fields: body.errors.into_iter().map(|field| field.path).collect(),
            requires: required_capabilities(method, path),
        }
    }

    /// What to do about it.
    pub(crate) fn next(&self) -> String {
        match self.status {
            401 => "name a personal access token of an administrator: SVC_TOKEN, or `--token-file FILE`"
                .to_owned(),
            403 => {
                let names: Vec<String> = self.requires.iter().map(|name| format!("`{name}`")).collect();
                let noun = if names.len() == 1 {
                    "capability"
                } else {
                    "capabilities"
                };
                format!(
                    "the account of the token, and the token if it is limited, need the {noun} {}",
                    names.join(", ")
                )
            }
            404 => "`svc plugin list --server URL` lists the plugins".to_owned(),
            _ if self.message.contains(" is taken by ") => {
                "if the message names a file, remove it first; otherwise give the plugin another id"
                    .to_owned()
            }
            _ => {
                let advice = self.fields.iter().find_map(|field| advice(field));
                advice
                    .unwrap_or("`svc plugin list --server URL` shows the states of the plugins")
                    .to_owned()
            }
        }
    }
}

/// What to do about a field of a request that is not valid.
fn advice(field: &str) -> Option<&'static str> {
    Some(match field.split_once('.').map_or(field, |(first, _)| first) {
        "grants" => {
            "`svc plugin grant ID --all` grants all that it asks for; a plugin runs with all of it or not at all"
        }
        "settings" => {
            "`svc plugin list --server URL --json` shows the settings of each plugin in `settingsSchema`"
        }
        "files" => "name a number of files with `--files`, at most 200",
        "plugin" => "`svc plugin check FILE` lists everything that is wrong with the file",
        "signature" => "sign the file again with `svc plugin sign`, or remove its `.sig`",
        _ => return None,
    })
}

/// The capabilities that a request requires. Whoever changes plugins reads them as well.
fn required_capabilities(method: &str, path: &str) -> &'static [&'static str] {
    if path.starts_with("/index") {
        return &["Indexing.Read"];
    }
    match (method, path.starts_with("/plugins")) {
        ("GET", true) => &["Plugins.Read"],
        (_, true) => &["Plugins.Operate"],
        ("GET", false) => &["Jobs.Read"],
        (_, false) => &["Jobs.Create", "Plugins.Operate", "Indexing.Deindex"],
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server refused ({}): {}", self.status, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_capability_is_that_of_the_request() {
        let next = |method, path| Refusal::of(method, path, 403, b"{}").next();
        assert!(next("GET", "/plugins").ends_with("the capability `Plugins.Read`"));
        assert!(next("PATCH", "/plugins/a").ends_with("the capability `Plugins.Operate`"));
        assert!(next("GET", "/index/runs?take=1").ends_with("the capability `Indexing.Read`"));
        assert!(next("GET", "/jobs/1").ends_with("the capability `Jobs.Read`"));
        assert!(
            next("POST", "/jobs")
                .ends_with("capabilities `Jobs.Create`, `Plugins.Operate`, `Indexing.Deindex`")
        );
    }

    #[test]
    fn message_lists_the_fields_and_the_advice_is_for_the_first_that_is_known() {
        let body = br#"{"message": "the request is not valid", "errors": [
            {"path": "other", "message": "is odd"}, {"path": "settings.foo", "message": "there is no such setting"}]}"#;
        let refusal = Refusal::of("PATCH", "/plugins/a", 400, body);
        assert_eq!(
            refusal.message,
            "other: is odd; settings.foo: there is no such setting"
        );
        assert!(refusal.next().contains("settingsSchema"), "{}", refusal.next());
    }

    #[test]
    fn advice_depends_on_what_is_refused() {
        let next = |body: &str| Refusal::of("POST", "/plugins", 409, body.as_bytes()).next();
        let taken = r#"{"message": "the id `a` is taken by a plugin that was not uploaded (plug/a.wasm)"}"#;
        assert!(next(taken).contains("remove it first"));
        assert!(next(r#"{"message": "it is not quarantined"}"#).contains("states of the plugins"));
        assert!(next("<html>").contains("states of the plugins"));
    }
}
