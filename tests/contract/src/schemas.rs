//! Compiled schemas of the API description; unlisted properties are rejected.

use std::collections::BTreeSet;
use std::fmt;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Map, Value, json};

/// The URL of the description.
const DOCUMENT: &str = "http://svc.test/openapi.json";

/// The schema of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// JSON of this schema.
    Json(SchemaIndex),
    /// Anything.
    Bytes,
}

/// A description whose schemas are being compiled.
pub(crate) struct Compiling {
    compiler: Compiler,
    schemas: Schemas,
}

/// Schemas of a description.
pub(crate) struct Compiled(Schemas);

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").finish_non_exhaustive()
    }
}

impl Compiling {
    pub(crate) fn new(document: &Value) -> Self {
        let mut document = document.clone();
        let mut parts = BTreeSet::new();
        find_parts(&document, false, &mut parts);
        for (name, schema) in document["components"]["schemas"]
            .as_object_mut()
            .into_iter()
            .flatten()
        {
            // A part of another schema cannot list all properties.
            close(schema, parts.contains(&format!("#/components/schemas/{name}")));
        }
        if let Some(paths) = document.get_mut("paths") {
            close(paths, false);
        }
        let mut compiler = Compiler::new();
        compiler.add_resource(DOCUMENT, document).expect("a description");
        Self {
            compiler,
            schemas: Schemas::new(),
        }
    }

    fn compile(&mut self, pointer: &str) -> Shape {
        let place = format!("{DOCUMENT}#{pointer}");
        let compiled = self.compiler.compile(&place, &mut self.schemas);
        Shape::Json(compiled.unwrap_or_else(|error| panic!("{pointer}: {error:#}")))
    }

    /// The schema of a body, by its place in the description.
    pub(crate) fn shape(&mut self, media_type: &str, schema: &Value, pointer: &str) -> Shape {
        match schema.get("$ref").and_then(Value::as_str) {
            _ if media_type != "application/json" => Shape::Bytes,
            Some(reference) => self.compile(reference.trim_start_matches('#')),
            None => self.compile(pointer),
        }
    }

    /// One of the named schemas.
    pub(crate) fn component(&mut self, name: &str) -> Shape {
        self.compile(&format!("/components/schemas/{name}"))
    }

    pub(crate) fn finish(self) -> Compiled {
        Compiled(self.schemas)
    }
}

impl Compiled {
    pub(crate) fn check(&self, shape: &Shape, body: &[u8]) -> Result<(), String> {
        let Shape::Json(schema) = shape else {
            return Ok(());
        };
        let body: Value = serde_json::from_slice(body).map_err(|_| "it is no JSON".to_owned())?;
        let outcome = self.0.validate(&body, *schema);
        outcome.map_err(|error| format!("it is not of its schema: {error}"))
    }
}

/// Collects the schemas used in `allOf`.
fn find_parts(value: &Value, in_all_of: bool, parts: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            if let (true, Some(reference)) = (in_all_of, map.get("$ref").and_then(Value::as_str)) {
                parts.insert(reference.to_owned());
            }
            for (key, value) in map {
                find_parts(value, key == "allOf", parts);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| find_parts(item, in_all_of, parts)),
        _ => {}
    }
}

/// Makes object schemas reject unlisted properties, except parts of `allOf`.
fn close(value: &mut Value, is_part: bool) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                let is_part_of_all = key == "allOf";
                if let (true, Value::Array(items)) = (is_part_of_all, &mut *value) {
                    items.iter_mut().for_each(|item| close(item, true));
                } else if !["example", "examples", "default", "enum"].contains(&key.as_str()) {
                    close(value, false);
                }
            }
            if !is_part && is_listing(map) {
                map.insert("unevaluatedProperties".to_owned(), json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| close(item, false)),
        _ => {}
    }
}

/// Whether this is the schema of an object that lists its properties, by itself or in its parts.
fn is_listing(map: &Map<String, Value>) -> bool {
    let is_object = map.get("type").is_some_and(|kind| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        kind => kind == "object",
    });
    let lists = is_object && map.get("properties").is_some_and(Value::is_object);
    (lists || map.get("allOf").is_some_and(Value::is_array)) && !map.contains_key("additionalProperties")
}
