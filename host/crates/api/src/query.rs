//! Reading query parameters, each by one call that also describes it in the API's document.

use std::str::FromStr;

use salvo::oapi::{
    self, Array, BasicType, Components, EndpointArgRegister, Object, Operation, Parameter, ParameterIn,
    RefOr, Schema, schema,
};
use salvo::{Depot, Extractible, Request, extract::Metadata};

use crate::api_error::ApiError;
use svc_domain::time::Timestamp;
use svc_http_io::limits::INPUT_ITEMS;
use svc_identity::error::FieldError;

/// Input that comes from the query.
pub trait FromQuery: Sized {
    /// Reads it, parameter by parameter. Called without a request as well, to describe the parameters: it must ask
    /// for the same ones in any case.
    fn read(params: &mut QueryParams<'_>) -> Self;
}

/// The parameters of one request, with what was found wrong with them; or a description under way.
#[derive(Default)]
pub struct QueryParams<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    errors: Vec<FieldError>,
    described: Vec<Parameter>,
}

impl<'a> QueryParams<'a> {
    /// Over decoded pairs.
    pub fn new(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self {
            pairs: pairs.into_iter().collect(),
            ..Self::default()
        }
    }

    /// What was wrong so far.
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// Notes something wrong with a parameter.
    pub fn fail(&mut self, name: &str, message: impl Into<String>) {
        self.errors.push(FieldError::new(name, message));
    }

    fn describe(&mut self, name: &str, about: &str, schema: impl Into<RefOr<Schema>>) {
        let parameter = Parameter::new(name)
            .location(ParameterIn::Query)
            .description(about)
            .schema(schema);
        self.described.push(parameter.required(false));
    }

    fn single(&mut self, name: &str) -> Option<&'a str> {
        let mut values = self
            .pairs
            .iter()
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| *value);
        let value = values.next();
        if values.next().is_some() {
            self.fail(name, "is given more than once");
            return None;
        }
        value
    }

    /// A text that is not empty.
    pub fn text(&mut self, name: &str, about: &str) -> Option<String> {
        let schema = Object::with_type(BasicType::String).min_length(1);
        self.describe(name, about, schema);
        let text = self.single(name)?;
        if text.is_empty() {
            self.fail(name, "must not be empty");
            return None;
        }
        Some(text.to_owned())
    }

    /// A text; an empty one is as good as none.
    pub fn text_or_none(&mut self, name: &str, about: &str) -> Option<String> {
        self.describe(name, about, Object::with_type(BasicType::String));
        let text = self.single(name)?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A whole number within bounds.
    pub fn integer(&mut self, name: &str, about: &str, bounds: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let schema = Object::with_type(BasicType::Integer).minimum(*bounds.start() as f64);
        let bounded = if *bounds.end() < i64::MAX {
            schema.maximum(*bounds.end() as f64)
        } else {
            schema
        };
        self.describe(name, about, bounded);
        let text = self.single(name)?;
        // `i64::from_str` takes a plus sign; the API does not.
        let number = text
            .parse::<i64>()
            .ok()
            .filter(|number| bounds.contains(number) && !text.starts_with('+'));
        if number.is_none() {
            let range = match bounds.into_inner() {
                (low, i64::MAX) => format!("{low} or more"),
                (low, high) => format!("{low} to {high}"),
            };
            self.fail(name, format!("must be a whole number, {range}"));
        }
        number
    }

    /// Yes or no.
    pub fn boolean(&mut self, name: &str, about: &str) -> Option<bool> {
        self.describe(name, about, Object::with_type(BasicType::Boolean));
        match self.single(name)? {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => {
                self.fail(name, "must be true, false, 1 or 0");
                None
            }
        }
    }

    /// One of a closed set of words.
    pub fn choice<T: Copy>(&mut self, name: &str, about: &str, choices: &[(&str, T)]) -> Option<T> {
        self.choice_or(name, about, choices, None)
    }

    /// The same; the word that stands for what is not said is part of the description.
    pub fn choice_or<T: Copy>(
        &mut self,
        name: &str,
        about: &str,
        choices: &[(&str, T)],
        default: Option<&str>,
    ) -> Option<T> {
        let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
        let schema = Object::with_type(BasicType::String).enum_values(words.clone());
        let schema = match default {
            Some(word) => schema.default_value(word.into()),
            None => schema,
        };
        self.describe(name, about, schema);
        let text = self.single(name)?;
        let choice = choices
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, choice)| *choice);
        if choice.is_none() {
            self.fail(name, format!("must be one of {}", words.join(", ")));
        }
        choice
    }

    /// A value with a form of its own, such as an id or a media kind.
    pub fn parsed<T: FromStr>(&mut self, name: &str, about: &str, expected: &str) -> Option<T> {
        self.describe(name, about, Object::with_type(BasicType::String));
        let value = self.single(name)?.parse().ok();
        if value.is_none() {
            self.fail(name, format!("must be {expected}"));
        }
        value
    }

    /// A moment: ISO 8601 with offset, or a date, which is its midnight UTC.
    pub fn moment(&mut self, name: &str, about: &str) -> Option<Timestamp> {
        let format = schema::SchemaFormat::KnownFormat(schema::KnownFormat::DateTime);
        self.describe(name, about, Object::with_type(BasicType::String).format(format));
        let text = self.single(name)?;
        let moment = parse_moment(text);
        if moment.is_none() {
            self.fail(
                name,
                "must be a date (2026-11-21) or a date with time (2026-11-21T10:30:00Z)",
            );
        }
        moment
    }

    /// So many numbers, separated by commas.
    pub fn numbers<const N: usize>(&mut self, name: &str, about: &str) -> Option<[f64; N]> {
        self.describe(name, about, Object::with_type(BasicType::String));
        let text = self.single(name)?;
        let numbers: Vec<f64> = text
            .split(',')
            .filter_map(|part| part.parse().ok())
            .filter(|number: &f64| number.is_finite())
            .collect();
        let exact = text.split(',').count() == N;
        let numbers = numbers.try_into().ok().filter(|_| exact);
        if numbers.is_none() {
            self.fail(name, format!("must be {N} numbers separated by commas"));
        }
        numbers
    }

    /// Several texts: `a=x&a=y`, `a[]=x&a[]=y`, `a[0]=x&a[1]=y`, or one.
    pub fn texts(&mut self, name: &str, about: &str) -> Vec<String> {
        self.describe(
            name,
            about,
            Array::new().items(Object::with_type(BasicType::String)),
        );
        let is_name = |key: &str| {
            key == name
                || key
                    .strip_prefix(name)
                    .and_then(|rest| rest.strip_prefix('['))
                    .and_then(|rest| rest.strip_suffix(']'))
                    .is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let texts: Vec<_> = self
            .pairs
            .iter()
            .filter(|(key, _)| is_name(key))
            .map(|(_, value)| (*value).to_owned())
            .collect();
        if texts.len() > INPUT_ITEMS {
            self.fail(name, format!("may hold {INPUT_ITEMS} items"));
        }
        texts
    }
}

