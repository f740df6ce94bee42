//! Converts the types of the interface to those of the server.

use crate::bindings::svc::plugin::types;
use crate::limits;
use crate::validate::Checker;
use svc_domain::extraction::{
    ExtractFailure, Extraction, Field, PartialDate, Picture, PictureData, Rational, Span, Value,
};

/// Converts an extraction, and validates it with a checker of its file.
pub(super) fn extraction(
    given: types::Extraction,
    mut checker: Checker<'_>,
) -> Result<Extraction, ExtractFailure> {
    checker.counts(given.fields.len(), given.pictures.len(), given.warnings.len())?;
    let title = given
        .title
        .map(|text| checker.text("title", text))
        .transpose()?
        .flatten();
    let mut fields = Vec::with_capacity(given.fields.len());
    let mut warnings = given
        .warnings
        .iter()
        .map(|text| message(text))
        .collect::<Vec<_>>();
    for field in given.fields {
        let field = Field {
            key: field.key,
            value: value(field.value),
        };
        fields.extend(checker.field(field, &mut warnings)?);
    }
    let pictures = given
        .pictures
        .into_iter()
        .map(picture)
        .map(|picture| checker.picture(picture));
    Ok(Extraction {
        title,
        duration_ms: given.duration_ms,
        width: given.width,
        height: given.height,
        fields,
        pictures: pictures.collect::<Result<_, _>>()?,
        warnings,
    })
}

/// Converts a value for a plugin.
pub(super) fn value_for_guest(given: Value) -> types::Value {
    match given {
        Value::Text(text) => types::Value::Text(text),
        Value::Texts(texts) => types::Value::Texts(texts),
        Value::Integer(number) => types::Value::Integer(number),
        Value::Real(number) => types::Value::Real(number),
        Value::Rational(Rational {
            numerator,
            denominator,
        }) => types::Value::Rational(types::Rational {
            numerator,
            denominator,
        }),
        Value::Boolean(yes) => types::Value::Boolean(yes),
        Value::Date(date) => types::Value::Date(types::PartialDate {
            year: date.year,
            month: date.month,
            day: date.day,
            time_ms: date.time_ms,
            offset_minutes: date.offset_minutes,
        }),
        Value::BytesAt(Span { offset, length }) => types::Value::BytesAt(types::Span { offset, length }),
        Value::Blob(bytes) => types::Value::Blob(bytes),
    }
}

/// Converts an error from a plugin.
pub(super) fn failure(given: types::ExtractError) -> ExtractFailure {
    match given {
        types::ExtractError::Refused(reason) => ExtractFailure::Refused(message(&reason)),
        types::ExtractError::Invalid(malformed) => ExtractFailure::Invalid {
            offset: malformed.offset,
            reason: message(&malformed.reason),
        },
        types::ExtractError::Unsupported(what) => ExtractFailure::Unsupported(message(&what)),
        types::ExtractError::Io(types::IoError::Failed(text)) => ExtractFailure::Io(message(&text)),
        // If the host exhausted the budget, `Instance::end` has already responded; here the guest invented it, which
        // is accepted.
        types::ExtractError::Io(types::IoError::BudgetExhausted) => {
            ExtractFailure::Budget("the plugin reports an exhausted budget".to_owned())
        }
    }
}

/// Converts a guest's text to one short line for log and API.
pub(super) fn message(text: &str) -> String {
    let cut = text
        .get(..text.floor_char_boundary(limits::MESSAGE_BYTES))
        .unwrap_or_default();
    let line: String = cut
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    line.trim().to_owned()
}

fn value(given: types::Value) -> Value {
    match given {
        types::Value::Text(text) => Value::Text(text),
        types::Value::Texts(texts) => Value::Texts(texts),
        types::Value::Integer(number) => Value::Integer(number),
        types::Value::Real(number) => Value::Real(number),
        types::Value::Rational(types::Rational {
            numerator,
            denominator,
        }) => Value::Rational(Rational {
            numerator,
            denominator,
        }),
        types::Value::Boolean(yes) => Value::Boolean(yes),
        types::Value::Date(date) => Value::Date(PartialDate {
            year: date.year,
            month: date.month,
            day: date.day,
            time_ms: date.time_ms,
            offset_minutes: date.offset_minutes,
        }),
        types::Value::BytesAt(range) => Value::BytesAt(span(range)),
        types::Value::Blob(bytes) => Value::Blob(bytes),
    }
}

pub(super) fn span(given: types::Span) -> Span {
    Span {
        offset: given.offset,
        length: given.length,
    }
}

fn picture(given: types::Picture) -> Picture {
    let data = match given.data {
        types::PictureData::At(range) => PictureData::At(span(range)),
        types::PictureData::OnRequest => PictureData::OnRequest,
    };
    Picture {
        purpose: given.purpose,
        mime: given.mime,
        data,
    }
}
