//! JSON of libraries and their grants.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{LibraryId, UserId};
use svc_domain::library::Grant;
use svc_domain::time::Timestamp;
use svc_library::libraries::LibraryInfo;

/// A library: media of one kind with a name and access grants.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Library"))]
#[serde(rename_all = "camelCase")]
pub struct LibraryView {
    #[salvo(schema(value_type = String))]
    library_id: LibraryId,
    name: String,
    media_kind: String,
    /// Directories of the library, relative to each root directory of the media kind. An empty path is the root directory
    /// itself.
    paths: Vec<String>,
    /// Only the owner and accounts with a grant have access.
    restricted: bool,
    /// Grants of access; only for callers that can change them. A restricted library without grants is accessible only to
    /// the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    grants: Option<Vec<LibraryGrantView>>,
    counts: LibraryCountsView,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
}

/// A grant of access to a library: for an account or for a role.
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

/// Numbers of files in a library.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "LibraryCounts"))]
pub struct LibraryCountsView {
    /// Files in the index that are not missing.
    files: i64,
    /// Files in the index that are missing on disk.
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
            grants: info.shows_grants.then(|| grants.collect()),
            counts: LibraryCountsView {
                files: info.counts.files,
                missing: info.counts.missing,
            },
            created_at: library.created_at,
        }
    }
}
