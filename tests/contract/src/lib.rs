//! Compares every response in tests with the API description: status, media type and schema.
//!
//! `Contract::check` returns what is wrong with a response. Received statuses are written to a file in the directory
//! `SVC_OPENAPI_SEEN`, from which `cargo xtask test` finds statuses that are declared and never sent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a part of the tests: a description that cannot be read ends them"
)]

mod schemas;
mod seen;

use std::borrow::Cow;
use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use schemas::{Compiled, Compiling, Shape};
use seen::Seen;

/// Statuses before routing: for targets that are too long and malformed heads.
const BEFORE_ROUTES: [u16; 3] = [400, 414, 431];
/// Paths outside of the description: its own pages, and development routes.
const UNDESCRIBED: [&str; 3] = ["/api/docs", "/api/docs-json", "/api/v1/dev"];

/// A response with its request.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// Method.
    pub method: &'a str,
    /// Path and query.
    pub target: &'a str,
    /// Status.
    pub status: u16,
    /// The header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The body; `None` for event streams.
    pub body: Option<&'a [u8]>,
}

/// The declared responses of a status.
#[derive(Debug)]
struct Declared {
    /// Media types, which may end with `*`, and what JSON of that type looks like.
    content: Vec<(String, Shape)>,
}

/// A method of a path.
#[derive(Debug)]
struct Operation {
    method: String,
    path: String,
    parts: Vec<String>,
    responses: BTreeMap<u16, Declared>,
}

/// An API description to compare responses with.
#[derive(Debug)]
pub struct Contract {
    operations: Vec<Operation>,
    problem: Shape,
    compiled: Compiled,
    seen: Seen,
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

fn is_parameter(part: &str) -> bool {
    part.starts_with('{')
}

/// Whether a media type is one of those that a declared one stands for.
fn is_of(declared: &str, media_type: &str) -> bool {
    match declared.strip_suffix('*') {
        Some("*/") => true,
        Some(start) => media_type.starts_with(start),
        None => declared == media_type,
    }
}

/// Without what a browser's or a person's address has beside the path.
fn path_of(target: &str) -> &str {
    let target = target.split(['?', '#']).next().unwrap_or_default();
    match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => target,
    }
}

fn escaped(text: &str) -> String {
    text.replace('~', "~0")
        .replace('/', "~1")
        .replace('{', "%7B")
        .replace('}', "%7D")
}

