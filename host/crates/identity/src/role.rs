//! The roles that come with the server.

/// A built-in role. Roles that administrators make are rows of the store, with capabilities of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The one account that set the server up; given to nobody else.
    Owner,
    /// Runs the server.
    Administrator,
    /// Uses all media apps.
    Member,
    /// Uses the music app.
    MusicUser,
    /// Uses the photos app.
    PhotosUser,
    /// Uses the cinema app.
    CinemaUser,
    /// The account without credentials; given to nobody else.
    Guest,
    /// May sign in, and sees nothing yet.
    Newcomer,
}

impl Role {
    /// All, in the order of the policy table's columns.
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

    /// The role of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }

    /// Whether it may be given to an account.
    pub fn is_assignable(self) -> bool {
        !matches!(self, Self::Owner | Self::Guest)
    }
}
