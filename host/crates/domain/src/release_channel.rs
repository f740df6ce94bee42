//! Release channels of the server.

use crate::named_enum::named_enum;

named_enum! {
    /// The channel that a server gets its updates from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ReleaseChannel {
        /// Releases.
        #[default]
        Stable => "stable",
        /// Candidates for the next release.
        Beta => "beta",
        /// Builds from source.
        Dev => "dev",
    }
}

impl ReleaseChannel {
    /// Description for administrators.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Stable => "Releases.",
            Self::Beta => "What becomes the next release, for those who want to try it.",
            Self::Dev => "Builds from source.",
        }
    }
}
