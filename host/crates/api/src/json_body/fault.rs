//! What is wrong with a body: where, and in words for people.

use std::fmt;

use serde::de;

use svc_identity::error::FieldError;

/// A step from a body to one of its values.
#[derive(Debug)]
pub(super) enum Step {
    Field(String),
    Index(usize),
}

/// What is wrong, and the way to it, the last step first.
#[derive(Debug)]
pub(super) struct Fault {
    steps: Vec<Step>,
    message: String,
}

impl Fault {
    pub(super) fn here(message: impl Into<String>) -> Self {
        Self {
            steps: Vec::new(),
            message: message.into(),
        }
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

impl From<Fault> for FieldError {
    fn from(fault: Fault) -> Self {
        let mut path = String::new();
        for step in fault.steps.into_iter().rev() {
            match step {
                Step::Field(name) if path.is_empty() => path = name,
                Step::Field(name) => path = format!("{path}.{name}"),
                Step::Index(index) => path = format!("{path}[{index}]"),
            }
        }
        Self::new(path, fault.message)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    /// What our own types say of a text that is none of theirs.
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::here(message.to_string())
    }

    // What was sent is not repeated, and what was expected is a type's name: what is asked of the deserializer tells
    // the kind of value before it comes to these.
    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::here("is of a kind that does not belong here")
    }

    fn invalid_value(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::here("is not a value that can be here")
    }

    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        Self::here("has too many items, or too few")
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::one_of(expected)
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self::here("has a field that does not belong here")
    }

    fn missing_field(field: &'static str) -> Self {
        Self::at(field, "is missing")
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::at(field, "is given more than once")
    }
}