impl Contract {
    /// Over a description of OpenAPI 3.1.
    ///
    /// # Panics
    /// If the description is invalid.
    pub fn new(document: &Value) -> Self {
        let mut compiling = Compiling::new(document);
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                let mut responses = BTreeMap::new();
                for (status, response) in operation["responses"].as_object().expect("responses") {
                    let at = format!("/paths/{}/{method}/responses/{status}/content", escaped(path));
                    let content = response["content"].as_object().into_iter().flatten();
                    let content = content.map(|(media_type, content)| {
                        let pointer = format!("{at}/{}/schema", escaped(media_type));
                        let shape = compiling.shape(media_type, &content["schema"], &pointer);
                        (media_type.clone(), shape)
                    });
                    let content = content.collect();
                    responses.insert(status.parse().expect("a status"), Declared { content });
                }
                operations.push(Operation {
                    method: method.to_uppercase(),
                    path: path.clone(),
                    parts: parts(path).map(str::to_owned).collect(),
                    responses,
                });
            }
        }
        // Literal paths precede parameters.
        operations.sort_by_key(|operation: &Operation| {
            let kinds = operation.parts.iter().map(|part| is_parameter(part));
            kinds.collect::<Vec<bool>>()
        });
        let problem = compiling.component("ApiError");
        Self {
            operations,
            problem,
            compiled: compiling.finish(),
            seen: Seen::from_environment(),
        }
    }

    /// Checks a response.
    ///
    /// # Errors
    /// The difference to the description.
    pub fn check(&self, answer: Answer<'_>) -> Result<(), String> {
        let path = path_of(answer.target);
        let asked: Vec<_> = parts(path)
            .map(|part| percent_decode_str(part).decode_utf8_lossy())
            .collect();
        let is_below = |start: &str| {
            let mut asked = asked.iter();
            parts(start).all(|part| asked.next().is_some_and(|asked| asked == part))
        };
        let is_undescribed = UNDESCRIBED.iter().any(|start| is_below(start));
        if !is_below("/api") || is_undescribed || answer.method == "OPTIONS" {
            return Ok(());
        }
        let outcome = self.check_path(&asked, answer);
        outcome.map_err(|message| {
            let body = answer.body.map(String::from_utf8_lossy).unwrap_or_default();
            let body: String = body.chars().take(2_000).collect();
            let Answer { method, status, .. } = answer;
            format!("{method} {path} was answered with {status}, and {message}\n{body}")
        })
    }

    fn check_path(&self, asked: &[Cow<'_, str>], answer: Answer<'_>) -> Result<(), String> {
        let fits = |operation: &&Operation| {
            operation.parts.len() == asked.len()
                && operation
                    .parts
                    .iter()
                    .zip(asked)
                    .all(|(part, asked)| is_parameter(part) || part == asked)
        };
        let first = self.operations.iter().find(fits);
        let Some(first) = first else {
            return match answer.status {
                404 => self.problem(answer),
                status if BEFORE_ROUTES.contains(&status) => self.problem(answer),
                _ => Err("there is no such path".to_owned()),
            };
        };
        let method = if answer.method == "HEAD" {
            "GET"
        } else {
            answer.method
        };
        let mut of_path = self
            .operations
            .iter()
            .filter(|operation| operation.path == first.path);
        let Some(operation) = of_path.find(|operation| operation.method == method) else {
            return match answer.status {
                405 => self.problem(answer),
                _ => Err("the path has no such method".to_owned()),
            };
        };
        let Some(declared) = operation.responses.get(&answer.status) else {
            return match answer.status {
                status if BEFORE_ROUTES.contains(&status) && status != 400 => self.problem(answer),
                _ => Err("no such status is declared".to_owned()),
            };
        };
        self.seen.note(method, &operation.path, answer.status);
        self.check_content(declared, answer)
    }

    fn check_content(&self, declared: &Declared, answer: Answer<'_>) -> Result<(), String> {
        let is_bare = answer.method == "HEAD" || answer.status == 304;
        if declared.content.is_empty() || is_bare {
            return match answer.body {
                Some(body) if !body.is_empty() => Err("it is to have no body".to_owned()),
                _ => Ok(()),
            };
        }
        let Some(content_type) = answer.content_type else {
            return Err("it has no Content-Type".to_owned());
        };
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let known = declared
            .content
            .iter()
            .find(|(declared, _)| is_of(declared, media_type));
        match (known, answer.body) {
            (None, _) => Err(format!("{media_type} is not declared for it")),
            (Some((_, shape)), Some(body)) => self.compiled.check(shape, body),
            (Some(_), None) => Ok(()),
        }
    }

    fn problem(&self, answer: Answer<'_>) -> Result<(), String> {
        match answer.body {
            Some(body) if answer.method != "HEAD" => self.compiled.check(&self.problem, body),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use svc_covers::covers;

    use super::*;

    fn contract() -> Contract {
        let thing = json!({"$ref": "#/components/schemas/Thing"});
        let problem = json!({"$ref": "#/components/schemas/ApiError"});
        let json =
            |schema: &Value| json!({"description": "", "content": {"application/json": {"schema": schema}}});
        Contract::new(&json!({
            "openapi": "3.1.0",
            "paths": {
                "/api/things/{id}": {"get": {"responses": {
                    "200": json(&thing), "304": {"description": ""}, "404": json(&problem)
                }}},
                "/api/things/best": {"get": {"responses": {
                    "200": json(&json!({"type": "array", "items": thing}))
                }}},
                "/api/things/{id}/bytes": {"get": {"responses": {
                    "200": {"description": "", "content": {"image/*": {}}}
                }}},
            },
            "components": {"schemas": {
                "Thing": {"type": "object", "required": ["id"], "properties": {
                    "id": {"type": "string"}, "size": {"type": ["integer", "null"]}
                }},
                "ApiError": {"type": "object", "required": ["message"], "properties": {
                    "message": {"type": "string"}
                }},
            }},
        }))
    }

    fn answer<'a>(
        method: &'a str,
        target: &'a str,
        status: u16,
        content_type: &'a str,
        body: &'a str,
    ) -> Answer<'a> {
        Answer {
            method,
            target,
            status,
            content_type: Some(content_type),
            body: Some(body.as_bytes()),
        }
    }

    #[test]
    fn described_responses_are_accepted() {
        let contract = contract();
        const JSON: &str = "application/json; charset=utf-8";
        for (method, target, status, content_type, body) in [
            ("GET", "/api/things/1?x=y", 200, JSON, r#"{"id": "1"}"#),
            (
                "GET",
                "http://svc.test/api/things/1",
                200,
                JSON,
                r#"{"id": "1", "size": null}"#,
            ),
            ("GET", "/api/thing%73/1", 200, JSON, r#"{"id": "1"}"#),
            ("HEAD", "/api/things/1", 200, JSON, ""),
            ("GET", "/api/things/1", 304, "", ""),
            ("GET", "/api/things/1", 404, JSON, r#"{"message": "not found"}"#),
            (
                "GET",
                "/api/things/best",
                200,
                JSON,
                r#"[{"id": "1", "size": 4}]"#,
            ),
            ("GET", "/api/things/1/bytes", 200, "image/png", "anything"),
            ("DELETE", "/api/things/1", 405, JSON, r#"{"message": "no"}"#),
            ("GET", "/api/nothing", 404, JSON, r#"{"message": "no"}"#),
            ("GET", "/api/things/1", 414, JSON, r#"{"message": "too long"}"#),
            ("GET", "/elsewhere", 200, "text/html", "<p>"),
        ] {
            let outcome = contract.check(answer(method, target, status, content_type, body));
            assert_eq!(outcome, Ok(()), "{method} {target} {status}");
        }
    }

    #[covers("A12")]
    #[test]
    fn undescribed_responses_are_rejected() {
        let contract = contract();
        const JSON: &str = "application/json";
        for (method, target, status, content_type, body, fault) in [
            ("GET", "/api/things/1", 200, JSON, "{}", "missing properties 'id'"),
            ("GET", "/api/things/1", 200, JSON, r#"{"id": 1}"#, "want string"),
            (
                "GET",
                "/api/things/1",
                200,
                JSON,
                r#"{"id": "1", "more": 1}"#,
                "more",
            ),
            ("GET", "/api/things/1", 200, JSON, "{", "no JSON"),
            (
                "GET",
                "/api/things/1",
                200,
                "text/plain",
                "x",
                "text/plain is not declared",
            ),
            (
                "GET",
                "/api/things/1",
                201,
                JSON,
                r#"{"id": "1"}"#,
                "no such status",
            ),
            ("GET", "/api/things/1", 304, JSON, "{}", "to have no body"),
            (
                "GET",
                "/api/things/1",
                404,
                JSON,
                "{}",
                "missing properties 'message'",
            ),
            (
                "GET",
                "/api/things/best",
                200,
                JSON,
                r#"{"id": "1"}"#,
                "want array",
            ),
            (
                "GET",
                "/api/things/best",
                200,
                JSON,
                r#"[{"id": "1", "more": 1}]"#,
                "more",
            ),
            (
                "GET",
                "/api/things/best",
                404,
                JSON,
                r#"{"message": "no"}"#,
                "no such status",
            ),
            ("POST", "/api/things/1", 201, JSON, "{}", "no such method"),
            ("GET", "/api/nothing", 200, JSON, "{}", "no such path"),
            (
                "GET",
                "/api/things/1/bytes",
                200,
                JSON,
                "{}",
                "application/json is not declared",
            ),
        ] {
            let outcome = contract.check(answer(method, target, status, content_type, body));
            let message = outcome.expect_err(target);
            assert!(message.contains(fault), "{method} {target} {status}: {message}");
        }
    }
}
