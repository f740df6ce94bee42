//! The bytes of items: their files, and the pictures inside of them.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;

use svc_domain::extraction::{ExtractFailure, PictureData};
use svc_domain::id::{FileId, MusicReleaseId, MusicTrackId, PhotoId};
use svc_domain::kind::MediaKind;
use svc_identity::actor::Actor;
use svc_identity::error::{Overloaded, Result, ServiceError};
use svc_platform::data_dir::DataDir;
use svc_platform::media_root::{MediaRoot, OpenedFile};
use svc_plugin_host::{Plugins, SourceFile};
use svc_store::{FileRepository, MediaFile, MusicRepository, TrackPicture};

/// Bytes of an embedded picture, at most: what the plugin host allows as well.
const MAX_PICTURE_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes of a picture that an answer holds in memory until its client has it. A cover of an album has less; a larger one
/// that is not to be had from its file as it is waits on the disk.
const HELD_BYTES: usize = 256 * 1024;

const FILE_MISSING: ServiceError = ServiceError::Absent {
    code: "file_missing",
    message: "the file is not there any more",
};
pub(super) const NO_ARTWORK: ServiceError = ServiceError::Absent {
    code: "artwork_missing",
    message: "there is no picture for this item",
};
pub(super) const STORAGE_UNAVAILABLE: ServiceError = ServiceError::Unavailable {
    code: "storage_unavailable",
    message: "the directory of the file is not available",
};

/// An item's bytes: a file or a part of one, opened.
#[derive(Debug)]
pub struct OpenedMedia {
    /// Opened for reading.
    pub file: File,
    /// Where the bytes begin in the file.
    pub offset: u64,
    /// How many they are.
    pub length: u64,
    /// Modification time of the file in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// What the bytes are of.
    pub id: FileId,
    /// The file's own name.
    pub name: String,
}

/// A picture from inside of a file.
#[derive(Debug)]
pub struct OpenedPicture {
    /// MIME type, as the file claims.
    pub mime: String,
    /// Its bytes.
    pub bytes: PictureBytes,
    /// The file that holds it.
    pub id: FileId,
    /// Position among the file's pictures.
    pub index: u32,
    /// Size of the file.
    pub file_size: u64,
    /// Modification time of the file in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// Where a picture's bytes are.
#[derive(Debug)]
pub enum PictureBytes {
    /// Unchanged in the file.
    InFile(OpenedMedia),
    /// Taken out of it by the plugin.
    InMemory(Vec<u8>),
}

/// Opens media.
#[derive(Debug, Clone)]
pub struct Media {
    music: MusicRepository,
    files: FileRepository,
    plugins: Plugins,
    data_dir: Arc<DataDir>,
}

impl Media {
    /// Over these files and plugins. What is too large to be held in memory goes to the data directory.
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

    /// The file of a track.
    ///
    /// # Errors
    /// Not found; absent `file_missing`; unavailable `storage_unavailable`; the store's.
    pub async fn open_track(&self, actor: &Actor, id: MusicTrackId) -> Result<OpenedMedia> {
        self.open(actor, id.into(), &MediaKind::music()).await
    }

    /// The file of a photo.
    ///
    /// # Errors
    /// As [`Self::open_track`].
    pub async fn open_photo(&self, actor: &Actor, id: PhotoId) -> Result<OpenedMedia> {
        self.open(actor, id.into(), &MediaKind::photos()).await
    }

    /// The picture inside of a track's file.
    ///
    /// # Errors
    /// Not found; absent `artwork_missing` or `file_missing`; unavailable `storage_unavailable`; the store's.
    pub async fn open_track_picture(&self, actor: &Actor, id: MusicTrackId) -> Result<OpenedPicture> {
        match self.music.track_picture(&actor.scope, id).await? {
            Some(picture) => self.open_embedded(picture).await,
            None if self.music.track(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }

    /// The picture of a release: that of one of its tracks.
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

    async fn open(&self, actor: &Actor, id: FileId, kind: &MediaKind) -> Result<OpenedMedia> {
        let media = self
            .files
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

/// A picture's bytes in a file that is gone when it is closed. Blocks.
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

/// Runs what waits for disks.
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

/// Opens a picture inside of a file. Blocks.
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
                // The file changed since it was indexed; the next run will see it.
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
        // An absent root that is an empty mount point looks like a missing file; the scan has told them apart.
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
        ExtractFailure::Later { retry_after } => Overloaded {
            message: "too many pictures could not be read; try again later",
            retry_after,
        }
        .into(),
        ExtractFailure::Io(_) => STORAGE_UNAVAILABLE,
        // Counted, logged and shown by the plugin host; to this client there is no picture.
        _ => NO_ARTWORK,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;

    #[test]
    fn picture_that_is_put_aside_is_read_back_and_leaves_nothing() {
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
