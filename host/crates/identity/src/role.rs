//! The built-in roles.

/// A built-in role. Custom roles are stored in the database with their capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The account that set up the server; cannot be assigned.
    Owner,
    /// Administers the server.
    Administrator,
    /// Uses all media apps.
    Member,
    /// Uses the music app.
    MusicUser,
    /// Uses the photos app.
    PhotosUser,
    /// Uses the cinema app.
    CinemaUser,
    /// The account without a password; cannot be assigned.
    Guest,
    /// May sign in, without access to media.
    Newcomer,
}

impl Role {
    /// All roles, in the order of the policy table's columns.
    pub const ALL: [Self; 8] = [
        Self::Owner,
        Self::Administrator,
        Self::Member,
        Self::MusicUser,
        Self::PhotosUser,
        Self::CinemaUser,
        Self::Guest,
        Self::Newcomer,
    ];

    /// The name in store and API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Administrator => "administrator",
            Self::Member => "member",
            Self::MusicUser => "music_user",
            Self::PhotosUser => "photos_user",
            Self::CinemaUser => "cinema_user",
            Self::Guest => "guest",
            Self::Newcomer => "newcomer",
        }
    }

    /// Parses a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }

    /// Whether the role may be assigned to accounts.
    pub fn is_assignable(self) -> bool {
        !matches!(self, Self::Owner | Self::Guest)
    }
}
