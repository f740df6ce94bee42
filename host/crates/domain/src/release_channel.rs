//! The channels of releases that a server can follow.

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReleaseChannel {
    /// Releases.
    #[default]
    Stable,
    /// What becomes the next one.
    Beta,
    /// Builds from source.
    Dev,
}

impl ReleaseChannel {
    /// All that there are.
    pub const ALL: [Self; 3] = [Self::Stable, Self::Beta, Self::Dev];

    /// Its name in options and API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Beta => "beta",
            Self::Dev => "dev",
        }
    }

    /// The channel of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.name() == name)
    }

    /// What one finds in it.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Stable => "Releases.",
            Self::Beta => "What becomes the next release, for those who want to try it.",
            Self::Dev => "Builds from source.",
        }
    }
}
