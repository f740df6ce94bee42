//! The built-in roles.

use svc_domain::named_enum::named_enum;

named_enum! {
    /// A built-in role, in the order of the policy table's columns. Custom roles are stored in the database with their
    /// capabilities.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Role {
        /// The account that set up the server; cannot be assigned.
        Owner => "owner",
        /// Administers the server.
        Administrator => "administrator",
        /// Uses all media apps.
        Member => "member",
        /// Uses the music app.
        MusicUser => "music_user",
        /// Uses the photos app.
        PhotosUser => "photos_user",
        /// Uses the cinema app.
        CinemaUser => "cinema_user",
        /// The account without a password; cannot be assigned.
        Guest => "guest",
        /// May sign in, without access to media.
        Newcomer => "newcomer",
    }
}

impl Role {
    /// Whether the role may be assigned to accounts.
    pub fn is_assignable(self) -> bool {
        !matches!(self, Self::Owner | Self::Guest)
    }
}
