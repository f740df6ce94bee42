//! Reads tables of a manifest key by key: a wrong value is added to the errors, and reading continues.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use crate::manifest::problem::Problems;
use svc_domain::item_kind::Labels;

/// Characters of a wrong value that an error repeats.
const SHOWN_VALUE: usize = 60;

/// A table, with its path and the keys that were asked for.
pub(super) struct Table<'t> {
    table: &'t DeTable<'t>,
    at: usize,
    path: String,
    known: Vec<&'static str>,
}

/// A value, with its path and place.
pub(super) struct Value<'t> {
    value: &'t DeValue<'t>,
    /// First byte in the text.
    pub(super) at: usize,
    pub(super) path: String,
}

impl<'t> Table<'t> {
    pub(super) fn new(table: &'t DeTable<'t>, at: usize, path: impl Into<String>) -> Self {
        Self {
            table,
            at,
            path: path.into(),
            known: Vec::new(),
        }
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// The value of a key that may be absent.
    pub(super) fn get(&mut self, key: &'static str) -> Option<Value<'t>> {
        self.known.push(key);
        let value = self.table.get(key)?;
        Some(Value {
            value: value.get_ref(),
            at: value.span().start,
            path: self.path_of(key),
        })
    }

    /// The value of a key that has to be there.
    pub(super) fn require(&mut self, key: &'static str, problems: &mut Problems<'_>) -> Option<Value<'t>> {
        let value = self.get(key);
        if value.is_none() {
            self.missing(key, problems);
        }
        value
    }

    /// Adds an error about a key that has to be there.
    pub(super) fn missing(&self, key: &str, problems: &mut Problems<'_>) {
        problems.add(self.at, &self.path_of(key), "is missing");
    }

    /// Adds an error about this table.
    pub(super) fn fail(&self, problems: &mut Problems<'_>, message: impl Into<String>) {
        problems.add(self.at, &self.path, message);
    }

    /// All values in the order of the text, whatever their keys.
    pub(super) fn entries(self) -> Vec<(&'t str, Value<'t>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                let entry = Value {
                    value: value.get_ref(),
                    at: key.span().start,
                    path: self.path_of(key.get_ref()),
                };
                (key.get_ref().as_ref(), entry)
            })
            .collect();
        entries.sort_by_key(|(_, value)| value.at);
        entries
    }

    /// Rejects the keys that were not asked for.
    pub(super) fn finish(self, problems: &mut Problems<'_>) {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !self.known.contains(&name) {
                let known = self.known.join("`, `");
                let shown = cut(name);
                let message = format!("is not a key of a manifest: there are `{known}`");
                problems.add(key.span().start, &self.path_of(&shown), message);
            }
        }
    }
}

