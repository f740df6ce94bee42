//! The bytes of movies and episodes: their files, and the subtitles and pictures beside them.

use crate::media::{NO_ARTWORK, OpenedMedia, blocking, open_file};
use svc_domain::id::{MovieId, SubtitleId, TvEpisodeId, VideoSourceId};
use svc_domain::path::RelativePath;
use svc_domain::video::{ArtworkKind, SubtitleOrigin, VideoSubject};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{Result, ServiceError};
use svc_store::{MediaFile, VideoFileRepository};

/// Names of pictures that are tried for one answer, at most: each is a look at the disk.
const PICTURES_TRIED: usize = 16;

const SUBTITLE_EMBEDDED: ServiceError = ServiceError::Absent {
    code: "subtitle_embedded",
    message: "these subtitles are a stream of the video's own file",
};

/// Opens what belongs to movies and episodes.
#[derive(Debug, Clone)]
pub struct Video {
    video_files: VideoFileRepository,
}

impl Video {
    /// Over these files.
    pub fn new(video_files: VideoFileRepository) -> Self {
        Self { video_files }
    }

    /// A file of a movie: the best, or the one that is named.
    ///
    /// # Errors
    /// Not found, also for a file of something else; absent `file_missing`; unavailable `storage_unavailable`; the
    /// store's.
    pub async fn open_movie(
        &self,
        actor: &Actor,
        id: MovieId,
        source: Option<VideoSourceId>,
    ) -> Result<OpenedMedia> {
        open_source(self.video_files.movie_files(&actor.scope, id).await?, source).await
    }

    /// A file of an episode: the best, or the one that is named.
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

    /// Subtitles in a file beside a video.
    ///
    /// # Errors
    /// Not found, also for who may not play the video; absent `subtitle_embedded` or `file_missing`; unavailable
    /// `storage_unavailable`; the store's.
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
        let media = beside(found.media, &name).ok_or(ServiceError::NotFound)?;
        blocking(move || open_file(&media)).await
    }

    /// A picture beside the files of a movie, show, season or episode: of this kind, or the one that stands for it.
    ///
    /// # Errors
    /// Not found; absent `artwork_missing`; unavailable `storage_unavailable`; the store's.
    pub async fn open_artwork(
        &self,
        actor: &Actor,
        of: VideoSubject,
        kind: Option<ArtworkKind>,
    ) -> Result<OpenedMedia> {
        let kinds = kind.as_ref().map_or(of.front(), std::slice::from_ref);
        let mut trouble = NO_ARTWORK;
        for purpose in kinds.iter().filter_map(|kind| of.purpose(*kind)) {
            let found = self.video_files.video_pictures(&actor.scope, of, purpose).await?;
            match open_first(found).await {
                Ok(opened) => return Ok(opened),
                Err(error @ ServiceError::Unavailable { .. }) => trouble = error,
                Err(ServiceError::Absent { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if !self.video_files.sees_video(&actor.scope, of).await? {
            return Err(ServiceError::NotFound);
        }
        Err(trouble)
    }
}

async fn open_source(files: Vec<MediaFile>, source: Option<VideoSourceId>) -> Result<OpenedMedia> {
    let wanted = |file: &MediaFile| source.is_none_or(|source| file.file == source.into());
    let media = files.into_iter().find(wanted).ok_or(ServiceError::NotFound)?;
    blocking(move || open_file(&media)).await
}

/// Opens the first of the pictures that is there.
async fn open_first(found: Vec<(MediaFile, Vec<String>)>) -> Result<OpenedMedia> {
    let mut pictures: Vec<MediaFile> = Vec::new();
    for (media, names) in found {
        for name in names {
            let Some(picture) = beside(media.clone(), &name) else {
                continue;
            };
            // The episodes of a show all name its poster.
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

/// The file of this name beside a video, as its plugin named it: a plugin is not trusted with paths.
fn beside(media: MediaFile, name: &str) -> Option<MediaFile> {
    let path: RelativePath = media.path.beside(name)?;
    Some(MediaFile { path, ..media })
}
