//! Opens the files of movies and episodes, their subtitles and artwork.

use crate::media::{NO_ARTWORK, OpenedMedia, blocking, open_file};
use svc_domain::id::{MovieId, SubtitleId, TvEpisodeId, VideoSourceId};
use svc_domain::path::RelativePath;
use svc_domain::video::{ArtworkKind, SubtitleOrigin, VideoSubject};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_store::{MediaFile, VideoFileRepository};

/// Maximum of artwork files that a request tries to open.
const PICTURES_TRIED: usize = 16;

const SUBTITLE_EMBEDDED: ServiceError = ServiceError::Absent {
    code: ErrorCode::SubtitleEmbedded,
    message: "these subtitles are embedded in the video file",
};

/// The service that opens video files.
#[derive(Debug, Clone)]
pub struct Video {
    video_files: VideoFileRepository,
}

impl Video {
    /// Creates the service.
    pub fn new(video_files: VideoFileRepository) -> Self {
        Self { video_files }
    }

    /// Opens a source of a movie: the requested one, or the best.
    ///
    /// # Errors
    /// Not found, also for a source of another item; absent `file_missing`; try later `storage_unavailable`; database
    /// errors.
    pub async fn open_movie(
        &self,
        actor: &Actor,
        id: MovieId,
        source: Option<VideoSourceId>,
    ) -> Result<OpenedMedia> {
        open_source(self.video_files.movie_files(&actor.scope, id).await?, source).await
    }

    /// Opens a source of an episode: the requested one, or the best.
    ///
    /// # Errors
    /// As [`Self::open_movie`].
    pub async fn open_episode(
        &self,
        actor: &Actor,
        id: TvEpisodeId,
        source: Option<VideoSourceId>,
    ) -> Result<OpenedMedia> {
        open_source(self.video_files.episode_files(&actor.scope, id).await?, source).await
    }

    /// Opens a subtitle file.
    ///
    /// # Errors
    /// Not found, also if the actor may not play the video; absent `subtitle_embedded` or `file_missing`; try later
    /// `storage_unavailable`; database errors.
    pub async fn open_subtitle(&self, actor: &Actor, id: SubtitleId) -> Result<OpenedMedia> {
        let found = self.video_files.subtitle_file(&actor.scope, id).await?;
        let found = found.ok_or(ServiceError::NotFound)?;
        let play = if found.of_movie {
            Capability::MoviesPlay
        } else {
            Capability::TvEpisodesPlay
        };
        if !actor.may(play) {
            return Err(ServiceError::NotFound);
        }
        let SubtitleOrigin::File(name) = found.subtitle.origin else {
            return Err(SUBTITLE_EMBEDDED);
        };
        let media = sidecar(found.media, &name).ok_or(ServiceError::NotFound)?;
        blocking(move || open_file(&media)).await
    }

    /// Opens artwork of a movie, show, season or episode: of this kind, or the default kind.
    ///
    /// # Errors
    /// Not found; absent `artwork_missing`; try later `storage_unavailable`; database errors.
    pub async fn open_artwork(
        &self,
        actor: &Actor,
        of: VideoSubject,
        kind: Option<ArtworkKind>,
    ) -> Result<OpenedMedia> {
        let kinds = kind.as_ref().map_or(of.front(), std::slice::from_ref);
        let mut failure = NO_ARTWORK;
        for purpose in kinds.iter().filter_map(|kind| of.purpose(*kind)) {
            let found = self.video_files.video_pictures(&actor.scope, of, purpose).await?;
            match open_first(found).await {
                Ok(opened) => return Ok(opened),
                Err(error @ ServiceError::TryLater(_)) => failure = error,
                Err(ServiceError::Absent { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if !self.video_files.can_see_video(&actor.scope, of).await? {
            return Err(ServiceError::NotFound);
        }
        Err(failure)
    }
}

async fn open_source(files: Vec<MediaFile>, source: Option<VideoSourceId>) -> Result<OpenedMedia> {
    let wanted = |file: &MediaFile| source.is_none_or(|source| file.file == source.into());
    let media = files.into_iter().find(wanted).ok_or(ServiceError::NotFound)?;
    blocking(move || open_file(&media)).await
}

/// Opens the first artwork file that exists.
async fn open_first(found: Vec<(MediaFile, Vec<String>)>) -> Result<OpenedMedia> {
    let mut pictures: Vec<MediaFile> = Vec::new();
    for (media, names) in found {
        for name in names {
            let Some(picture) = sidecar(media.clone(), &name) else {
                continue;
            };
            // All episodes of a show refer to the same poster.
            let known = |other: &MediaFile| (&other.root, &other.path) == (&picture.root, &picture.path);
            if pictures.len() < PICTURES_TRIED && !pictures.iter().any(known) {
                pictures.push(picture);
            }
        }
    }
    blocking(move || {
        let mut outcome = Err(NO_ARTWORK);
        for picture in pictures {
            outcome = open_file(&picture);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    })
    .await
}

/// Resolves a sidecar name from a plugin. The name is untrusted and must not leave the directory.
fn sidecar(media: MediaFile, name: &str) -> Option<MediaFile> {
    let path: RelativePath = media.path.sibling(name)?;
    Some(MediaFile { path, ..media })
}
