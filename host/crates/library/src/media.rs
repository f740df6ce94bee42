//! Opens the files of items and their embedded artwork.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;

use svc_domain::extraction::{ExtractFailure, PictureData};
use svc_domain::id::{FileId, MusicReleaseId, MusicTrackId, PhotoId};
use svc_domain::kind::MediaKind;
use svc_identity::actor::Actor;
use svc_identity::error::{ErrorCode, Result, RetryReason, ServiceError, TryLater};
use svc_platform::data_dir::DataDir;
use svc_platform::media_root::{MediaRoot, OpenedFile};
use svc_plugin_host::{Plugins, SourceFile};
use svc_store::{MediaFile, Store, TrackPicture};

/// Maximum size of embedded artwork; the plugin host has the same limit.
const MAX_PICTURE_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of artwork that a response keeps in memory until it is sent. Most album covers are smaller; larger
/// artwork that cannot be sent from its file is written to a temporary file.
const HELD_BYTES: usize = 256 * 1024;

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

/// Embedded artwork of a file.
#[derive(Debug)]
pub struct OpenedPicture {
    /// MIME type as stored in the file.
    pub mime: String,
    /// Content.
    pub bytes: PictureBytes,
    /// The file that contains it.
    pub id: FileId,
    /// Index among the file's artwork.
    pub index: u32,
    /// Size of the file in bytes.
    pub file_size: u64,
    /// Modification time of the file in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// Content of embedded artwork.
#[derive(Debug)]
pub enum PictureBytes {
    /// A range of the file.
    InFile(OpenedMedia),
    /// Extracted by the plugin.
    InMemory(Vec<u8>),
}

/// The service that opens media files.
#[derive(Debug, Clone)]
pub struct Media {
    store: Store,
    plugins: Plugins,
    data_dir: Arc<DataDir>,
}

impl Media {
    /// Creates the service. Artwork too large for memory is written to the data directory.
    pub fn new(store: Store, plugins: Plugins, data_dir: Arc<DataDir>) -> Self {
        Self {
            store,
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
        match self.store.track_picture(&actor.scope, id).await? {
            Some(picture) => self.open_embedded(picture).await,
            None if self.store.track(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }

    /// Opens the artwork of a release, which is that of one of its tracks.
    ///
    /// # Errors
    /// As [`Self::open_track_picture`].
    pub async fn open_release_picture(&self, actor: &Actor, id: MusicReleaseId) -> Result<OpenedPicture> {
        match self.store.release_picture(&actor.scope, id).await? {
            Some(picture) => self.open_embedded(picture).await,
            None if self.store.release(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }

    async fn open(&self, actor: &Actor, id: FileId, kind: &MediaKind) -> Result<OpenedMedia> {
        let media = self
            .store
            .media_file(&actor.scope, id)
            .await?
            .filter(|media| media.kind == *kind);
        let media = media.ok_or(ServiceError::NotFound)?;
        blocking(move || open_file(&media)).await
    }

    async fn open_embedded(&self, picture: TrackPicture) -> Result<OpenedPicture> {
        let (plugins, data_dir) = (self.plugins.clone(), Arc::clone(&self.data_dir));
        blocking(move || {
            let mut picture = open_picture(&plugins, picture)?;
            if let PictureBytes::InMemory(bytes) = &picture.bytes
                && bytes.len() > HELD_BYTES
            {
                let media = put_aside(&data_dir, bytes, &picture).map_err(ServiceError::internal)?;
                picture.bytes = PictureBytes::InFile(media);
            }
            Ok(picture)
        })
        .await
    }
}

/// Writes artwork to a temporary file, which is deleted when it is closed. Blocks.
fn put_aside(data_dir: &DataDir, bytes: &[u8], picture: &OpenedPicture) -> io::Result<OpenedMedia> {
    let mut file = data_dir.nameless_file()?;
    file.write_all(bytes)?;
    Ok(OpenedMedia {
        file,
        offset: 0,
        length: bytes.len() as u64,
        mtime_ns: picture.mtime_ns,
        id: picture.id,
        name: String::new(),
    })
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

/// Opens artwork embedded in a file. Blocks.
pub(super) fn open_picture(plugins: &Plugins, picture: TrackPicture) -> Result<OpenedPicture> {
    let opened = open_file(&picture.media)?;
    let (file_size, mtime_ns) = (opened.length, opened.mtime_ns);
    let bytes = match picture.data {
        PictureData::At(span) => {
            let inside = span
                .offset
                .checked_add(span.length)
                .is_some_and(|end| end <= opened.length);
            if !inside || span.length > MAX_PICTURE_BYTES {
                // The file changed since it was indexed; the next run updates the index.
                return Err(NO_ARTWORK);
            }
            PictureBytes::InFile(OpenedMedia {
                offset: span.offset,
                length: span.length,
                ..opened
            })
        }
        PictureData::OnRequest => PictureBytes::InMemory(extract_picture(plugins, &picture, opened)?),
    };
    let TrackPicture {
        media, index, mime, ..
    } = picture;
    Ok(OpenedPicture {
        mime,
        bytes,
        id: media.file,
        index,
        file_size,
        mtime_ns,
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

fn extract_picture(plugins: &Plugins, picture: &TrackPicture, opened: OpenedMedia) -> Result<Vec<u8>> {
    let plugin = picture
        .media
        .plugin_id
        .as_deref()
        .and_then(|id| plugins.handle(id))
        .ok_or(NO_ARTWORK)?;
    let source = SourceFile::new(opened.file, opened.name, opened.length);
    let outcome = plugins
        .worker()
        .read_picture(&plugin, &Arc::new(source), picture.index);
    outcome.map_err(|failure| match failure {
        ExtractFailure::Later { retry_after } => {
            TryLater::busy("reading artwork failed too often; try again later", retry_after).into()
        }
        ExtractFailure::Io(_) => STORAGE_UNAVAILABLE,
        // The plugin host has counted and logged the fault; the client gets the same response as without artwork.
        _ => NO_ARTWORK,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;

    #[test]
    fn artwork_in_a_temporary_file_is_read_back_and_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let entries = || std::fs::read_dir(directory.path()).unwrap().count();
        let before = entries();
        let picture = OpenedPicture {
            mime: "image/png".into(),
            bytes: PictureBytes::InMemory(Vec::new()),
            id: FileId::from(1),
            index: 0,
            file_size: 7,
            mtime_ns: 9,
        };
        let bytes = vec![7; HELD_BYTES + 1];
        let media = put_aside(&data_dir, &bytes, &picture).unwrap();
        assert_eq!((media.length, media.mtime_ns), (bytes.len() as u64, 9));
        let mut read = vec![0; bytes.len()];
        media.file.read_exact_at(&mut read, 0).unwrap();
        assert!(read == bytes);
        assert_eq!(entries(), before);
    }
}
