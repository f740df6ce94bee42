//! The error of an invalid JSON body: the path of the field, and a message.

use std::fmt;

use serde::de;

/// One step of a path.
#[derive(Debug)]
pub(super) enum Step {
    Field(String),
    Index(usize),
}

/// An error of a field. Its text is for the client.
#[derive(Debug)]
pub struct JsonError {
    /// The path to the field. The last step comes first.
    steps: Vec<Step>,
    message: String,
}

impl JsonError {
    pub(super) fn here(message: impl Into<String>) -> Self {
        Self {
            steps: Vec::new(),
            message: message.into(),
        }
    }

    /// The path of the field; empty for the body as a whole.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in self.steps.iter().rev() {
            match step {
                Step::Field(name) if path.is_empty() => path.clone_from(name),
                Step::Field(name) => path = format!("{path}.{name}"),
                Step::Index(index) => path = format!("{path}[{index}]"),
            }
        }
        path
    }

    pub(super) fn below(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    pub(super) fn at(field: &'static str, message: &str) -> Self {
        Self::here(message).below(Step::Field(field.to_owned()))
    }

    pub(super) fn one_of(names: &[&str]) -> Self {
        Self::here(format!("must be one of {}", names.join(", ")))
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JsonError {}

impl de::Error for JsonError {
    /// The message of a type that rejects a text.
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::here(message.to_string())
    }

    // The default messages hold the sent value and names of Rust types. The deserializer reports most errors of type
    // before these methods are called.
    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::here("is of the wrong type")
    }

    fn invalid_value(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::here("is not an allowed value")
    }

    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        Self::here("has too many or too few items")
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::one_of(expected)
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self::here("has an unknown field")
    }

    fn missing_field(field: &'static str) -> Self {
        Self::at(field, "is missing")
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::at(field, "is given more than once")
    }
}
