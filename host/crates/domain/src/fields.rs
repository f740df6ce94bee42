//! Typed access to the fields of an extraction.

use std::collections::HashMap;

use crate::extraction::{Extraction, PartialDate, Value};

/// The fields of an extraction by key. The host has checked their types before.
pub struct Fields<'a>(HashMap<&'a str, &'a Value>);

impl<'a> Fields<'a> {
    /// Indexes the fields of an extraction.
    pub fn of(extraction: &'a Extraction) -> Self {
        Self(
            extraction
                .fields
                .iter()
                .map(|field| (field.key.as_str(), &field.value))
                .collect(),
        )
    }

    /// `None` if the field is absent or of another type, here and below.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.0.get(key) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// Empty if the field is absent.
    pub fn texts(&self, key: &str) -> &'a [String] {
        match self.0.get(key) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// `None` if the integer does not fit into 32 bits.
    pub fn number(&self, key: &str) -> Option<i32> {
        match self.0.get(key) {
            Some(Value::Integer(number)) => i32::try_from(*number).ok(),
            _ => None,
        }
    }

    /// A floating-point number.
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

    /// False if the field is absent.
    pub fn boolean(&self, key: &str) -> bool {
        matches!(self.0.get(key), Some(Value::Boolean(true)))
    }
}
