//! Builds an extraction that conforms to the contract: no empty texts, no numbers that are not finite.

use crate::{Extraction, Field, PartialDate, Picture, PictureData, Rational, Value, clean_text};

/// Limits of one extraction. Excess values are left out with a warning: no ordinary file has so many.
const MAX_FIELDS: usize = 512;
const MAX_TEXTS: usize = 256;
const MAX_TEXT_BYTES_IN_ALL: usize = 512 * 1024;
const MAX_PICTURES: usize = 64;
const MAX_WARNINGS: usize = 16;
const MAX_WARNING_CHARACTERS: usize = 300;

/// Collects the metadata of a file. Every method ignores values without content: an empty text, a list without texts,
/// a number that is not finite. The first value of a key is kept, so add the better source first.
///
/// ```
/// use svc_plugin_api::{ExtractionBuilder, Value};
/// let mut extraction = ExtractionBuilder::new();
/// extraction
///     .title("  Song\0")
///     .text("music.album", "")
///     .texts("music.artists", ["One", " ", "Two"])
///     .real("music.bpm", f64::NAN);
/// let extraction = extraction.finish().unwrap();
/// assert_eq!(extraction.title.as_deref(), Some("Song"));
/// assert_eq!(extraction.fields.len(), 1);
/// assert_eq!(extraction.fields[0].value, Value::Texts(vec!["One".into(), "Two".into()]));
/// assert_eq!(ExtractionBuilder::new().finish(), None);
/// ```
#[derive(Debug, Default)]
pub struct ExtractionBuilder {
    title: Option<String>,
    duration_ms: Option<u64>,
    dimensions: Option<(u32, u32)>,
    fields: Vec<Field>,
    pictures: Vec<Picture>,
    warnings: Vec<String>,
    text_bytes: usize,
}

impl ExtractionBuilder {
    /// An empty extraction.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title, unless it is empty or one was set before.
    pub fn title(&mut self, title: &str) -> &mut Self {
        if self.title.is_none() {
            self.title = clean_text(title).filter(|title| self.has_room(title.len()));
        }
        self
    }

    /// Sets the duration in milliseconds, unless it is 0 or one was set before.
    pub fn duration_ms(&mut self, duration_ms: u64) -> &mut Self {
        if duration_ms > 0 {
            self.duration_ms.get_or_insert(duration_ms);
        }
        self
    }

    /// Sets width and height in pixels, as coded, unless one of them is 0 or they were set before.
    pub fn dimensions(&mut self, width: u32, height: u32) -> &mut Self {
        if width > 0 && height > 0 {
            self.dimensions.get_or_insert((width, height));
        }
        self
    }

    /// Adds a text, cleaned by [`clean_text`].
    pub fn text(&mut self, key: &str, text: &str) -> &mut Self {
        match clean_text(text) {
            Some(text) if !self.has(key) && self.has_room(text.len()) => self.field(key, Value::Text(text)),
            _ => self,
        }
    }

    /// Adds several texts in order, without duplicates: at most 256.
    pub fn texts<T: AsRef<str>>(&mut self, key: &str, texts: impl IntoIterator<Item = T>) -> &mut Self {
        let texts = texts.into_iter().filter_map(|text| clean_text(text.as_ref()));
        self.list(key, texts, MAX_TEXTS, true)
    }

    /// Adds texts that represent objects, such as the streams of a file as JSON. Unlike [`texts`](Self::texts) it
    /// keeps equal ones, up to `most`.
    pub fn records(
        &mut self,
        key: &str,
        records: impl IntoIterator<Item = String>,
        most: usize,
    ) -> &mut Self {
        let records = records.into_iter().filter_map(|record| clean_text(&record));
        self.list(key, records, most, false)
    }

    /// Adds an integer; its unit is that of the key.
    pub fn integer(&mut self, key: &str, integer: i64) -> &mut Self {
        self.field(key, Value::Integer(integer))
    }

    /// Adds a number that counts from 1, such as a track number; 0 and less are ignored.
    pub fn positive(&mut self, key: &str, integer: impl TryInto<i64>) -> &mut Self {
        match integer.try_into() {
            Ok(integer) if integer > 0 => self.integer(key, integer),
            _ => self,
        }
    }

    /// Adds a real number; infinity and NaN are ignored.
    pub fn real(&mut self, key: &str, real: f64) -> &mut Self {
        if real.is_finite() {
            self.field(key, Value::Real(real))
        } else {
            self
        }
    }

    /// Adds a fraction; one with denominator 0 is ignored.
    pub fn rational(&mut self, key: &str, numerator: i64, denominator: i64) -> &mut Self {
        if denominator == 0 {
            return self;
        }
        self.field(
            key,
            Value::Rational(Rational {
                numerator,
                denominator,
            }),
        )
    }

    /// Adds a boolean.
    pub fn boolean(&mut self, key: &str, boolean: bool) -> &mut Self {
        self.field(key, Value::Boolean(boolean))
    }

