//! The tables `[thumbnailer]`, `[waveform]` and `[limits]` of a manifest.

use crate::manifest::names::{EXTENSION, MEDIA_TYPE, is_extension, is_media_type};
use crate::manifest::problem::Problems;
use crate::manifest::table::Value;

/// Extensions or MIME types of one table, at most.
pub(super) const MAX_FILE_TYPES: usize = 256;

/// The files, of any media kind, that a plugin renders thumbnails of or analyzes.
#[derive(Debug, Clone)]
pub struct ManifestFiles {
    /// File extensions without the dot, in lower case.
    pub extensions: Vec<String>,
    /// MIME types in lower case, for data without a file name such as embedded artwork.
    pub media_types: Vec<String>,
    /// Requested limits per file; the host may grant less.
    pub limits: RequestedLimits,
}

/// The limits that a manifest requests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestedLimits {
    /// Memory in MiB.
    pub memory_mib: Option<u32>,
    /// Seconds per file.
    pub seconds_per_file: Option<f64>,
    /// MiB read per file.
    pub read_mib: Option<u32>,
}

impl ManifestFiles {
    pub(super) fn read(value: &Value<'_>, problems: &mut Problems<'_>) -> Option<Self> {
        let mut table = value.table(problems)?;
        let extensions = table.require("extensions", problems);
        let extensions =
            extensions.map(|value| value.texts(problems, 1..=MAX_FILE_TYPES, is_extension, EXTENSION));
        let media_types = table.get("media-types");
        let media_types =
            media_types.map(|value| value.texts(problems, 0..=MAX_FILE_TYPES, is_media_type, MEDIA_TYPE));
        let limits = table.get("limits");
        let limits = limits.and_then(|value| RequestedLimits::read(&value, problems));
        table.finish(problems);
        Some(Self {
            extensions: extensions.unwrap_or_default(),
            media_types: media_types.unwrap_or_default(),
            limits: limits.unwrap_or_default(),
        })
    }
}

impl RequestedLimits {
    pub(super) fn read(value: &Value<'_>, problems: &mut Problems<'_>) -> Option<Self> {
        let mut table = value.table(problems)?;
        let memory_mib = table.get("memory-mib").and_then(|value| value.positive(problems));
        let seconds = table.get("seconds-per-file").and_then(|value| {
            let seconds = value.as_number().filter(|seconds| *seconds > 0.0);
            if seconds.is_none() {
                value.expect(problems, "a number above 0");
            }
            seconds
        });
        let read_mib = table.get("read-mib").and_then(|value| value.positive(problems));
        table.finish(problems);
        Some(Self {
            memory_mib,
            seconds_per_file: seconds,
            read_mib,
        })
    }
}
