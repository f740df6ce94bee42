//! The tree of a parsed JSON body, with repeated fields.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// A JSON value. Unlike `serde_json::Value`, an object keeps repeated fields.
#[derive(Debug)]
pub(super) enum JsonValue {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<JsonValue>),
    Object(Vec<(String, JsonValue)>),
}

impl<'de> Deserialize<'de> for JsonValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Build;

        impl<'de> Visitor<'de> for Build {
            type Value = JsonValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E>(self) -> Result<JsonValue, E> {
                Ok(JsonValue::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<JsonValue, E> {
                Ok(JsonValue::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<JsonValue, E> {
                Ok(JsonValue::Number(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<JsonValue, E> {
                Ok(JsonValue::Number(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<JsonValue, E> {
                Ok(Number::from_f64(value).map_or(JsonValue::Null, JsonValue::Number))
            }

            fn visit_str<E>(self, value: &str) -> Result<JsonValue, E> {
                Ok(JsonValue::Text(value.to_owned()))
            }

            fn visit_string<E>(self, value: String) -> Result<JsonValue, E> {
                Ok(JsonValue::Text(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<JsonValue, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(JsonValue::List(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonValue, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(JsonValue::Object(fields))
            }
        }

        deserializer.deserialize_any(Build)
    }
}
