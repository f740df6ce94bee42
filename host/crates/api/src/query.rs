//! Query parameters. One call reads a parameter and describes it in the OpenAPI document.

use std::str::FromStr;

use salvo::oapi::{
    Array, BasicType, Components, EndpointArgRegister, Object, Operation, Parameter, ParameterIn,
    ParameterStyle, RefOr, Schema, schema,
};

use crate::api_error::ApiError;
use crate::date_time::{DATE_TIME, parse_date_time};
use crate::extract::extractible;
use crate::response::register_statuses;
use svc_domain::time::Timestamp;
use svc_http_io::limits::INPUT_ITEMS;
use svc_identity::error::FieldError;

/// Input that is read from the query.
pub trait FromQuery: Sized {
    /// Reads the parameters. It is also called without a request, to describe them; it must therefore read the same
    /// parameters whatever their values are.
    fn read(params: &mut QueryParams<'_>) -> Self;
}

/// The query parameters of one request, their errors, and their descriptions.
#[derive(Default)]
pub struct QueryParams<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    errors: Vec<FieldError>,
    described: Vec<Parameter>,
}

impl<'a> QueryParams<'a> {
    /// Parameters from pairs of decoded names and values.
    pub fn new(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self {
            pairs: pairs.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The errors of all parameters that were read.
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// Reports a parameter as invalid.
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

    fn single_value(&mut self, name: &str) -> Option<&'a str> {
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

    /// A text of one character or more.
    pub fn text(&mut self, name: &str, about: &str) -> Option<String> {
        let schema = Object::with_type(BasicType::String).min_length(1);
        self.describe(name, about, schema);
        let text = self.single_value(name)?;
        if text.is_empty() {
            self.fail(name, "must not be empty");
            return None;
        }
        Some(text.to_owned())
    }

    /// A text; an empty text is `None`.
    pub fn text_or_none(&mut self, name: &str, about: &str) -> Option<String> {
        self.describe(name, about, Object::with_type(BasicType::String));
        let text = self.single_value(name)?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A parameter that the request must have, read by `read`. If it is missing or invalid, that is an error and the value
    /// is `placeholder`, which no handler receives.
    pub fn required<T>(
        &mut self,
        name: &str,
        placeholder: T,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> T {
        let errors = self.errors.len();
        let value = read(self);
        let described = self.described.pop();
        self.described
            .extend(described.map(|parameter| parameter.required(true)));
        if value.is_none() && self.errors.len() == errors {
            self.fail(name, "is missing");
        }
        value.unwrap_or(placeholder)
    }

    /// A text that the request must have.
    pub fn required_text(&mut self, name: &str, about: &str) -> String {
        self.required(name, String::new(), |params| params.text_or_none(name, about))
    }

    /// An integer within bounds, all of which `T` can hold.
    pub fn integer<T: TryFrom<i64>>(
        &mut self,
        name: &str,
        about: &str,
        bounds: std::ops::RangeInclusive<i64>,
    ) -> Option<T> {
        let schema = Object::with_type(BasicType::Integer).minimum(*bounds.start() as f64);
        let bounded = if *bounds.end() < i64::MAX {
            schema.maximum(*bounds.end() as f64)
        } else {
            schema
        };
        self.describe(name, about, bounded);
        let text = self.single_value(name)?;
        // `i64::from_str` accepts a plus sign; the API rejects it.
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
        number.and_then(|number| T::try_from(number).ok())
    }

    /// A year, 0 to 9999.
    pub fn year(&mut self, name: &str, about: &str) -> Option<i32> {
        self.integer(name, about, 0..=9999)
    }

    /// `true`, `1`, `false` or `0`.
    pub fn boolean(&mut self, name: &str, about: &str) -> Option<bool> {
        self.describe(name, about, Object::with_type(BasicType::Boolean));
        match self.single_value(name)? {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => {
                self.fail(name, "must be true, false, 1 or 0");
                None
            }
        }
    }

    /// One of a fixed set of words.
    pub fn choice<T: Copy>(&mut self, name: &str, about: &str, choices: &[(&str, T)]) -> Option<T> {
        self.choice_or(name, about, choices, None)
    }

    /// One of a fixed set of words. The description names the default; the caller applies it.
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
        let text = self.single_value(name)?;
        let choice = choices
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, choice)| *choice);
        if choice.is_none() {
            self.fail(name, format!("must be one of {}", words.join(", ")));
        }
        choice
    }

    /// A value with its own syntax, such as an id. `expected` completes the error message "must be …".
    pub fn parsed<T: FromStr>(&mut self, name: &str, about: &str, expected: &str) -> Option<T> {
        self.describe(name, about, Object::with_type(BasicType::String));
        let value = self.single_value(name)?.parse().ok();
        if value.is_none() {
            self.fail(name, format!("must be {expected}"));
        }
        value
    }

    /// ISO 8601 with an offset, or a date, which means midnight in UTC.
    pub fn date_time(&mut self, name: &str, about: &str) -> Option<Timestamp> {
        let format = schema::SchemaFormat::KnownFormat(schema::KnownFormat::DateTime);
        self.describe(name, about, Object::with_type(BasicType::String).format(format));
        let text = self.single_value(name)?;
        let date_time = parse_date_time(text);
        if date_time.is_none() {
            self.fail(name, DATE_TIME);
        }
        date_time
    }

    /// Exactly `N` finite numbers, separated by commas.
    pub fn numbers<const N: usize>(&mut self, name: &str, about: &str) -> Option<[f64; N]> {
        self.describe(name, about, Object::with_type(BasicType::String));
        let text = self.single_value(name)?;
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

    /// A list of texts: `a=x`, `a=x&a=y`, `a[]=x&a[]=y` or `a[0]=x&a[1]=y`; at most [`INPUT_ITEMS`].
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
            self.fail(name, format!("must hold at most {INPUT_ITEMS} items"));
        }
        texts
    }
}

