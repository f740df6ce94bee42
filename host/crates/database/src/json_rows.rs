//! Result rows of SQLite as one JSON array of arrays, built by SQLite.
//!
//! sqlx runs SQLite on a thread of its own, which wakes the caller for each row. A page of a hundred items, read in a
//! few queries, took some two hundred switches between threads, and during a scan each switch waits for a processor.
//! A single row takes one.

use serde::Deserializer;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::error::StoreError;
use crate::record::Record;

/// A record of numbers and texts, without bytes: a struct whose fields name the columns, as in sqlx, or a tuple.
pub trait JsonRecord: Record + DeserializeOwned {}

impl<T: Record + DeserializeOwned> JsonRecord for T {}

/// Column types that JSON and SQLite represent differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Integer or text: the same in both.
    Same,
    /// SQLite stores 0 and 1.
    Bool,
    /// SQLite's default format loses digits.
    Float,
}

impl Column {
    /// SQL expression of the column as a JSON value.
    fn value(self, name: &str) -> String {
        match self {
            Self::Same => name.to_owned(),
            Self::Bool => format!("CASE WHEN {name} IS NOT NULL THEN json(iif({name}, 'true', 'false')) END"),
            // JSON cannot represent infinity; `9e999` is infinity in SQLite.
            Self::Float => format!("CASE WHEN abs({name}) < 9e999 THEN json(format('%!.17g', {name})) END"),
        }
    }
}

/// Layout of a record, found by deserializing a probe.
#[derive(Debug, Default)]
struct Layout {
    /// Field names of a struct.
    fields: Option<&'static [&'static str]>,
    columns: Vec<Column>,
}

impl Layout {
    fn of<T: DeserializeOwned>() -> Self {
        let mut layout = Self::default();
        // Only the layout matters, not the result.
        let _ = T::deserialize(RecordProbe(&mut layout));
        layout
    }
}

/// Wraps a query for rows of `T` into a query for one JSON text.
pub fn to_json_rows<T: JsonRecord>(query: &str) -> String {
    let Layout { fields, columns } = Layout::of::<T>();
    let (names, heading) = match fields {
        // Qualified, because SQLite treats an unknown quoted name as a text.
        Some(fields) => (
            fields
                .iter()
                .map(|field| format!("packed_rows.\"{field}\""))
                .collect(),
            String::new(),
        ),
        None => {
            let names: Vec<String> = (1..=columns.len()).map(|number| format!("c{number}")).collect();
            let heading = format!("({})", names.join(", "));
            (names, heading)
        }
    };
    let values: Vec<String> = names
        .iter()
        .zip(columns)
        .map(|(name, column)| column.value(name))
        .collect();
    let values = values.join(", ");
    format!(
        "WITH packed_rows{heading} AS ({query}) SELECT json_group_array(json_array({values})) FROM packed_rows"
    )
}

/// Parses the JSON text of such a query.
pub fn from_json_rows<T: JsonRecord>(text: &str) -> Result<Vec<T>, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Database(sqlx::Error::Decode(error.into())))
}

struct RecordProbe<'a>(&'a mut Layout);

impl<'de> Deserializer<'de> for RecordProbe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("a record is a structure or a tuple"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.fields = Some(fields);
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(ColumnProbes {
            columns: &mut self.0.columns,
            left: length,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple_struct map enum identifier ignored_any
    }
}

struct ColumnProbes<'a> {
    columns: &'a mut Vec<Column>,
    left: usize,
}

impl<'de> SeqAccess<'de> for ColumnProbes<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut column = Column::Same;
        let value = seed.deserialize(ColumnProbe(&mut column));
        self.columns.push(column);
        value.map(Some)
    }
}

struct ColumnProbe<'a>(&'a mut Column);

impl<'de> Deserializer<'de> for ColumnProbe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        0_u8.into_deserializer().deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.0 = Column::Bool;
        visitor.visit_bool(false)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.0 = Column::Float;
        visitor.visit_f64(0.0)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str("")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str("")
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

    use super::*;

    #[derive(Debug, PartialEq, sqlx::FromRow, serde::Deserialize)]
    struct Row {
        number: i64,
        text: String,
        no_text: Option<String>,
        small: Option<i16>,
        is_so: bool,
        is_perhaps_so: Option<bool>,
        float: Option<f64>,
    }

    /// In another order than the fields.
    const ROWS: &str = "SELECT column7 AS float, column6 AS is_perhaps_so, column5 AS is_so, column4 AS small, \
        column2 AS text, column3 AS no_text, v.column1 AS number FROM (VALUES \
        (9223372036854775807, 'a \"quoted\" \\ text', NULL, -32768, 1, NULL, 0.1), \
        (-9223372036854775807 - 1, '', '', NULL, 0, 0, 48.858222222222224), \
        (0, 'Größe 漢字 🎵' || char(10, 9, 1, 127, 8232), '[1]', 7, 1, 1, NULL), \
        (1, 'null', '{}', 0, 0, 1, -33.8688197000000012), (2, '1.5', 'true', 1, 0, NULL, 1.0 / 3), \
        (3, 'x', 'y', 1, 1, 0, 5.0), (4, 'x', 'y', 1, 1, 0, 123456789.12345679), (5, 'x', 'y', 1, 1, 0, 1e-7)) v \
        ORDER BY number DESC LIMIT 100";

    async fn ask<T: JsonRecord>(connection: &mut SqliteConnection, query: &str) -> Vec<T> {
        let (answer,): (String,) = sqlx::query_as(AssertSqlSafe(to_json_rows::<T>(query)))
            .fetch_one(connection)
            .await
            .unwrap();
        from_json_rows(&answer).unwrap()
    }

    #[tokio::test]
    async fn rows_are_what_sqlx_reads_one_by_one() {
        let mut connection = SqliteConnection::connect(":memory:").await.unwrap();
        let single: Vec<Row> = sqlx::query_as(ROWS).fetch_all(&mut connection).await.unwrap();
        assert_eq!(single.len(), 8);
        assert_eq!(ask::<Row>(&mut connection, ROWS).await, single);
        let none = "SELECT 1, 'text' WHERE 0";
        assert_eq!(ask::<(i64, String)>(&mut connection, none).await, []);
        let nested = "WITH packed_rows AS (SELECT 7 AS n) SELECT n FROM packed_rows p";
        assert_eq!(ask::<(i64,)>(&mut connection, nested).await, [(7,)]);
        let missing =
            sqlx::query_as::<_, (String,)>(AssertSqlSafe(to_json_rows::<Row>("SELECT 1 AS number")));
        assert!(
            missing.fetch_all(&mut connection).await.is_err(),
            "a column is missing"
        );
        // Without an end, or none: neither is a number of JSON.
        let endless = "SELECT 9e999 UNION ALL SELECT 9e999 - 9e999";
        assert_eq!(
            ask::<(Option<f64>,)>(&mut connection, endless).await,
            [(None,), (None,)]
        );
    }
}
