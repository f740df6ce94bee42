//! The capabilities of each built-in role, as one table; the test below pins it as text.

use crate::capability::Capability;
use crate::capability::Capability::*;
use crate::capability::CapabilitySet;
use crate::role::Role;
use crate::role::Role::*;
use svc_domain::user::GrantedRole;

/// Roles that administer the server.
const STAFF: &[Role] = &[Administrator];
/// Roles of personal accounts that use at least one app.
const PEOPLE: &[Role] = &[Administrator, Member, MusicUser, PhotosUser, CinemaUser];
const MUSIC: &[Role] = &[Administrator, Member, MusicUser];
const PHOTOS: &[Role] = &[Administrator, Member, PhotosUser];
/// The roles of an app with the guest, for read access.
const MUSIC_READERS: &[Role] = &[Administrator, Member, MusicUser, Guest];
const PHOTO_READERS: &[Role] = &[Administrator, Member, PhotosUser, Guest];
const CINEMA_READERS: &[Role] = &[Administrator, Member, CinemaUser, Guest];
const ITEM_READERS: &[Role] = &[Administrator, Member, Guest];
const EVERYONE: &[Role] = &[
    Administrator,
    Member,
    MusicUser,
    PhotosUser,
    CinemaUser,
    Guest,
    Newcomer,
];
const EVERYONE_BUT_GUESTS: &[Role] = &[Administrator, Member, MusicUser, PhotosUser, CinemaUser, Newcomer];

/// The roles that grant a capability. The owner has all capabilities.
const fn allowed_to(capability: Capability) -> &'static [Role] {
    match capability {
        AdminAppLogin => STAFF,
        MusicAppLogin => &[Administrator, Member, MusicUser, Guest, Newcomer],
        PhotosAppLogin => &[Administrator, Member, PhotosUser, Guest, Newcomer],
        CinemaAppLogin => &[Administrator, Member, CinemaUser, Guest, Newcomer],

        CurrentUserRead => EVERYONE,
        CurrentUserUpdate => EVERYONE_BUT_GUESTS,
        UsersCreate | UsersRead | UsersUpdate => STAFF,
        RoleAssignmentsCreate | RoleAssignmentsRead | RoleAssignmentsDelete => STAFF,
        InvitationsCreate | InvitationsRead | InvitationsDelete => STAFF,

        ServerSettingsRead | ServerSettingsUpdate => STAFF,
        MediaServerFactoryReset => &[],
        AuditRead => STAFF,
        IndexingRead | IndexingOperate | IndexingDeindex => STAFF,
        LibrariesCreate | LibrariesUpdate | LibrariesDelete => STAFF,
        LibrariesRead => &[Administrator, Member, MusicUser, PhotosUser, CinemaUser, Guest],
        JobsCreate | JobsRead | JobsOperate => STAFF,
        PluginsRead | PluginsOperate => STAFF,
        BackupsCreate | BackupsRead => STAFF,

        MusicTracksRead | MusicTracksPlay | MusicReleasesRead | MusicArtistsRead => MUSIC_READERS,
        PlaybackQueuesRead | PlaybackQueuesUpdate => MUSIC,
        PhotosRead | PhotoAlbumsRead => PHOTO_READERS,
        PhotosUpdate | PhotoAlbumsCreate | PhotoAlbumsUpdate | PhotoAlbumsDelete => PHOTOS,
        MoviesRead | MoviesPlay | TvEpisodesRead | TvEpisodesPlay => CINEMA_READERS,
        ItemsRead | ItemsPlay => ITEM_READERS,
        HistoryRead | HistoryUpdate | RatingsRead | RatingsUpdate => PEOPLE,
    }
}

/// The capabilities of a role.
pub fn capabilities_of(role: Role) -> CapabilitySet {
    if role == Owner {
        return CapabilitySet::all();
    }
    Capability::ALL
        .iter()
        .copied()
        .filter(|&capability| allowed_to(capability).contains(&role))
        .collect()
}

/// The union of the capabilities of all roles. Names of unknown capabilities are ignored.
pub fn capabilities_of_roles(roles: &[GrantedRole]) -> CapabilitySet {
    roles
        .iter()
        .map(|role| match (Role::from_name(&role.name), &role.capabilities) {
            (Some(built_in), _) => capabilities_of(built_in),
            (None, Some(names)) => capabilities_of_names(names),
            (None, None) => CapabilitySet::NONE,
        })
        .fold(CapabilitySet::NONE, CapabilitySet::union)
}

/// Parses names; unknown ones are ignored.
pub fn capabilities_of_names(names: &[String]) -> CapabilitySet {
    names
        .iter()
        .filter_map(|name| Capability::from_name(name))
        .collect()
}

/// Renders the table as text: a row per capability, a column per role.
pub fn render() -> String {
    let width = Capability::ALL
        .iter()
        .map(|capability| capability.as_str().len())
        .max()
        .unwrap_or(0);
    let header: Vec<_> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let mut lines = vec![format!("{:width$} {}", "", header.join(" "))];
    for &capability in Capability::ALL {
        let cells: Vec<_> = Role::ALL
            .iter()
            .map(|&role| {
                let mark = if capabilities_of(role).contains(capability) {
                    "x"
                } else {
                    "."
                };
                format!("{mark:width$}", width = role.as_str().len())
            })
            .collect();
        lines.push(
            format!("{:width$} {}", capability.as_str(), cells.join(" "))
                .trim_end()
                .to_owned(),
        );
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_table_matches_the_pinned_text() {
        let pinned = include_str!("policy.txt");
        assert_eq!(
            render(),
            pinned,
            "the policy changed; if that is meant, change policy.txt beside it"
        );
    }

    #[test]
    fn only_the_owner_may_reset_the_server() {
        for role in Role::ALL {
            assert_eq!(
                capabilities_of(role).contains(MediaServerFactoryReset),
                role == Owner
            );
        }
    }

    #[test]
    fn capabilities_of_roles_are_united_and_unknown_roles_grant_none() {
        let role = |name: &str, capabilities: Option<&[&str]>| GrantedRole {
            name: name.to_owned(),
            capabilities: capabilities.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        };
        let nothing = [
            role("Owner", None),
            role("root", None),
            role("", Some(&["Users.read", ""])),
        ];
        assert_eq!(capabilities_of_roles(&nothing), CapabilitySet::NONE);
        let both = [role("newcomer", None), role("curator", Some(&["Photos.Update"]))];
        let sum = capabilities_of(Newcomer).union([PhotosUpdate].into_iter().collect());
        assert_eq!(capabilities_of_roles(&both), sum);
        // A stored role with the name of a built-in one has no effect.
        let hijacked = [role("newcomer", Some(&["Users.Update"]))];
        assert_eq!(capabilities_of_roles(&hijacked), capabilities_of(Newcomer));
    }
}
