//! The result of reading one file with a plugin: record or failure.
//!
//! The types correspond to `wit/` but belong to the server: the host converts each released version of the interface
//! into them, so that no other crate depends on the version that a plugin uses.

use std::time::Duration;

use serde_json::{Value as Json, json};

/// An exact fraction such as an exposure time of 1/250 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rational {
    /// Above the line.
    pub numerator: i64,
    /// Never 0 in a checked extraction.
    pub denominator: i64,
}

impl Rational {
    /// The quotient; `None` for a denominator of 0.
    pub fn to_f64(self) -> Option<f64> {
        (self.denominator != 0).then(|| self.numerator as f64 / self.denominator as f64)
    }
}

/// A date of any precision. If a part is absent, all smaller parts are absent too.
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
    /// An exact fraction.
    Rational(Rational),
    /// True or false.
    Boolean(bool),
    /// A date of any precision.
    Date(PartialDate),
    /// Bytes of the file, by their position.
    BytesAt(Span),
    /// Bytes that are not stored verbatim in the file.
    Blob(Vec<u8>),
}

impl Value {
    /// The name of the value's type in `docs/plugin-keys.md`.
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

    /// As JSON for tools; for bytes only their position or length.
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

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// A key of `docs/plugin-keys.md`, or `x.<plugin id>.…`.
    pub key: String,
    /// Its type is fixed by the key.
    pub value: Value,
}

/// Where the bytes of an embedded picture come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureData {
    /// Stored verbatim in the file.
    At(Span),
    /// The plugin returns them on request, by the picture's index.
    OnRequest,
}

/// An embedded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// A purpose of `docs/plugin-keys.md` such as `front`, `back`, `artist`, `other`.
    pub purpose: String,
    /// MIME type.
    pub mime: String,
    /// Source of its bytes.
    pub data: PictureData,
}

/// The metadata of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extraction {
    /// The title, if the file has one.
    pub title: Option<String>,
    /// Playing time in milliseconds.
    pub duration_ms: Option<u64>,
    /// Coded pixels, before orientation.
    pub width: Option<u32>,
    /// Coded pixels, before orientation.
    pub height: Option<u32>,
    /// All other metadata.
    pub fields: Vec<Field>,
    /// In the order of the file.
    pub pictures: Vec<Picture>,
    /// Problems that did not prevent reading.
    pub warnings: Vec<String>,
}

/// Why a file has no record. `scan::policy` decides how each is treated; the codes are a contract between plugins,
/// scan and API (`docs/plugins.md`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractFailure {
    /// The file is not of the plugin's kind.
    #[error("not a file of this kind: {0}")]
    Refused(String),
    /// The file is damaged.
    #[error("malformed{}: {reason}", offset.map(|at| format!(" at byte {at}")).unwrap_or_default())]
    Invalid {
        /// Byte offset, if the plugin reports it.
        offset: Option<u64>,
        /// From the plugin.
        reason: String,
    },
    /// The file is valid but uses a feature that the plugin does not support.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// Reading from storage failed; the next scan tries again.
    #[error("could not be read: {0}")]
    Io(String),
    /// The call exceeded its limit of reads, bytes or output.
    #[error("over budget: {0}")]
    Budget(String),
    /// The call was stopped at its deadline.
    #[error("stopped after {}s", limit.as_secs_f64())]
    Timeout {
        /// The deadline of the call.
        limit: Duration,
    },
    /// The plugin exceeded its memory limit.
    #[error("asked for more than {limit} bytes of memory")]
    OutOfMemory {
        /// The limit in bytes.
        limit: u64,
    },
    /// The plugin trapped.
    #[error("the plugin trapped: {0}")]
    Trap(String),
    /// The plugin failed too often outside of scans and is quarantined.
    #[error("failed too often; retried in {}s", retry_after.as_secs_f64().ceil())]
    Later {
        /// Until the quarantine ends.
        retry_after: Duration,
    },
    /// The plugin's output violates the contract.
    #[error("the plugin's output violates the contract: {0}")]
    BadOutput(String),
}

impl ExtractFailure {
    /// The code in the log, the store and the API.
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

    /// Whether the failure counts as a fault of the plugin rather than of the file or the storage.
    pub fn blames_plugin(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. } | Self::OutOfMemory { .. } | Self::Trap(_) | Self::BadOutput(_)
        )
    }

    /// Whether the failure neither blames the plugin nor shows that it works: the storage or the machine may be the
    /// reason, or a file with more in it than the limits admit.
    pub fn is_inconclusive(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Budget(_) | Self::Later { .. })
    }
}

/// The outcome of one extraction: a record, `None` if the plugin does not index the file, or a failure.
pub type ExtractOutcome = Result<Option<Extraction>, ExtractFailure>;
