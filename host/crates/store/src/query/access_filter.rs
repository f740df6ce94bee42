//! SQL conditions that restrict queries to the media that a caller may access. Every query for media takes a
//! [`MediaScope`]; an unrestricted scope adds nothing.
//!
//! The texts are built from static parts and numbers only.

use svc_domain::change::ItemType;
use svc_domain::library::MediaScope;

/// Types of items, by the tables that lead to their files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessFilter {
    Tracks,
    Releases,
    Artists,
    Genres,
    Photos,
    Movies,
    Shows,
    Seasons,
    Episodes,
    Sources,
    Items,
}

/// The access classes of a scope as an `IN` list; `None` for all.
fn class_list(scope: &MediaScope) -> Option<String> {
    let MediaScope::Classes(classes) = scope else {
        return None;
    };
    let numbers: Vec<String> = classes.iter().map(i64::to_string).collect();
    // PostgreSQL rejects an empty list.
    Some(if numbers.is_empty() {
        "NULL".to_owned()
    } else {
        numbers.join(",")
    })
}

/// Condition to append to a query for the files outside the scope, which joins the item's folder as `o`; `None` for an
/// unrestricted scope.
pub(crate) fn and_outside(scope: &MediaScope) -> Option<String> {
    // No class is in a list of none, and `NOT IN (NULL)` is never true.
    class_list(scope).map(|list| format!(" AND (o.access_class IN ({list})) IS NOT TRUE"))
}

/// Condition to append to a query that joins the item's folder as `o`.
pub(crate) fn and_in_folder(scope: &MediaScope) -> String {
    class_list(scope).map_or_else(String::new, |list| format!(" AND o.access_class IN ({list})"))
}