/// A moment from its text: ISO 8601 with offset, or a date, which is its midnight UTC.
pub fn parse_moment(text: &str) -> Option<Timestamp> {
    use time::format_description::well_known::Rfc3339;
    use time::macros::format_description;
    let millis = |moment: time::OffsetDateTime| {
        i64::try_from(moment.unix_timestamp_nanos() / 1_000_000)
            .ok()
            .map(Timestamp::from_millis)
    };
    if let Ok(moment) = time::OffsetDateTime::parse(text, &Rfc3339) {
        return millis(moment);
    }
    let date = time::Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?;
    millis(date.midnight().assume_utc())
}

/// The query of a request, read.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<'ex, T: FromQuery + Send> Extractible<'ex> for Query<T> {
    fn metadata() -> &'static Metadata {
        static METADATA: Metadata = Metadata::new("Query");
        &METADATA
    }

    #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
    async fn extract(req: &'ex mut Request, _depot: &'ex mut Depot) -> Result<Self, ApiError> {
        let pairs = req
            .queries()
            .iter_all()
            .flat_map(|(key, values)| values.iter().map(move |value| (key, value)));
        let mut params = QueryParams::new(pairs.map(|(key, value)| (key.as_str(), value.as_str())));
        let value = T::read(&mut params);
        let errors = params.into_errors();
        if errors.is_empty() {
            Ok(Self(value))
        } else {
            Err(ApiError::invalid(errors))
        }
    }
}

impl<T: FromQuery> EndpointArgRegister for Query<T> {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let mut params = QueryParams::default();
        T::read(&mut params);
        operation.parameters.extend(params.described);
        let invalid = oapi::Response::new("The input is not valid");
        operation.responses.insert("400", invalid);
    }
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
