//! Changes in the library.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::change::{Change, Changes};
use svc_domain::id::FileId;
use svc_domain::time::Timestamp;

/// One change.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Change"))]
struct ChangeView {
    /// Rises; gaps have no meaning.
    seq: i64,
    /// Item and change, such as `music_track.added`. Items: `music_track`, `music_release`, `music_artist`, `photo`,
    /// `movie`, `tv_show`, `tv_episode`; changes: `added`, `updated`, `removed`, `missing`, `restored`.
    #[serde(rename = "type")]
    change_type: String,
    /// The item.
    id: String,
    #[salvo(schema(value_type = String))]
    at: Timestamp,
}

impl From<Change> for ChangeView {
    fn from(change: Change) -> Self {
        Self {
            seq: change.seq,
            change_type: format!("{}.{}", change.change.item.as_str(), change.change.kind.as_str()),
            // All ids are written alike.
            id: FileId::from(change.item).to_string(),
            at: change.at,
        }
    }
}

/// Changes since a place in their list.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Changes"))]
pub struct ChangesView {
    /// Oldest first.
    changes: Vec<ChangeView>,
    /// To be sent as `since` next time.
    next: i64,
    /// The list does not reach back to `since`: fetch everything anew, and go on from `next`.
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
