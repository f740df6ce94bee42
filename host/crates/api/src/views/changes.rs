//! The change log of the library.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::change::{Change, Changes};
use svc_domain::id::FileId;
use svc_domain::time::Timestamp;

/// A change of an item.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Change"))]
struct ChangeView {
    /// Position in the change log. Increases, with gaps.
    seq: i64,
    /// Type of the item and of the change, such as `music_track.added`. Items: `music_track`, `music_release`,
    /// `music_artist`, `photo`, `movie`, `tv_show`, `tv_episode`; changes: `added`, `updated`, `removed`, `missing`,
    /// `restored`.
    #[serde(rename = "type")]
    change_type: String,
    /// Id of the item.
    id: String,
    #[salvo(schema(value_type = String))]
    at: Timestamp,
}

impl From<Change> for ChangeView {
    fn from(change: Change) -> Self {
        Self {
            seq: change.seq,
            change_type: format!("{}.{}", change.change.item.as_str(), change.change.kind.as_str()),
            // Ids of all types have the same text format.
            id: FileId::from(change.item).to_string(),
            at: change.at,
        }
    }
}

/// The changes since a position in the change log.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Changes"))]
pub struct ChangesView {
    /// Oldest first.
    changes: Vec<ChangeView>,
    /// The value of `since` for the next request.
    next: i64,
    /// The change log no longer holds `since`: fetch everything again, and continue from `next`.
    incomplete: bool,
}

impl From<Changes> for ChangesView {
    fn from(changes: Changes) -> Self {
        Self {
            changes: changes.changes.into_iter().map(ChangeView::from).collect(),
            next: changes.next,
            incomplete: changes.incomplete,
        }
    }
}
