//! The closed list of capabilities.

use std::fmt;

macro_rules! capabilities {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A right that a role can grant. The names are part of the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Capability {
            $(
                #[doc = concat!("`", $name, "`.")]
                $variant,
            )+
        }

        impl Capability {
            /// All capabilities, in the order of the policy table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in the API.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}

capabilities! {
    AdminAppLogin = "AdminApp.Login",
    MusicAppLogin = "MusicApp.Login",
    PhotosAppLogin = "PhotosApp.Login",
    CinemaAppLogin = "CinemaApp.Login",
    CurrentUserRead = "CurrentUser.Read",
    CurrentUserUpdate = "CurrentUser.Update",
    UsersCreate = "Users.Create",
    UsersRead = "Users.Read",
    UsersUpdate = "Users.Update",
    RoleAssignmentsCreate = "RoleAssignments.Create",
    RoleAssignmentsRead = "RoleAssignments.Read",
    RoleAssignmentsDelete = "RoleAssignments.Delete",
    InvitationsCreate = "Invitations.Create",
    InvitationsRead = "Invitations.Read",
    InvitationsDelete = "Invitations.Delete",
    ServerSettingsRead = "ServerSettings.Read",
    ServerSettingsUpdate = "ServerSettings.Update",
    MediaServerFactoryReset = "MediaServer.FactoryReset",
    AuditRead = "Audit.Read",
    IndexingRead = "Indexing.Read",
    IndexingOperate = "Indexing.Operate",
    IndexingDeindex = "Indexing.Deindex",
    LibrariesCreate = "Libraries.Create",
    LibrariesRead = "Libraries.Read",
    LibrariesUpdate = "Libraries.Update",
    LibrariesDelete = "Libraries.Delete",
    MusicTracksRead = "MusicTracks.Read",
    MusicTracksPlay = "MusicTracks.Play",
    MusicReleasesRead = "MusicReleases.Read",
    MusicArtistsRead = "MusicArtists.Read",
    PhotosRead = "Photos.Read",
    PhotosUpdate = "Photos.Update",
    PhotoAlbumsCreate = "PhotoAlbums.Create",
    PhotoAlbumsRead = "PhotoAlbums.Read",
    PhotoAlbumsUpdate = "PhotoAlbums.Update",
    PhotoAlbumsDelete = "PhotoAlbums.Delete",
    MoviesRead = "Movies.Read",
    MoviesPlay = "Movies.Play",
    TvEpisodesRead = "TVEpisodes.Read",
    TvEpisodesPlay = "TVEpisodes.Play",
    ItemsRead = "Items.Read",
    ItemsPlay = "Items.Play",
    HistoryRead = "History.Read",
    HistoryUpdate = "History.Update",
    RatingsRead = "Ratings.Read",
    RatingsUpdate = "Ratings.Update",
    PlaybackQueuesRead = "PlaybackQueues.Read",
    PlaybackQueuesUpdate = "PlaybackQueues.Update",
    JobsCreate = "Jobs.Create",
    JobsRead = "Jobs.Read",
    JobsOperate = "Jobs.Operate",
    PluginsRead = "Plugins.Read",
    PluginsOperate = "Plugins.Operate",
    BackupsCreate = "Backups.Create",
    BackupsRead = "Backups.Read",
}

impl Capability {
    /// Parses a name; case-sensitive.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|capability| capability.as_str() == name)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of capabilities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CapabilitySet(u128);

impl CapabilitySet {
    /// None.
    pub const NONE: Self = Self(0);

    /// All.
    pub fn all() -> Self {
        Capability::ALL.iter().copied().collect()
    }

    /// Whether the set contains `capability`.
    pub fn contains(self, capability: Capability) -> bool {
        self.0 & (1 << capability as u8) != 0
    }

    /// The union of both sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The intersection of both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether every capability of this set is in `other`.
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Iterates in the order of the policy table.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL
            .iter()
            .copied()
            .filter(move |&capability| self.contains(capability))
    }
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        Self(
            capabilities
                .into_iter()
                .fold(0, |set, capability| set | 1 << capability as u8),
        )
    }
}

impl fmt::Debug for CapabilitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(Capability::as_str))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capability_names_are_unique_and_have_two_parts() {
        let mut names: Vec<_> = Capability::ALL
            .iter()
            .map(|capability| capability.as_str())
            .collect();
        assert!(names.iter().all(|name| name.split('.').count() == 2));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Capability::ALL.len());
        assert!(Capability::ALL.len() <= 128, "the set has 128 bits");
    }

    #[test]
    fn capability_set_contains_exactly_the_inserted_capabilities() {
        let set: CapabilitySet = [Capability::PhotosRead, Capability::BackupsRead]
            .into_iter()
            .collect();
        assert!(set.contains(Capability::PhotosRead) && !set.contains(Capability::PhotosUpdate));
        assert!(set.is_subset(CapabilitySet::all()) && !CapabilitySet::all().is_subset(set));
        assert_eq!(set.iter().count(), 2);
    }
}
