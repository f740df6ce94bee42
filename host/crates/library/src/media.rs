//! Opens the files of items and their embedded artwork.

mod artwork;

use std::fs::File;
use std::io;
use std::sync::Arc;

use svc_domain::id::{FileId, MusicReleaseId, MusicTrackId, PhotoId};
use svc_domain::kind::MediaKind;
use svc_identity::actor::Actor;
use svc_identity::error::{ErrorCode, Result, RetryReason, ServiceError, TryLater};
use svc_platform::data_dir::DataDir;
use svc_platform::media_root::{MediaRoot, OpenedFile};
use svc_plugin_host::Plugins;
use svc_store::{EmbeddedPicture, FileRepository, MediaFile, MusicRepository};

pub(super) use artwork::open_picture;
pub use artwork::{OpenedPicture, PictureBytes};

const FILE_MISSING: ServiceError = ServiceError::Absent {
    code: ErrorCode::FileMissing,
    message: "the file is missing",
};
pub(super) const NO_ARTWORK: ServiceError = ServiceError::Absent {
    code: ErrorCode::ArtworkMissing,
    message: "the item has no artwork",
};
pub(super) const STORAGE_UNAVAILABLE: ServiceError = ServiceError::TryLater(TryLater::unavailable(
    RetryReason::StorageUnavailable,
    "the media directory is not available",
));

/// An open file, or a range of one.
#[derive(Debug)]
pub struct OpenedMedia {
    /// Opened for reading.
    pub file: File,
    /// Start of the range in bytes.
    pub offset: u64,
    /// Length of the range in bytes.
    pub length: u64,
    /// Modification time of the file in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The file in the index.
    pub id: FileId,
    /// File name without its directory.
    pub name: String,
}

/// The service that opens media files.
#[derive(Debug, Clone)]
pub struct Media {
    music: MusicRepository,
    files: FileRepository,
    plugins: Plugins,
    data_dir: Arc<DataDir>,
}

impl Media {
    /// Creates the service. Artwork too large for memory is written to the data directory.
    pub fn new(
        music: MusicRepository,
        files: FileRepository,
        plugins: Plugins,
        data_dir: Arc<DataDir>,
    ) -> Self {
        Self {
            music,
            files,
            plugins,
            data_dir,
        }
    }

    /// Opens the file of a track.
    ///
    /// # Errors
    /// Not found; absent `file_missing`; try later `storage_unavailable`; database errors.
    pub async fn open_track(&self, actor: &Actor, id: MusicTrackId) -> Result<OpenedMedia> {
        self.open(actor, id.into(), &MediaKind::music()).await
    }

    /// Opens the file of a photo.
    ///
    /// # Errors
    /// As [`Self::open_track`].
    pub async fn open_photo(&self, actor: &Actor, id: PhotoId) -> Result<OpenedMedia> {
        self.open(actor, id.into(), &MediaKind::photos()).await
    }

    /// Opens the artwork embedded in a track's file.
    ///
    /// # Errors
    /// Not found; absent `artwork_missing` or `file_missing`; try later `storage_unavailable`; database errors.
    pub async fn open_track_picture(&self, actor: &Actor, id: MusicTrackId) -> Result<OpenedPicture> {
        match self.music.track_picture(&actor.scope, id).await? {
            Some(picture) => self.open_embedded(picture).await,
            None if self.music.track(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }

    /// Opens the artwork of a release, which is that of one of its tracks.
    ///
    /// # Errors
    /// As [`Self::open_track_picture`].
    pub async fn open_release_picture(&self, actor: &Actor, id: MusicReleaseId) -> Result<OpenedPicture> {
        match self.music.release_picture(&actor.scope, id).await? {
            Some(picture) => self.open_embedded(picture).await,
            None if self.music.release(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }

    /// Opens a picture whose access was checked by the caller.
    ///
    /// # Errors
    /// Absent `artwork_missing` or `file_missing`; try later `storage_unavailable`.
    pub(crate) async fn open_item_picture(&self, picture: EmbeddedPicture) -> Result<OpenedPicture> {
        self.open_embedded(picture).await
    }

    async fn open(&self, actor: &Actor, id: FileId, kind: &MediaKind) -> Result<OpenedMedia> {
        let media = self
            .files
            .media_file(&actor.scope, id)
            .await?
            .filter(|media| media.kind == *kind);
        let media = media.ok_or(ServiceError::NotFound)?;
        blocking(move || open_file(&media)).await
    }
}

/// Runs blocking disk access on a blocking thread.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(ServiceError::internal)?
}

/// Opens a file below its root. Blocks.
pub(super) fn open_file(media: &MediaFile) -> Result<OpenedMedia> {
    let root = MediaRoot::open(&media.root).map_err(|error| {
        tracing::warn!(root = %media.root.display(), %error, "the media directory cannot be opened");
        STORAGE_UNAVAILABLE
    })?;
    let OpenedFile { file, size, mtime_ns } = root
        .open_file(&media.path)
        .map_err(|error| refusal(media, &error))?;
    Ok(OpenedMedia {
        file,
        offset: 0,
        length: size,
        mtime_ns,
        id: media.file,
        name: media.path.file_name().to_owned(),
    })
}

fn refusal(media: &MediaFile, error: &io::Error) -> ServiceError {
    match error.kind() {
        // An unmounted root is an empty directory, so a missing file alone does not reveal it; the scan recorded it.
        io::ErrorKind::NotFound if !media.available => STORAGE_UNAVAILABLE,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FILE_MISSING,
        io::ErrorKind::PermissionDenied => {
            tracing::warn!(file = %media.path, %error, "the media file cannot be opened");
            FILE_MISSING
        }
        _ => {
            tracing::warn!(file = %media.path, %error, "the media file cannot be opened");
            STORAGE_UNAVAILABLE
        }
    }
}