impl<'t> Value<'t> {
    /// Adds an error: `expected` follows "expected".
    pub(super) fn expect(&self, problems: &mut Problems<'_>, expected: &str) {
        let found = match self.value {
            DeValue::String(text) => format!("\"{}\"", cut(text)),
            DeValue::Integer(number) => cut(&number.to_string()),
            DeValue::Float(number) => cut(number.as_str()),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(items) => format!("an array of {}", items.len()),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.fail(problems, format!("is {found}: expected {expected}"));
    }

    /// Adds an error about this value.
    pub(super) fn fail(&self, problems: &mut Problems<'_>, message: impl Into<String>) {
        problems.add(self.at, &self.path, message);
    }

    /// A text that passes the check.
    pub(super) fn text(
        &self,
        problems: &mut Problems<'_>,
        is_valid: impl Fn(&str) -> bool,
        expected: &str,
    ) -> Option<String> {
        match self.value {
            DeValue::String(text) if is_valid(text) => Some(text.clone().into_owned()),
            _ => {
                self.expect(problems, expected);
                None
            }
        }
    }

    /// A text that `parse` accepts.
    pub(super) fn parsed<T>(
        &self,
        problems: &mut Problems<'_>,
        parse: impl Fn(&str) -> Option<T>,
        expected: &str,
    ) -> Option<T> {
        let parsed = match self.value {
            DeValue::String(text) => parse(text),
            _ => None,
        };
        if parsed.is_none() {
            self.expect(problems, expected);
        }
        parsed
    }

    /// The text, if it is one.
    pub(super) fn as_text(&self) -> Option<&'t str> {
        match self.value {
            DeValue::String(text) => Some(text.as_ref()),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub(super) fn as_integer(&self) -> Option<i64> {
        match self.value {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        }
    }

    /// The number, whole or not, if it is finite.
    pub(super) fn as_number(&self) -> Option<f64> {
        match self.value {
            DeValue::Float(number) => number
                .as_str()
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite()),
            _ => self.as_integer().map(|number| number as f64),
        }
    }

    /// The boolean, if it is one.
    pub(super) fn as_boolean(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// True or false.
    pub(super) fn boolean(&self, problems: &mut Problems<'_>) -> Option<bool> {
        let value = self.as_boolean();
        if value.is_none() {
            self.expect(problems, "true or false");
        }
        value
    }

    /// A whole number of 1 or more.
    pub(super) fn positive(&self, problems: &mut Problems<'_>) -> Option<u32> {
        let number = self.as_integer().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| *number > 0);
        if number.is_none() {
            self.expect(problems, "a whole number of 1 or more");
        }
        number
    }

    /// The items of an array; empty after an error.
    pub(super) fn items(
        &self,
        problems: &mut Problems<'_>,
        count: std::ops::RangeInclusive<usize>,
    ) -> Vec<Value<'t>> {
        let expected = format!("an array of {} to {}", count.start(), count.end());
        let DeValue::Array(items) = self.value else {
            self.expect(problems, &expected);
            return Vec::new();
        };
        if !count.contains(&items.len()) {
            self.expect(problems, &expected);
            return Vec::new();
        }
        let item = |(number, item): (usize, &'t toml::Spanned<DeValue<'t>>)| Value {
            value: item.get_ref(),
            at: item.span().start,
            path: format!("{}[{number}]", self.path),
        };
        items.iter().enumerate().map(item).collect()
    }

    /// The texts of an array, each of which passes the check and differs from those before it.
    pub(super) fn texts(
        &self,
        problems: &mut Problems<'_>,
        count: std::ops::RangeInclusive<usize>,
        is_valid: impl Fn(&str) -> bool,
        expected: &str,
    ) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for item in self.items(problems, count) {
            match item.text(problems, &is_valid, expected) {
                Some(text) if texts.contains(&text) => item.fail(problems, "is listed twice"),
                text => texts.extend(text),
            }
        }
        texts
    }

    /// The table.
    pub(super) fn table(&self, problems: &mut Problems<'_>) -> Option<Table<'t>> {
        match self.value {
            DeValue::Table(table) => Some(Table::new(table, self.at, self.path.clone())),
            _ => {
                self.expect(problems, "a table");
                None
            }
        }
    }

    /// Texts for users by language, at least in English; `also` is the name of a further text, which is required.
    pub(super) fn labels(
        &self,
        problems: &mut Problems<'_>,
        also: Option<&'static str>,
    ) -> Option<(Labels, String)> {
        use crate::manifest::names::{LABEL, LANGUAGE, is_label, is_language};
        let table = self.table(problems)?;
        let (at, path) = (self.at, self.path.clone());
        let (mut labels, mut extra) = (BTreeMap::new(), None);
        for (name, value) in table.entries() {
            let text = value.text(problems, is_label, LABEL);
            if Some(name) == also {
                extra = text;
            } else if is_language(name) {
                labels.extend(text.map(|text| (name.to_owned(), text)));
            } else {
                value.fail(problems, format!("is not a language: expected {LANGUAGE}"));
            }
        }
        if labels.len() > 64 {
            problems.add(at, &path, "has more than 64 languages");
        }
        for required in [Some("en"), also].into_iter().flatten() {
            let is_there = matches!(self.value, DeValue::Table(table) if table.contains_key(required));
            if !is_there {
                problems.add(at, &format!("{path}.{required}"), "is missing");
            }
        }
        Some((labels, extra.unwrap_or_default()))
    }
}

/// The start of a text in one line.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_VALUE).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown.escape_debug().to_string()
}
