//! Tags that group operations in the API's description.

use svc_domain::named_enum::named_enum;

named_enum! {
    /// The group of an operation, in the order of the description.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Tag {
        /// Health, versions, setup and reset of the server.
        Server => "Server",
        /// Signing in, sessions and personal access tokens.
        Authentication => "Authentication",
        /// Accounts, roles and invitations.
        Users => "Users",
        /// Settings, allowed web origins and the audit log.
        Settings => "Settings",
        /// Runs of the indexer, media directories and their files.
        Indexing => "Indexing",
        /// Background jobs.
        Jobs => "Jobs",
        /// Plugins: upload, permissions, settings, state.
        Plugins => "Plugins",
        /// Libraries, search, changes and signed links.
        Libraries => "Libraries",
        /// Artists, releases, tracks, genres and waveforms.
        Music => "Music",
        /// Photos and photo albums.
        Photos => "Photos",
        /// Movies, TV shows, seasons, episodes and subtitles.
        MoviesAndTv => "Movies and TV",
        /// Kinds that plugins define, and their items.
        Items => "Items",
        /// History, ratings and playback queues.
        Playback => "Playback",
        /// Server-sent events.
        Events => "Events",
    }
}

impl Tag {
    /// What its operations are about.
    pub fn description(self) -> &'static str {
        match self {
            Self::Server => "Health, versions, setup and reset of the server.",
            Self::Authentication => "Signing in, sessions and personal access tokens.",
            Self::Users => "Accounts, roles and invitations.",
            Self::Settings => "Settings, allowed web origins and the audit log.",
            Self::Indexing => "Runs of the indexer, media directories and their files.",
            Self::Jobs => "Background jobs.",
            Self::Plugins => "Plugins: upload, permissions, settings, state.",
            Self::Libraries => "Libraries, search, changes and signed links.",
            Self::Music => "Artists, releases, tracks, genres and waveforms.",
            Self::Photos => "Photos and photo albums.",
            Self::MoviesAndTv => "Movies, TV shows, seasons, episodes and subtitles.",
            Self::Items => "Kinds that plugins define, and their items.",
            Self::Playback => "History, ratings and playback queues.",
            Self::Events => "Server-sent events.",
        }
    }
}
