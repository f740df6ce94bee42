//! What a plugin read from one file, and the ways in which reading can end.
//!
//! The shapes follow `wit/`, but belong to the server: each released version of the interface is converted
//! into these, so that nothing outside of `plugins` knows which version a plugin speaks.

use std::time::Duration;

use serde_json::{Value as Json, json};

/// An exact fraction, such as an exposure time of 1/250 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rational {
    /// Above the line.
    pub numerator: i64,
    /// Below the line; never 0 in a checked extraction.
    pub denominator: i64,
}

impl Rational {
    /// The fraction as a number; `None` for a denominator of 0.
    pub fn to_f64(self) -> Option<f64> {
        (self.denominator != 0).then(|| self.numerator as f64 / self.denominator as f64)
    }
}

/// A date of any precision. A part is never present when the one before it is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialDate {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: Option<u8>,
    /// 1 to 31.
    pub day: Option<u8>,
    /// Local time of day in milliseconds since midnight.
    pub time_ms: Option<u32>,
    /// Offset from UTC in minutes, east positive.
    pub offset_minutes: Option<i16>,
}

/// A range of bytes in a media file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// One text.
    Text(String),
    /// Several texts in the order of the file.
    Texts(Vec<String>),
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Real(f64),
    /// A fraction.
    Rational(Rational),
    /// Yes or no.
    Boolean(bool),
    /// A date.
    Date(PartialDate),
    /// Bytes that lie in the file.
    BytesAt(Span),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// The name of the value's type, as `docs/plugin-keys.md` has it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Texts(_) => "texts",
            Self::Integer(_) => "integer",
            Self::Real(_) => "real",
            Self::Rational(_) => "rational",
            Self::Boolean(_) => "boolean",
            Self::Date(_) => "date",
            Self::BytesAt(_) => "bytes-at",
            Self::Blob(_) => "blob",
        }
    }

    /// As people and tools read it; of bytes only their place or number.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Text(text) => json!(text),
            Self::Texts(texts) => json!(texts),
            Self::Integer(number) => json!(number),
            Self::Real(number) => json!(number),
            Self::Boolean(yes) => json!(yes),
            Self::Rational(number) => {
                json!({ "numerator": number.numerator, "denominator": number.denominator })
            }
            Self::Date(date) => json!({
                "year": date.year,
                "month": date.month,
                "day": date.day,
                "timeMs": date.time_ms,
                "offsetMinutes": date.offset_minutes,
            }),
            Self::BytesAt(span) => json!({ "offset": span.offset, "length": span.length }),
            Self::Blob(bytes) => json!({ "length": bytes.len() }),
        }
    }
}

/// One statement about the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// A key of `docs/plugin-keys.md`, or `x.<plugin id>.…`.
    pub key: String,
    /// What it says.
    pub value: Value,
}

/// Where the bytes of an embedded picture are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureData {
    /// Unchanged in the file.
    At(Span),
    /// The plugin hands them out when asked, by the picture's position in the list.
    OnRequest,
}

/// An embedded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Such as `front`, `back`, `artist`, `other`.
    pub purpose: String,
    /// MIME type.
    pub mime: String,
    /// Where its bytes are.
    pub data: PictureData,
}

/// What a file says about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extraction {
    /// The title, if the file has one.
    pub title: Option<String>,
    /// Playing time in milliseconds.
    pub duration_ms: Option<u64>,
    /// Pixels as coded, before orientation.
    pub width: Option<u32>,
    /// Pixels as coded, before orientation.
    pub height: Option<u32>,
    /// Further statements.
    pub fields: Vec<Field>,
    /// Embedded pictures.
    pub pictures: Vec<Picture>,
    /// Oddities that did not stop the reading.
    pub warnings: Vec<String>,
}

/// Why a file gave no record. The treatment of each is `scan::policy`'s; the list is a contract between plugin,
/// scan and API (`docs/plugins.md`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractFailure {
    /// Not this plugin's kind of file.
    #[error("not a file of this kind: {0}")]
    Refused(String),
    /// Broken beyond use.
    #[error("malformed{}: {reason}", offset.map(|at| format!(" at byte {at}")).unwrap_or_default())]
    Invalid {
        /// Where, as far as the plugin knows.
        offset: Option<u64>,
        /// What is wrong.
        reason: String,
    },
    /// A sound file with a feature that the plugin does not read.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The storage failed; the file is tried again in the next run.
    #[error("could not be read: {0}")]
    Io(String),
    /// More reads, bytes or output than allowed.
    #[error("over budget: {0}")]
    Budget(String),
    /// Stopped at its deadline.
    #[error("stopped after {}s", limit.as_secs_f64())]
    Timeout {
        /// The time it had.
        limit: Duration,
    },
    /// Asked for more memory than allowed.
    #[error("asked for more than {limit} bytes of memory")]
    OutOfMemory {
        /// The memory it could have had.
        limit: u64,
    },
    /// The plugin's code failed.
    #[error("the plugin trapped: {0}")]
    Trap(String),
    /// The plugin failed too often at this, beside scans, and is not asked now.
    #[error("failed too often; asked again in {}s", retry_after.as_secs_f64().ceil())]
    Later {
        /// When it is.
        retry_after: Duration,
    },
    /// What the plugin returned breaks the contract.
    #[error("the plugin's answer breaks the contract: {0}")]
    BadOutput(String),
}

impl ExtractFailure {
    /// The code by which the log, the store and the API name this failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Invalid { .. } => "invalid",
            Self::Unsupported(_) => "unsupported",
            Self::Io(_) => "io",
            Self::Budget(_) => "budget",
            Self::Timeout { .. } => "timeout",
            Self::OutOfMemory { .. } => "out_of_memory",
            Self::Trap(_) => "trap",
            Self::Later { .. } => "later",
            Self::BadOutput(_) => "bad_output",
        }
    }

    /// Whether the plugin, rather than the file or the storage, is to blame: counted against the plugin.
    pub fn blames_plugin(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. } | Self::OutOfMemory { .. } | Self::Trap(_) | Self::BadOutput(_)
        )
    }
}

/// The end of one extraction: a record, the plugin's "nothing to say", or a failure.
pub type ExtractOutcome = Result<Option<Extraction>, ExtractFailure>;
