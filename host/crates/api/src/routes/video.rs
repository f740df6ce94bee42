//! What movies and episodes have alike: which file, which picture; and subtitles.

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

/// Which of the files.
#[derive(Debug)]
pub struct SourceQuery {
    pub(super) source: Option<VideoSourceId>,
}

impl FromQuery for SourceQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Which of its sources; the first of its record if not said.";
        Self {
            source: params.parsed("sourceId", about, "the id of a source"),
        }
    }
}

/// Which picture, in which size.
#[derive(Debug)]
pub struct VideoArtworkQuery {
    kind: Option<ArtworkKind>,
    size: Option<ThumbnailSize>,
}

impl FromQuery for VideoArtworkQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "What the picture is for; what stands for the item if not said. `fanart` is `backdrop`.";
        Self {
            kind: params.choice("kind", about, ARTWORK_KINDS),
            size: ArtworkQuery::read(params).size,
        }
    }
}

/// A picture of a movie, show, season or episode.
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

/// A year that a list of movies or shows is narrowed by.
pub(super) fn year(params: &mut QueryParams<'_>, name: &str, about: &str) -> Option<i32> {
    params
        .integer(name, about, 0..=9999)
        .and_then(|year| i32::try_from(year).ok())
}

/// Subtitles in a file beside a video
///
/// As they are in the file, in its own format.
#[endpoint]
pub async fn get_subtitle(
    state: State,
    caller: Caller,
    subtitle_id: PathId<SubtitleId>,
) -> Result<MediaResponse, ApiError> {
    Ok(MediaResponse::subtitle(
        state.video.open_subtitle(&caller, subtitle_id.0).await?,
    ))
}
