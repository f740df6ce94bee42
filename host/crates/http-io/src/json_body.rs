//! Parser of JSON bodies. An error names the path of the field (`items[0].mediaId`), and neither Rust types nor texts of
//! serde.
//!
//! serde accepts an array in place of a struct, with the fields in the order of the source code. This parser accepts only
//! an object, at every depth.

mod json_error;
mod value;

pub use json_error::JsonError;

use json_error::Step;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use value::JsonValue;

/// Parses a body.
///
/// # Errors
/// The first error, with the path of its field; an empty path for the body as a whole.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    if bytes.trim_ascii().is_empty() {
        return Err(JsonError::here("the body is missing; it must be a JSON object"));
    }
    let json: JsonValue = serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        JsonError::here(format!(
            "the body is not valid JSON: line {line}, column {column}"
        ))
    })?;
    if !matches!(json, JsonValue::Object(_)) {
        return Err(JsonError::here("the body must be a JSON object"));
    }
    T::deserialize(json)
}

/// Methods for integers, within the bounds of their types.
macro_rules! whole_numbers {
    ($($method:ident $type:ty => $visit:ident, $bounds:literal;)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
            let number = match &self {
                JsonValue::Number(number) => number.as_i64().map(i128::from).or(number.as_u64().map(i128::from)),
                _ => None,
            };
            match number.and_then(|number| <$type>::try_from(number).ok()) {
                Some(number) => visitor.$visit(number),
                None => Err(JsonError::here(concat!("must be a whole number", $bounds))),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for JsonValue {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Self::Text(text) => visitor.visit_string(text),
            Self::List(items) => visitor.visit_seq(Items {
                rest: items.into_iter().enumerate(),
            }),
            Self::Object(fields) => visitor.visit_map(Fields {
                rest: fields.into_iter(),
                value: None,
            }),
        }
    }

    whole_numbers! {
        deserialize_i8 i8 => visit_i8, ", -128 to 127";
        deserialize_i16 i16 => visit_i16, ", -32768 to 32767";
        deserialize_i32 i32 => visit_i32, ", -2147483648 to 2147483647";
        deserialize_i64 i64 => visit_i64, "";
        deserialize_u8 u8 => visit_u8, ", 0 to 255";
        deserialize_u16 u16 => visit_u16, ", 0 to 65535";
        deserialize_u32 u32 => visit_u32, ", 0 to 4294967295";
        deserialize_u64 u64 => visit_u64, ", 0 or more";
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Number(number) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            _ => Err(JsonError::here("must be a number")),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Bool(value) => visitor.visit_bool(value),
            _ => Err(JsonError::here("must be true or false")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Text(text) => visitor.visit_string(text),
            _ => Err(JsonError::here("must be a string")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::List(_) => self.deserialize_any(visitor),
            _ => Err(JsonError::here("must be a list")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Object(_) => self.deserialize_any(visitor),
            _ => Err(JsonError::here("must be an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        match self {
            Self::Text(text) => visitor.visit_enum(text.into_deserializer()),
            _ => Err(JsonError::one_of(variants)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { bytes byte_buf unit unit_struct identifier }
}

/// The remaining items of a list.
struct Items {
    rest: std::iter::Enumerate<std::vec::IntoIter<JsonValue>>,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, JsonError> {
        let Some((index, item)) = self.rest.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(item).map(Some);
        read.map_err(|json_error| json_error.below(Step::Index(index)))
    }
}

/// The remaining fields of an object, and the field whose name was read.
struct Fields {
    rest: std::vec::IntoIter<(String, JsonValue)>,
    value: Option<(String, JsonValue)>,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, JsonError> {
        self.value = self.rest.next();
        let Some((name, _)) = &self.value else {
            return Ok(None);
        };
        let name: StrDeserializer<'_, JsonError> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, JsonError> {
        let (name, value) = self
            .value
            .take()
            .ok_or_else(|| JsonError::here("has a value without a name"))?;
        seed.deserialize(value)
            .map_err(|json_error| json_error.below(Step::Field(name)))
    }
}

#[cfg(test)]
mod tests;
