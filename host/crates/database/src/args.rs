//! Values to bind, for both databases.

use std::borrow::Cow;
use std::sync::Arc;

use sqlx::Arguments;
use sqlx::postgres::PgArguments;
use sqlx::sqlite::SqliteArguments;

use crate::error::StoreError;
use svc_domain::time::Timestamp;

/// One value. Absent values keep their type, which PostgreSQL requires.
#[derive(Debug, Clone)]
pub enum Arg<'a> {
    /// A truth value.
    Bool(bool),
    /// 16 bits.
    Small(Option<i16>),
    /// 32 bits.
    Int(Option<i32>),
    /// 64 bits.
    Big(Option<i64>),
    /// A floating-point number.
    Real(Option<f64>),
    /// A text without U+0000.
    Text(Option<Cow<'a, str>>),
    /// Bytes.
    Bytes(Option<&'a [u8]>),
}

/// PostgreSQL rejects U+0000 in texts, and a tag may contain one: both databases store U+FFFD instead.
fn without_nul(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.as_bytes().contains(&0) {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        text
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),+ $(,)?) => {$(
        impl From<$type> for Arg<'_> {
            fn from(value: $type) -> Self {
                Self::$variant(Some(value))
            }
        }
        impl From<Option<$type>> for Arg<'_> {
            fn from(value: Option<$type>) -> Self {
                Self::$variant(value)
            }
        }
    )+};
}

from!(i16 => Small, i32 => Int, i64 => Big, f64 => Real);

impl From<bool> for Arg<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Timestamp> for Arg<'_> {
    fn from(moment: Timestamp) -> Self {
        Self::Big(Some(moment.millis()))
    }
}

impl From<Option<Timestamp>> for Arg<'_> {
    fn from(moment: Option<Timestamp>) -> Self {
        Self::Big(moment.map(Timestamp::millis))
    }
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(without_nul(Cow::Borrowed(text))))
    }
}

impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text.map(|text| without_nul(Cow::Borrowed(text))))
    }
}

impl From<String> for Arg<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(without_nul(Cow::Owned(text))))
    }
}

impl<'a> From<Cow<'a, str>> for Arg<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self::Text(Some(without_nul(text)))
    }
}

impl<'a> From<&'a [u8]> for Arg<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Some(bytes))
    }
}

impl<'a> From<Option<&'a [u8]>> for Arg<'a> {
    fn from(bytes: Option<&'a [u8]>) -> Self {
        Self::Bytes(bytes)
    }
}

/// The values of a statement: `args![id.get(), name]`.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => { [$($crate::args::Arg::from($value)),*] };
}
pub use crate::args;

macro_rules! bind {
    ($arguments:expr, $values:expr, $text:expr) => {{
        let mut arguments = $arguments;
        arguments.reserve($values.len(), $values.len() * 8);
        for value in $values {
            match value {
                Arg::Bool(value) => arguments.add(*value),
                Arg::Small(value) => arguments.add(*value),
                Arg::Int(value) => arguments.add(*value),
                Arg::Big(value) => arguments.add(*value),
                Arg::Real(value) => arguments.add(*value),
                Arg::Text(value) => arguments.add(value.as_deref().map($text)),
                Arg::Bytes(value) => arguments.add(*value),
            }
            .map_err(|error| StoreError::Database(sqlx::Error::Encode(error)))?;
        }
        Ok(arguments)
    }};
}

pub(crate) fn sqlite(values: &[Arg<'_>]) -> Result<SqliteArguments, StoreError> {
    // One allocation; a `&str` would become a `String` in an `Arc`.
    bind!(SqliteArguments::default(), values, Arc::<str>::from)
}

pub(crate) fn postgres(values: &[Arg<'_>]) -> Result<PgArguments, StoreError> {
    bind!(PgArguments::default(), values, |text| text)
}