impl AccessFilter {
    /// Tables that join the item to its files, as `vf`, and the column with the item id.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Tracks | Self::Photos | Self::Sources => &[("files vf", "vf.file_id")],
            Self::Releases => &[(
                "music_tracks vt JOIN files vf ON vf.file_id = vt.track_id",
                "vt.release_id",
            )],
            Self::Artists => &[
                (
                    "track_artists va JOIN files vf ON vf.file_id = va.track_id",
                    "va.artist_id",
                ),
                (
                    "release_artists va JOIN music_tracks vt ON vt.release_id = va.release_id \
                     JOIN files vf ON vf.file_id = vt.track_id",
                    "va.artist_id",
                ),
            ],
            Self::Genres => &[(
                "track_genres vg JOIN files vf ON vf.file_id = vg.track_id",
                "vg.genre_id",
            )],
            Self::Movies => &[(
                "video_sources vs JOIN files vf ON vf.file_id = vs.source_id",
                "vs.movie_id",
            )],
            Self::Shows => &[(
                "tv_episodes ve JOIN video_sources vs ON vs.episode_id = ve.episode_id \
                 JOIN files vf ON vf.file_id = vs.source_id",
                "ve.show_id",
            )],
            Self::Seasons => &[(
                "tv_episodes ve JOIN video_sources vs ON vs.episode_id = ve.episode_id \
                 JOIN files vf ON vf.file_id = vs.source_id",
                "ve.season_id",
            )],
            Self::Episodes => &[(
                "video_sources vs JOIN files vf ON vf.file_id = vs.source_id",
                "vs.episode_id",
            )],
            Self::Items => &[(
                "item_files vi JOIN files vf ON vf.file_id = vi.file_id",
                "vi.item_id",
            )],
        }
    }

    /// Condition that the item with the id `key` is accessible; `None` for an unrestricted scope.
    pub(crate) fn condition(self, key: &'static str, scope: &MediaScope) -> Option<String> {
        let list = class_list(scope)?;
        let ways = self.files().iter().map(|(from, column)| {
            format!(
                "EXISTS (SELECT 1 FROM {from} JOIN folders vo ON vo.folder_id = vf.folder_id \
                 WHERE {column} = {key} AND vo.access_class IN ({list}))"
            )
        });
        let ways: Vec<String> = ways.collect();
        Some(format!("({})", ways.join(" OR ")))
    }

    /// Condition that no file of the item `key` is outside the scope; `None` for an unrestricted scope. What is stored
    /// of an item follows from all its files, and may be used for such items only.
    pub(crate) fn wholly(self, key: &str, scope: &MediaScope) -> Option<String> {
        let list = class_list(scope)?;
        let ways = self.files().iter().map(|(from, column)| {
            format!(
                "NOT EXISTS (SELECT 1 FROM {from} JOIN folders vo ON vo.folder_id = vf.folder_id \
                 WHERE {column} = {key} AND vo.access_class NOT IN ({list}))"
            )
        });
        let ways: Vec<String> = ways.collect();
        Some(format!("({})", ways.join(" AND ")))
    }

    /// Condition that an accessible file of the item `key` was present in the last scan.
    pub(crate) fn is_there(self, key: &'static str, scope: &MediaScope) -> String {
        let (folder, seen) = class_list(scope).map_or_else(Default::default, |list| {
            let folder = " JOIN folders vo ON vo.folder_id = vf.folder_id";
            (folder, format!(" AND vo.access_class IN ({list})"))
        });
        let ways = self.files().iter().map(|(from, column)| {
            format!("EXISTS (SELECT 1 FROM {from}{folder} WHERE {column} = {key} AND vf.status <> 2{seen})")
        });
        let ways: Vec<String> = ways.collect();
        format!("({})", ways.join(" OR "))
    }

    /// Condition to append to a query for such items.
    pub(crate) fn and(self, key: &'static str, scope: &MediaScope) -> String {
        self.condition(key, scope)
            .map_or_else(String::new, |condition| format!(" AND {condition}"))
    }

    /// The filter of a type, a query for the existing ids of an `IN` list, and the id column.
    pub(crate) fn of(item: ItemType) -> (Self, &'static str, &'static str) {
        match item {
            ItemType::MusicTrack => (
                Self::Tracks,
                "SELECT i.track_id FROM music_tracks i WHERE i.track_id",
                "i.track_id",
            ),
            ItemType::MusicRelease => (
                Self::Releases,
                "SELECT i.release_id FROM music_releases i WHERE i.release_id",
                "i.release_id",
            ),
            ItemType::MusicArtist => (
                Self::Artists,
                "SELECT i.artist_id FROM music_artists i WHERE i.artist_id",
                "i.artist_id",
            ),
            ItemType::Photo => (
                Self::Photos,
                "SELECT i.photo_id FROM photos i WHERE i.photo_id",
                "i.photo_id",
            ),
            ItemType::Movie => (
                Self::Movies,
                "SELECT i.movie_id FROM movies i WHERE i.movie_id",
                "i.movie_id",
            ),
            ItemType::TvShow => (
                Self::Shows,
                "SELECT i.show_id FROM tv_shows i WHERE i.show_id",
                "i.show_id",
            ),
            ItemType::TvEpisode => (
                Self::Episodes,
                "SELECT i.episode_id FROM tv_episodes i WHERE i.episode_id",
                "i.episode_id",
            ),
            ItemType::Item => (
                Self::Items,
                "SELECT i.item_id FROM items i WHERE i.item_id",
                "i.item_id",
            ),
        }
    }
}

/// Condition that the item in `u.item_type` and `u.item_id` is of one of these types, exists, and is accessible.
pub(crate) fn accessible_items(types: &[ItemType], scope: &MediaScope) -> String {
    let ways = types.iter().map(|&item| {
        let (access, select, key) = AccessFilter::of(item);
        let (number, and) = (item as i16, access.and(key, scope));
        format!("u.item_type = {number} AND EXISTS ({select} = u.item_id{and})")
    });
    let ways: Vec<String> = ways.collect();
    if ways.is_empty() {
        "FALSE".to_owned()
    } else {
        ways.join(" OR ")
    }
}
