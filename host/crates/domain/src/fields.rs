//! Typed access to the fields of an extraction.

use std::collections::HashMap;

use crate::extraction::{Extraction, PartialDate, Value};

/// Start of the keys that are a plugin's own.
const OWN: &str = "x.";
/// Characters of free text that search finds. A note is shorter; what is longer, such as a log, names everything.
const SEARCHED: usize = 300;

/// What search finds of a file beside its titles and names: the beginnings of its comment, a text with this key, and of
/// the plugin's own texts together. `None` if there are none.
pub fn free_text(extraction: &Extraction, comment: &str) -> Option<String> {
    let texts_of = |is_wanted: &dyn Fn(&str) -> bool| {
        let fields = extraction.fields.iter().filter(|field| is_wanted(&field.key));
        let texts = fields.flat_map(|field| match &field.value {
            Value::Text(text) => std::slice::from_ref(text),
            Value::Texts(texts) => texts.as_slice(),
            _ => &[],
        });
        let text = texts.map(String::as_str).collect::<Vec<_>>().join(" ");
        text.chars().take(SEARCHED).collect::<String>()
    };
    let comment = texts_of(&|key| key == comment);
    let own = texts_of(&|key| key.starts_with(OWN));
    let text = [comment, own].join(" ");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::Field;

    fn extraction(fields: &[(&str, Value)]) -> Extraction {
        let fields = fields.iter().map(|(key, value)| Field {
            key: (*key).to_owned(),
            value: value.clone(),
        });
        Extraction {
            fields: fields.collect(),
            ..Extraction::default()
        }
    }

    #[test]
    fn free_text_is_that_of_the_comment_and_of_own_keys() {
        let own = Value::Texts(vec!["dark".to_owned(), "slow".to_owned()]);
        let extraction = extraction(&[
            ("x.moods.all", own),
            ("x.moods.count", Value::Integer(2)),
            ("music.comment", Value::Text("a note".to_owned())),
            ("x.moods.source", Value::Text("ears".to_owned())),
            ("music.album", Value::Text("not this".to_owned())),
        ]);
        assert_eq!(
            free_text(&extraction, "music.comment").as_deref(),
            Some("a note dark slow ears")
        );
        assert_eq!(free_text(&extraction, "").as_deref(), Some("dark slow ears"));
    }

    #[test]
    fn free_text_ends_where_it_gets_long_and_leaves_room_for_the_other() {
        let long = Value::Text("ä ".repeat(400));
        let both = extraction(&[("x.a.b", Value::Text("end".to_owned())), ("video.comment", long)]);
        let text = free_text(&both, "video.comment").unwrap();
        assert_eq!(text.chars().count(), 304);
        assert!(text.ends_with(" end"), "{text}");
        assert_eq!(free_text(&extraction(&[]), "video.comment"), None);
    }
}