impl QueryParams<'_> {
    /// Lists of texts by key: `name[key]=x`, `name[key]=x&name[key]=y` or `name[key][]=x`; at most [`INPUT_ITEMS`] texts.
    pub fn texts_by_key(&mut self, name: &str, about: &str) -> Vec<(String, Vec<String>)> {
        let texts = Array::new().items(Object::with_type(BasicType::String));
        let schema = Object::with_type(BasicType::Object).additional_properties(texts);
        let parameter = Parameter::new(name)
            .location(ParameterIn::Query)
            .description(about)
            .style(ParameterStyle::DeepObject)
            .explode(true)
            .schema(schema);
        self.described.push(parameter.required(false));
        let mut by_key: Vec<(String, Vec<String>)> = Vec::new();
        let mut is_valid = true;
        let mut count = 0;
        for (key, value) in &self.pairs {
            let Some(rest) = key
                .strip_prefix(name)
                .filter(|rest| rest.is_empty() || rest.starts_with('['))
            else {
                continue;
            };
            let Some(key) = bracketed(rest) else {
                is_valid = false;
                continue;
            };
            count += 1;
            match by_key.iter_mut().find(|(known, _)| known == key) {
                Some((_, values)) => values.push((*value).to_owned()),
                None => by_key.push((key.to_owned(), vec![(*value).to_owned()])),
            }
        }
        if !is_valid {
            self.fail(name, format!("must be written as {name}[key]=value"));
        }
        if count > INPUT_ITEMS {
            self.fail(name, format!("must hold at most {INPUT_ITEMS} values"));
        }
        by_key
    }
}

/// The key in `[key]`, `[key][]` or `[key][0]`.
fn bracketed(text: &str) -> Option<&str> {
    let (key, rest) = text.strip_prefix('[')?.split_once(']')?;
    let index = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_index = index.is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()));
    (!key.is_empty() && (rest.is_empty() || is_index)).then_some(key)
}

/// The input of type `T` in the query. 400 if it is invalid.
#[derive(Debug)]
pub struct Query<T>(pub T);

extractible!(Query<T> where [T: FromQuery + Send], req, _depot, _arg => {
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
});

impl<T: FromQuery> EndpointArgRegister for Query<T> {
    fn register(_components: &mut Components, operation: &mut Operation, _arg: &str) {
        let mut params = QueryParams::default();
        T::read(&mut params);
        operation.parameters.extend(params.described);
        register_statuses(operation, &[("400", "The input is invalid")]);
    }
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
