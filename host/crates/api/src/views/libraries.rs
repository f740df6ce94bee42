//! Libraries.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{LibraryId, UserId};
use svc_domain::library::Grant;
use svc_domain::time::Timestamp;
use svc_library::libraries::LibraryInfo;

/// A part of the media with a name of its own.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Library"))]
#[serde(rename_all = "camelCase")]
pub struct LibraryView {
    #[salvo(schema(value_type = String))]
    library_id: LibraryId,
    name: String,
    media_kind: String,
    /// Folders below every root directory of the kind; an empty one is the root itself, which is all.
    paths: Vec<String>,
    /// Whether those with a grant alone are let in.
    restricted: bool,
    /// Who is let in, for callers who may change it. Empty in a restricted library: the owner alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    grants: Option<Vec<LibraryGrantView>>,
    counts: LibraryCountsView,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
}

/// Who is let into a library: an account or a role.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "LibraryGrant"))]
#[serde(rename_all = "camelCase")]
pub struct LibraryGrantView {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    user_id: Option<UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
}

/// How many files a library has.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "LibraryCounts"))]
pub struct LibraryCountsView {
    /// Indexed and there.
    files: i64,
    /// Known, but not there.
    missing: i64,
}

impl From<Grant> for LibraryGrantView {
    fn from(grant: Grant) -> Self {
        match grant {
            Grant::User(user) => Self {
                user_id: Some(user),
                role: None,
            },
            Grant::Role(role) => Self {
                user_id: None,
                role: Some(role),
            },
        }
    }
}

impl From<LibraryInfo> for LibraryView {
    fn from(info: LibraryInfo) -> Self {
        let library = info.library;
        let grants = library.grants.into_iter().map(LibraryGrantView::from);
        Self {
            library_id: library.id,
            name: library.name,
            media_kind: library.kind.to_string(),
            paths: library
                .paths
                .iter()
                .map(|path| path.as_str().to_owned())
                .collect(),
            restricted: library.restricted,
            grants: info.tells_grants.then(|| grants.collect()),
            counts: LibraryCountsView {
                files: info.counts.files,
                missing: info.counts.missing,
            },
            created_at: library.created_at,
        }
    }
}
