//! Typed access to what a plugin said.

use std::collections::HashMap;

use crate::extraction::{Extraction, PartialDate, Value};

/// Typed access to an extraction's fields. The host has checked the types before.
pub struct Fields<'a>(HashMap<&'a str, &'a Value>);

impl<'a> Fields<'a> {
    /// The fields of an extraction.
    pub fn of(extraction: &'a Extraction) -> Self {
        Self(
            extraction
                .fields
                .iter()
                .map(|field| (field.key.as_str(), &field.value))
                .collect(),
        )
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.0.get(key) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// Texts; none if the file says nothing.
    pub fn texts(&self, key: &str) -> &'a [String] {
        match self.0.get(key) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// A whole number, if it fits.
    pub fn number(&self, key: &str) -> Option<i32> {
        match self.0.get(key) {
            Some(Value::Integer(number)) => i32::try_from(*number).ok(),
            _ => None,
        }
    }

    /// A number.
    pub fn real(&self, key: &str) -> Option<f64> {
        match self.0.get(key) {
            Some(Value::Real(number)) => Some(*number),
            _ => None,
        }
    }

    /// The year of a date.
    pub fn year(&self, key: &str) -> Option<i32> {
        match self.0.get(key) {
            Some(Value::Date(date)) => Some(i32::from(date.year)),
            _ => None,
        }
    }
    /// A date of any precision.
    pub fn date(&self, key: &str) -> Option<PartialDate> {
        match self.0.get(key) {
            Some(Value::Date(date)) => Some(*date),
            _ => None,
        }
    }

    /// Whether the file says yes.
    pub fn boolean(&self, key: &str) -> bool {
        matches!(self.0.get(key), Some(Value::Boolean(true)))
    }
}
