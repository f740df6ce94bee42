//! What is wrong with a manifest: every error with its place, its key and what is expected there.

use std::fmt;

use crate::limits;

/// One error of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestProblem {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Path of the key such as `kinds[0].fields[2].type`; empty for an error of the syntax.
    pub key: String,
    /// What is wrong and what is expected.
    pub message: String,
}

impl fmt::Display for ManifestProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "`{}` ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

/// Why a manifest is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// There is no section `svc:manifest`.
    #[error(
        "it has no manifest: the custom section `svc:manifest` is missing; `svc plugin build` embeds `plugin.toml`"
    )]
    Missing,
    /// There are several.
    #[error("it has more than one manifest")]
    Ambiguous,
    /// It exceeds the size limit; with its size in bytes.
    #[error("its manifest has {0} bytes, at most {max} are allowed", max = limits::MANIFEST_BYTES)]
    TooLarge(usize),
    /// Not UTF-8.
    #[error("its manifest is not UTF-8")]
    NotUtf8,
    /// It is not TOML, or keys are unknown, missing or have invalid values: all errors, in the order of the text.
    #[error("its manifest is invalid: {}", listed(.0))]
    Invalid(Vec<ManifestProblem>),
}

impl ManifestError {
    /// The errors with their places; none if the manifest could not be read as text.
    pub fn problems(&self) -> &[ManifestProblem] {
        match self {
            Self::Invalid(problems) => problems,
            Self::Missing | Self::Ambiguous | Self::TooLarge(_) | Self::NotUtf8 => &[],
        }
    }
}

fn listed(problems: &[ManifestProblem]) -> String {
    let shown = problems.iter().take(limits::SHOWN_PROBLEMS);
    let mut text = shown.map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let hidden = problems.len().saturating_sub(limits::SHOWN_PROBLEMS);
    if hidden > 0 {
        text.push_str(&format!("; and {hidden} more"));
    }
    text
}

/// Collects the errors of one manifest.
pub(super) struct Problems<'t> {
    text: &'t str,
    /// With the byte at which each begins.
    found: Vec<(usize, ManifestProblem)>,
}

impl<'t> Problems<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            found: Vec::new(),
        }
    }

    /// Adds an error at this byte of the text, unless there are too many already.
    pub(super) fn add(&mut self, at: usize, key: &str, message: impl Into<String>) {
        if self.found.len() >= limits::MANIFEST_PROBLEMS {
            return;
        }
        let before = self
            .text
            .get(..self.text.floor_char_boundary(at))
            .unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let problem = ManifestProblem {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            key: key.to_owned(),
            message: message.into(),
        };
        self.found.push((at, problem));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All errors in the order of the text.
    pub(super) fn into_error(mut self) -> ManifestError {
        self.found.sort_by_key(|(at, _)| *at);
        ManifestError::Invalid(self.found.into_iter().map(|(_, problem)| problem).collect())
    }
}