    /// Adds a date of any precision.
    pub fn date(&mut self, key: &str, date: PartialDate) -> &mut Self {
        self.field(key, Value::Date(date))
    }

    /// Adds an embedded picture with its purpose, such as `front`, and its media type, such as `image/jpeg`: at most
    /// 64.
    pub fn picture(&mut self, purpose: &str, mime: &str, data: PictureData) -> &mut Self {
        if self.pictures.len() < MAX_PICTURES {
            self.pictures.push(Picture {
                purpose: purpose.to_owned(),
                mime: mime.to_owned(),
                data,
            });
        } else {
            self.warn(format!("more than {MAX_PICTURES} pictures, the rest is left out"));
        }
        self
    }

    /// Adds a warning about a defect that did not stop the extraction, at most 16. The admin app shows it with the
    /// file.
    pub fn warn(&mut self, warning: impl AsRef<str>) -> &mut Self {
        let short: String = warning.as_ref().chars().take(MAX_WARNING_CHARACTERS).collect();
        if let Some(warning) = clean_text(&short)
            && self.warnings.len() < MAX_WARNINGS
            && !self.warnings.contains(&warning)
        {
            self.warnings.push(warning);
        }
        self
    }

    /// Whether a field with this key was added.
    pub fn has(&self, key: &str) -> bool {
        self.fields.iter().any(|field| field.key == key)
    }

    /// The extraction; `None` if nothing was added, not even a warning.
    pub fn finish(self) -> Option<Extraction> {
        let (width, height) = self.dimensions.unzip();
        let extraction = Extraction {
            title: self.title,
            duration_ms: self.duration_ms,
            width,
            height,
            fields: self.fields,
            pictures: self.pictures,
            warnings: self.warnings,
        };
        let says_something = extraction.title.is_some()
            || extraction.duration_ms.is_some()
            || extraction.width.is_some()
            || !extraction.fields.is_empty()
            || !extraction.pictures.is_empty()
            || !extraction.warnings.is_empty();
        says_something.then_some(extraction)
    }

    fn list(
        &mut self,
        key: &str,
        texts: impl Iterator<Item = String>,
        most: usize,
        are_unique: bool,
    ) -> &mut Self {
        if self.has(key) {
            return self;
        }
        let mut list: Vec<String> = Vec::new();
        for text in texts {
            if list.len() >= most {
                self.warn(format!("{key}: more than {most} values, the rest is left out"));
                break;
            }
            if are_unique && list.contains(&text) {
                continue;
            }
            if !self.has_room(text.len()) {
                break;
            }
            list.push(text);
        }
        if list.is_empty() {
            self
        } else {
            self.field(key, Value::Texts(list))
        }
    }

    fn field(&mut self, key: &str, value: Value) -> &mut Self {
        if self.has(key) {
            return self;
        }
        if self.fields.len() < MAX_FIELDS {
            self.fields.push(Field {
                key: key.to_owned(),
                value,
            });
        } else {
            self.warn(format!("more than {MAX_FIELDS} fields, the rest is left out"));
        }
        self
    }

    /// Reserves bytes of the budget for texts, and warns when it is used up.
    fn has_room(&mut self, bytes: usize) -> bool {
        let fits = self.text_bytes + bytes <= MAX_TEXT_BYTES_IN_ALL;
        if fits {
            self.text_bytes += bytes;
        } else {
            self.warn("too much text, the rest is left out");
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extraction_of_endless_text_stays_within_the_budget() {
        let mut extraction = ExtractionBuilder::new();
        for number in 0..1000 {
            extraction.texts(
                &format!("x.{number}"),
                (0..1000).map(|n| format!("{number} {n}").repeat(100)),
            );
        }
        let extraction = extraction.finish().unwrap();
        let bytes: usize = extraction
            .fields
            .iter()
            .map(|field| match &field.value {
                Value::Texts(texts) => texts.iter().map(String::len).sum(),
                _ => 0,
            })
            .sum();
        assert!(bytes <= MAX_TEXT_BYTES_IN_ALL);
        assert!(extraction.warnings.len() <= MAX_WARNINGS);
    }

    #[test]
    fn extraction_records_alike_are_kept_up_to_the_bound() {
        let mut extraction = ExtractionBuilder::new();
        extraction.records("x.a.b", (0..5).map(|_| "{}".to_owned()), 3);
        let extraction = extraction.finish().unwrap();
        assert_eq!(extraction.fields[0].value, Value::Texts(vec!["{}".to_owned(); 3]));
        assert_eq!(extraction.warnings.len(), 1);
    }

    #[test]
    fn extraction_key_said_twice_keeps_the_first() {
        let mut extraction = ExtractionBuilder::new();
        extraction
            .integer("x.a.b", 1)
            .integer("x.a.b", 2)
            .text("x.a.b", "three");
        let extraction = extraction.finish().unwrap();
        assert_eq!(extraction.fields.len(), 1);
        assert_eq!(extraction.fields[0].value, Value::Integer(1));
    }
}
