//! Tags that group operations in the API's description.

/// The group of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// Health, versions, setup and reset of the server.
    Server,
    /// Signing in, sessions and personal access tokens.
    Authentication,
    /// Accounts and roles.
    Users,
    /// Settings, allowed web origins and the audit log.
    Settings,
    /// Runs of the indexer, media directories and their files.
    Indexing,
    /// Background jobs.
    Jobs,
    /// Loaded plugins and their state.
    Plugins,
    /// Libraries, search, changes and signed links.
    Libraries,
    /// Artists, releases, tracks, genres and waveforms.
    Music,
    /// Photos and photo albums.
    Photos,
    /// Movies, TV shows, seasons, episodes and subtitles.
    MoviesAndTv,
    /// History, ratings and playback queues.
    Playback,
    /// Server-sent events.
    Events,
}

impl Tag {
    /// In the order of the description.
    pub const ALL: [Self; 13] = [
        Self::Server,
        Self::Authentication,
        Self::Users,
        Self::Settings,
        Self::Indexing,
        Self::Jobs,
        Self::Plugins,
        Self::Libraries,
        Self::Music,
        Self::Photos,
        Self::MoviesAndTv,
        Self::Playback,
        Self::Events,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Server => "Server",
            Self::Authentication => "Authentication",
            Self::Users => "Users",
            Self::Settings => "Settings",
            Self::Indexing => "Indexing",
            Self::Jobs => "Jobs",
            Self::Plugins => "Plugins",
            Self::Libraries => "Libraries",
            Self::Music => "Music",
            Self::Photos => "Photos",
            Self::MoviesAndTv => "Movies and TV",
            Self::Playback => "Playback",
            Self::Events => "Events",
        }
    }

    /// What its operations are about.
    pub fn description(self) -> &'static str {
        match self {
            Self::Server => "Health, versions, setup and reset of the server.",
            Self::Authentication => "Signing in, sessions and personal access tokens.",
            Self::Users => "Accounts and roles.",
            Self::Settings => "Settings, allowed web origins and the audit log.",
            Self::Indexing => "Runs of the indexer, media directories and their files.",
            Self::Jobs => "Background jobs.",
            Self::Plugins => "Loaded plugins and their state.",
            Self::Libraries => "Libraries, search, changes and signed links.",
            Self::Music => "Artists, releases, tracks, genres and waveforms.",
            Self::Photos => "Photos and photo albums.",
            Self::MoviesAndTv => "Movies, TV shows, seasons, episodes and subtitles.",
            Self::Playback => "History, ratings and playback queues.",
            Self::Events => "Server-sent events.",
        }
    }
}
