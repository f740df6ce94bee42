//! Artwork of media files: embedded, or read by their plugins.

use std::io::{self, Write as _};
use std::sync::Arc;

use super::{Media, NO_ARTWORK, OpenedMedia, STORAGE_UNAVAILABLE, blocking, open_file};
use svc_domain::extraction::{ExtractFailure, PictureData};
use svc_domain::id::FileId;
use svc_identity::error::{Result, ServiceError, TryLater};
use svc_indexer::scan::sidecars_of;
use svc_platform::data_dir::DataDir;
use svc_plugin_host::{Plugins, SourceFile};
use svc_store::EmbeddedPicture;

/// Maximum size of embedded artwork; the plugin host has the same limit.
const MAX_PICTURE_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of artwork that a response keeps in memory until it is sent. Most album covers are smaller; larger
/// artwork that cannot be sent from its file is written to a temporary file.
const MAX_IN_MEMORY_BYTES: usize = 256 * 1024;

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
    /// Digest of the file's sidecars in the index.
    pub sidecar_digest: Option<i64>,
}

/// Content of embedded artwork.
#[derive(Debug)]
pub enum PictureBytes {
    /// A range of the file.
    InFile(OpenedMedia),
    /// Extracted by the plugin.
    InMemory(Vec<u8>),
}

/// Writes artwork to a temporary file, which is deleted when it is closed. Blocks.
fn write_temporary_file(
    data_dir: &DataDir,
    bytes: &[u8],
    picture: &OpenedPicture,
) -> io::Result<OpenedMedia> {
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

/// Opens artwork embedded in a file. Blocks.
pub(crate) fn open_picture(plugins: &Plugins, picture: EmbeddedPicture) -> Result<OpenedPicture> {
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
    let EmbeddedPicture {
        media,
        index,
        mime,
        sidecar_digest,
        ..
    } = picture;
    Ok(OpenedPicture {
        mime,
        bytes,
        id: media.file,
        index,
        file_size,
        mtime_ns,
        sidecar_digest,
    })
}

fn extract_picture(plugins: &Plugins, picture: &EmbeddedPicture, opened: OpenedMedia) -> Result<Vec<u8>> {
    let plugin = picture
        .media
        .plugin_id
        .as_deref()
        .and_then(|id| plugins.handle(id))
        .ok_or(NO_ARTWORK)?;
    let sidecars = sidecars_of(plugins, &picture.media).map_err(|error| {
        tracing::warn!(file = %picture.media.path, %error, "the folder of the media file cannot be listed");
        STORAGE_UNAVAILABLE
    })?;
    let source = SourceFile::new(opened.file, opened.name, opened.length).with_sidecars(sidecars);
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

impl Media {
    pub(super) async fn open_embedded(&self, picture: EmbeddedPicture) -> Result<OpenedPicture> {
        let (plugins, data_dir) = (self.plugins.clone(), Arc::clone(&self.data_dir));
        blocking(move || {
            let mut picture = open_picture(&plugins, picture)?;
            if let PictureBytes::InMemory(bytes) = &picture.bytes
                && bytes.len() > MAX_IN_MEMORY_BYTES
            {
                let media =
                    write_temporary_file(&data_dir, bytes, &picture).map_err(ServiceError::internal)?;
                picture.bytes = PictureBytes::InFile(media);
            }
            Ok(picture)
        })
        .await
    }
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
            sidecar_digest: None,
        };
        let bytes = vec![7; MAX_IN_MEMORY_BYTES + 1];
        let media = write_temporary_file(&data_dir, &bytes, &picture).unwrap();
        assert_eq!((media.length, media.mtime_ns), (bytes.len() as u64, 9));
        let mut read = vec![0; bytes.len()];
        media.file.read_exact_at(&mut read, 0).unwrap();
        assert!(read == bytes);
        assert_eq!(entries(), before);
    }
}
