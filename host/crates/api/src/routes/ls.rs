//! Browsing of the media directories on disk.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, State};
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::Json;
use crate::views::ls::LsView;
use svc_domain::kind::MediaKind;
use svc_library::browse::BrowseRequest;

/// The query of `GET /ls`.
#[derive(Debug)]
pub struct LsQuery {
    root: MediaKind,
    path: String,
    remove_files: bool,
    add_empty: bool,
}

impl FromQuery for LsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            root: params.required("rootDir", MediaKind::music(), |params| {
                let about = "Media kind of the root directory, built in or of a plugin.";
                params.parsed("rootDir", about, "a media kind")
            }),
            path: params
                .text_or_none("path", "Path relative to the root directory; default: the root directory.")
                .unwrap_or_default(),
            remove_files: params
                .boolean("removeFileNodes", "`true`: list only directories; default: `false`.")
                .unwrap_or(false),
            add_empty: params
                .boolean(
                    "addEmptyNodes",
                    "`true`: each directory has an empty `children`; `false`: only directories that are not empty; default: `true`.",
                )
                .unwrap_or(true),
        }
    }
}

/// List the entries of a media directory
#[endpoint]
pub async fn browse_directory(
    state: State,
    caller: Caller,
    query: Query<LsQuery>,
) -> Result<Json<LsView>, ApiError> {
    let query = query.0;
    let request = BrowseRequest {
        kind: query.root,
        path: query.path,
        files: !query.remove_files,
    };
    let directory = state.browse.list(&caller, request).await?;
    Ok(Json(LsView::new(directory, query.add_empty)))
}
