//! Values of declared fields: the keys by which lists order, filter and count them.
//!
//! Keys are texts whose byte order is the order of the values, whatever their type, so that one column and one index
//! serve all fields of all kinds.

use serde_json::Value as Json;

use crate::item_kind::{FieldSchema, FieldType};
use crate::named_enum::named_enum;
use crate::text::{fold, sort_key};

/// Separates the sort key of a text from its folded form.
const SEPARATOR: char = '\u{1}';
/// The longest run of digits that compares as a number in natural order.
const MAX_DIGITS: usize = 16;

named_enum! {
    /// What a stored value is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ValueUse: i16 {
        /// Orders, filters and counts: the one value of a field.
        Both = 0 => "both",
        /// Orders: the first of several values, or a whole date.
        Sort = 1 => "sort",
        /// Filters and counts: each of several values, or the year of a date.
        Facet = 2 => "facet",
    }
}

/// A value of a declared field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldValue {
    /// Equal for equal values; its byte order is the order of the values.
    pub key: String,
    /// As written in the file; `None` if the key says it.
    pub label: Option<String>,
}

/// The values of a declared field for one use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredValues {
    /// The key of the field.
    pub field: String,
    /// What they are for.
    pub used_for: ValueUse,
    /// Lists can be ordered by it, so that an item without a value has a place in them.
    pub sorts: bool,
    /// Without duplicates; at most one unless they are facets of several texts.
    pub values: Vec<FieldValue>,
}

impl FieldType {
    /// Whether orders and facets use different values.
    fn is_split(self) -> bool {
        matches!(self, Self::Texts | Self::Date)
    }

    /// The key of a value that a client filters by; `None` if the text is not a value of this type. A date is
    /// filtered by its year, a duration by its milliseconds.
    pub fn facet_key(self, text: &str) -> Option<String> {
        match self {
            Self::Text | Self::Texts => (!text.trim().is_empty()).then(|| text_key(text.trim())),
            Self::Integer | Self::Duration => text.parse().ok().map(integer_key),
            Self::Real => text.parse().ok().and_then(real_key),
            Self::Boolean => text.parse().ok().map(boolean_key),
            Self::Date => {
                let year: u16 = text.parse().ok()?;
                (1..=9999).contains(&year).then(|| format!("{year:04}"))
            }
        }
    }

    /// The text of a facet value, which [`Self::facet_key`] maps to the same key.
    pub fn facet_text(self, value: &FieldValue) -> String {
        let of_key = match self {
            _ if value.label.is_some() => None,
            Self::Integer | Self::Duration => integer_of(&value.key).map(|number| number.to_string()),
            Self::Real => real_of(&value.key).map(|number| number.to_string()),
            Self::Boolean => Some((value.key == boolean_key(true)).to_string()),
            Self::Date | Self::Text | Self::Texts => None,
        };
        of_key
            .or_else(|| value.label.clone())
            .unwrap_or_else(|| value.key.clone())
    }
}

impl FieldSchema {
    /// Which of its values order lists; `None` if lists cannot be ordered by it.
    pub fn sort_use(&self) -> Option<ValueUse> {
        let split = self.field_type.is_split();
        self.sort
            .then_some(if split { ValueUse::Sort } else { ValueUse::Both })
    }

    /// Which of its values are filtered by and counted; `None` if they are not.
    pub fn facet_use(&self) -> Option<ValueUse> {
        let split = self.field_type.is_split();
        self.facet
            .then_some(if split { ValueUse::Facet } else { ValueUse::Both })
    }

    /// The values to store of a field of a record. A value of another type counts as absent.
    pub(super) fn declared_values(&self, value: Option<&Json>) -> Vec<DeclaredValues> {
        let (sort, facet) = (self.sort_use(), self.facet_use());
        let mut uses: Vec<ValueUse> = sort.into_iter().chain(facet).collect();
        uses.dedup();
        let of_use = |used_for| DeclaredValues {
            field: self.key.clone(),
            used_for,
            sorts: sort == Some(used_for),
            values: value.map_or_else(Vec::new, |value| self.values(used_for, value)),
        };
        uses.into_iter().map(of_use).collect()
    }

