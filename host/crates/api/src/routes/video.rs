//! Queries that movies and episodes share, artwork of videos, and subtitles.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::media_response::MediaResponse;
use crate::query::{FromQuery, QueryParams};
use crate::thumbnail_size::ArtworkQuery;
use svc_domain::id::{SubtitleId, VideoSourceId};
use svc_domain::video::{ArtworkKind, VideoSubject};
use svc_library::thumbnails::ThumbnailSize;

const ARTWORK_KINDS: &[(&str, ArtworkKind)] = &[
    ("poster", ArtworkKind::Poster),
    ("backdrop", ArtworkKind::Backdrop),
    ("fanart", ArtworkKind::Backdrop),
    ("banner", ArtworkKind::Banner),
    ("logo", ArtworkKind::Logo),
    ("thumb", ArtworkKind::Thumb),
];

/// The query of a stream: which file of the video.
#[derive(Debug)]
pub struct SourceQuery {
    pub(super) source: Option<VideoSourceId>,
}

impl FromQuery for SourceQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "The source to stream; default: the first of the item's `sources`.";
        Self {
            source: params.parsed("sourceId", about, "the id of a source"),
        }
    }
}

/// The kind and size of an artwork.
#[derive(Debug)]
pub struct VideoArtworkQuery {
    kind: Option<ArtworkKind>,
    size: Option<ThumbnailSize>,
}

impl FromQuery for VideoArtworkQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about =
            "The kind of artwork; default: the item's main artwork. `fanart` is another name of `backdrop`.";
        Self {
            kind: params.choice("kind", about, ARTWORK_KINDS),
            size: ArtworkQuery::read(params).size,
        }
    }
}

/// The artwork of a movie, show, season or episode.
pub(super) async fn artwork(
    state: &State,
    caller: &Caller,
    subject: VideoSubject,
    query: VideoArtworkQuery,
) -> Result<MediaResponse, ApiError> {
    let opened = state.video.open_artwork(caller, subject, query.kind).await?;
    Ok(match query.size {
        Some(size) => MediaResponse::thumbnail(state.thumbnails.artwork(opened, size).await?),
        None => MediaResponse::picture_file(opened),
    })
}

/// Get a subtitle file
///
/// A sidecar of the video, in its original format.
#[endpoint]
pub async fn get_subtitle(
    state: State,
    caller: Caller,
    subtitle_id: PathId<SubtitleId>,
) -> Result<MediaResponse, ApiError> {
    let file = state.video.open_subtitle(&caller, subtitle_id.0).await?;
    Ok(MediaResponse::subtitle(file))
}
