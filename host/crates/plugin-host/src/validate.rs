//! Validates the output of a guest; nothing in it is trusted. A size above its limit is `budget`, every other
//! violation of the contract `bad_output`.

use std::collections::BTreeMap;

use crate::keys;
use crate::limits;
use svc_domain::extraction::{ExtractFailure, Field, PartialDate, Picture, PictureData, Span, Value};

/// Milliseconds of a day including a leap second.
const DAY_MS: u32 = 86_401_000;

/// Types of a plugin's own keys, as in `docs/plugin-keys.md`.
pub(super) type OwnTypes = BTreeMap<String, &'static str>;

/// Validates the parts of one extraction and counts its bytes.
pub(super) struct Checker<'a> {
    plugin_id: &'a str,
    /// Types of the plugin's own keys that its manifest declares.
    own_types: &'a OwnTypes,
    file_size: u64,
    bytes: usize,
}

impl<'a> Checker<'a> {
    pub(super) fn new(plugin_id: &'a str, own_types: &'a OwnTypes, file_size: u64) -> Self {
        Self {
            plugin_id,
            own_types,
            file_size,
            bytes: 0,
        }
    }

    /// Checks the number of fields, pictures and warnings.
    pub(super) fn counts(
        &self,
        fields: usize,
        pictures: usize,
        warnings: usize,
    ) -> Result<(), ExtractFailure> {
        within("fields", fields, limits::FIELDS)?;
        within("pictures", pictures, limits::PICTURES)?;
        within("warnings", warnings, limits::WARNINGS)
    }

    /// Removes control characters other than line breaks and surrounding whitespace; `None` if nothing is left.
    pub(super) fn text(&mut self, what: &str, text: String) -> Result<Option<String>, ExtractFailure> {
        if text.len() > limits::TEXT_BYTES {
            let most = limits::TEXT_BYTES;
            return Err(ExtractFailure::Budget(format!(
                "`{what}` has {} bytes, at most {most}",
                text.len()
            )));
        }
        self.count(text.len())?;
        Ok(clean(text))
    }

    /// Validates a field; `None` if it is empty or its key is unknown.
    pub(super) fn field(
        &mut self,
        field: Field,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Field>, ExtractFailure> {
        let Field { key, value } = field;
        if !keys::is_key(&key) {
            return Err(bad(format!("`{}` is not a key", key.escape_debug())));
        }
        self.count(key.len())?;
        match keys::type_of(&key).or_else(|| self.own_types.get(&key).copied()) {
            Some(expected) if expected != value.type_name() => {
                return Err(bad(format!("`{key}` is {expected}, not {}", value.type_name())));
            }
            None if !keys::is_own(&key, self.plugin_id) => {
                if warnings.len() < limits::WARNINGS {
                    warnings.push(format!("unknown key `{key}`"));
                }
                return Ok(None);
            }
            _ => {}
        }
        let value = self.value(&key, value)?;
        Ok(value.map(|value| Field { key, value }))
    }

    /// Validates a picture.
    pub(super) fn picture(&mut self, picture: Picture) -> Result<Picture, ExtractFailure> {
        self.count(picture.purpose.len() + picture.mime.len())?;
        if !is_purpose(&picture.purpose) {
            return Err(bad(
                "a picture's purpose is 1 to 32 lower-case letters and hyphens".to_owned(),
            ));
        }
        if !is_mime(&picture.mime) {
            return Err(bad("a picture's type is not a MIME type".to_owned()));
        }
        if let PictureData::At(span) = picture.data {
            self.span("a picture", span)?;
        }
        Ok(picture)
    }

    fn value(&mut self, key: &str, value: Value) -> Result<Option<Value>, ExtractFailure> {
        Ok(match value {
            Value::Text(text) => self.text(key, text)?.map(Value::Text),
            Value::Texts(texts) => {
                within(key, texts.len(), limits::TEXTS)?;
                let mut kept = Vec::with_capacity(texts.len());
                for text in texts {
                    kept.extend(self.text(key, text)?);
                }
                (!kept.is_empty()).then_some(Value::Texts(kept))
            }
            Value::Real(number) if !number.is_finite() => return Err(bad(format!("`{key}` is not finite"))),
            Value::Rational(fraction) if fraction.denominator == 0 => {
                return Err(bad(format!("`{key}` has the denominator 0")));
            }
            Value::Date(date) => {
                check_date(key, date)?;
                Some(value)
            }
            Value::BytesAt(span) => {
                self.span(key, span)?;
                Some(value)
            }
            Value::Blob(bytes) => {
                within(key, bytes.len(), limits::BLOB_BYTES)?;
                self.count(bytes.len())?;
                Some(Value::Blob(bytes))
            }
            Value::Integer(_) | Value::Real(_) | Value::Rational(_) | Value::Boolean(_) => Some(value),
        })
    }

    fn span(&self, what: &str, span: Span) -> Result<(), ExtractFailure> {
        let inside = span
            .offset
            .checked_add(span.length)
            .is_some_and(|end| end <= self.file_size);
        if inside && span.length > 0 {
            Ok(())
        } else {
            Err(bad(format!("{what} lies outside of the file")))
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), ExtractFailure> {
        self.bytes += bytes;
        within("bytes of text", self.bytes, limits::EXTRACTION_BYTES)
    }
}

fn bad(problem: String) -> ExtractFailure {
    ExtractFailure::BadOutput(problem)
}

fn within(what: &str, count: usize, most: usize) -> Result<(), ExtractFailure> {
    if count <= most {
        Ok(())
    } else {
        Err(ExtractFailure::Budget(format!("{count} {what}, at most {most}")))
    }
}

/// Removes control characters other than line breaks and surrounding whitespace. Clean texts are not copied.
pub(super) fn clean(text: String) -> Option<String> {
    let unwanted = |c: char| c.is_control() && c != '\n';
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    if trimmed.len() == text.len() && !text.chars().any(unwanted) {
        return Some(text);
    }
    // `\r
    // ` and a lone `\r` are line breaks too.
    let breaks = trimmed.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = breaks.chars().filter(|c| !unwanted(*c)).collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

fn check_date(key: &str, date: PartialDate) -> Result<(), ExtractFailure> {
    let gap = (date.month.is_none() && date.day.is_some())
        || (date.day.is_none() && date.time_ms.is_some())
        || (date.time_ms.is_none() && date.offset_minutes.is_some());
    let in_range = (1..=9999).contains(&date.year)
        && date.month.is_none_or(|month| (1..=12).contains(&month))
        && date.day.is_none_or(|day| (1..=31).contains(&day))
        && date.time_ms.is_none_or(|time| time < DAY_MS)
        && date
            .offset_minutes
            .is_none_or(|minutes| (-1080..=1080).contains(&minutes));
    if in_range && !gap {
        Ok(())
    } else {
        Err(bad(format!("`{key}` is not a date")))
    }
}

fn is_purpose(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

pub(super) fn is_mime(text: &str) -> bool {
    let is_part = |part: &str| {
        (1..=64).contains(&part.len())
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-' | b'_'))
    };
    text.split_once('/')
        .is_some_and(|(kind, subtype)| is_part(kind) && is_part(subtype))
}