    fn values(&self, used_for: ValueUse, value: &Json) -> Vec<FieldValue> {
        let keyed = |key| FieldValue { key, label: None };
        let one = |key: Option<String>| key.map(keyed).into_iter().collect();
        match self.field_type {
            FieldType::Text => value.as_str().map(text_value).into_iter().collect(),
            FieldType::Texts => {
                let texts = value.as_array().map_or(&[][..], Vec::as_slice);
                let most = if used_for == ValueUse::Sort {
                    1
                } else {
                    texts.len()
                };
                let mut values: Vec<FieldValue> = Vec::new();
                for text in texts.iter().filter_map(Json::as_str).take(most) {
                    let value = text_value(text);
                    if values.iter().all(|known| known.key != value.key) {
                        values.push(value);
                    }
                }
                values
            }
            FieldType::Integer | FieldType::Duration => one(value.as_i64().map(integer_key)),
            FieldType::Real => one(value.as_f64().and_then(real_key)),
            FieldType::Boolean => one(value.as_bool().map(boolean_key)),
            // A date begins with the four digits of its year.
            FieldType::Date if used_for == ValueUse::Facet => {
                one(value.as_str().and_then(|date| date.get(..4)).map(str::to_owned))
            }
            FieldType::Date => one(value.as_str().map(str::to_owned)),
        }
    }
}

fn text_value(text: &str) -> FieldValue {
    let key = text_key(text);
    let label = (key != text).then(|| text.to_owned());
    FieldValue { key, label }
}

/// Orders texts as titles, and is equal only for texts that differ in nothing but case and diacritics.
fn text_key(text: &str) -> String {
    let (sort, folded) = (sort_key(text), fold(text));
    if sort == folded {
        folded
    } else {
        format!("{sort}{SEPARATOR}{folded}")
    }
}

/// The number of digits as a letter, then the digits; for a negative number after a `-`, both inverted.
pub(super) fn integer_key(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let length = u8::try_from(digits.len()).unwrap_or(u8::MAX);
    if number >= 0 {
        return format!("{}{digits}", char::from(b'a'.saturating_add(length)));
    }
    let inverted: String = digits.bytes().map(inverted_digit).collect();
    format!("-{}{inverted}", char::from(b'z'.saturating_sub(length)))
}

fn inverted_digit(digit: u8) -> char {
    char::from((b'0' + b'9').saturating_sub(digit))
}

fn integer_of(key: &str) -> Option<i64> {
    match key.strip_prefix('-') {
        Some(rest) => {
            let digits: String = rest.bytes().skip(1).map(inverted_digit).collect();
            format!("-{digits}").parse().ok()
        }
        None => key.get(1..)?.parse().ok(),
    }
}

/// The bits of the number in hexadecimal digits, such that their order is that of the numbers; `None` for NaN.
pub(super) fn real_key(number: f64) -> Option<String> {
    if number.is_nan() {
        return None;
    }
    // Both zeros are one value.
    let bits = (number + 0.0).to_bits();
    let ordered = if number < 0.0 { !bits } else { bits | 1 << 63 };
    Some(format!("{ordered:016x}"))
}

fn real_of(key: &str) -> Option<f64> {
    let ordered = u64::from_str_radix(key, 16).ok()?;
    let bits = if ordered >> 63 == 1 {
        ordered & !(1 << 63)
    } else {
        !ordered
    };
    Some(f64::from_bits(bits))
}

fn boolean_key(yes: bool) -> String {
    u8::from(yes).to_string()
}

/// Orders texts as people do: `Disc 2` before `Disc 10`, ignoring case and diacritics.
pub(super) fn natural_key(text: &str) -> String {
    let folded = fold(text);
    let mut key = String::with_capacity(folded.len() + 4);
    let mut rest = folded.as_str();
    while let Some(first) = rest.chars().next() {
        if !first.is_ascii_digit() {
            key.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at(length);
        let digits = digits.trim_start_matches('0');
        let digits = if digits.is_empty() { "0" } else { digits };
        let length = u8::try_from(digits.len().min(MAX_DIGITS)).unwrap_or(u8::MAX);
        key.push(char::from(b'0'.saturating_add(length)));
        key.push_str(digits);
        rest = after;
    }
    key
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
