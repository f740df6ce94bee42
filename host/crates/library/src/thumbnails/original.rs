//! The original of a thumbnail: location and cache key.

use std::sync::Arc;

use crate::item_page_reader::PageOriginal;
use crate::media::{OpenedMedia, OpenedPicture, PictureBytes, open_file, open_picture};
use crate::thumbnails::thumbnail::ThumbnailSize;
use svc_domain::id::FileId;
use svc_domain::path::extension;
use svc_identity::error::Result;
use svc_platform::disk_cache::CacheKey;
use svc_plugin_host::{PluginHandle, Plugins, SourceFile};
use svc_store::{EmbeddedPicture, MediaFile};

/// The version of the original's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    file: FileId,
    /// Name of the file that is read, because a movie may have several image files.
    name: String,
    size: u64,
    pub(super) mtime_ns: i64,
    /// Index among the pictures of the file.
    index: Option<u32>,
    /// Digest of the file's sidecars, one of which its picture may be.
    sidecar_digest: Option<i64>,
}

/// A picture in its own size.
#[derive(Debug)]
pub(super) struct Original {
    /// As far as the index knows it, without disk access.
    pub(super) identity: Identity,
    place: OriginalSource,
}

#[derive(Debug)]
enum OriginalSource {
    File(MediaFile),
    Page(PageOriginal),
    Embedded(EmbeddedPicture),
    Opened(OpenedMedia),
}

pub(super) struct OpenedOriginal {
    /// As it is on disk now: the file may have changed since it was indexed.
    pub(super) identity: Identity,
    pub(super) source: Arc<SourceFile>,
}

impl Original {
    /// A file that is a picture.
    pub(super) fn file(media: MediaFile) -> Self {
        Self {
            identity: Identity {
                file: media.file,
                name: media.path.file_name().to_owned(),
                size: media.size.unsigned_abs(),
                mtime_ns: media.mtime_ns,
                index: None,
                sidecar_digest: None,
            },
            place: OriginalSource::File(media),
        }
    }

    /// A picture inside of a file.
    pub(super) fn embedded(picture: EmbeddedPicture) -> Self {
        let Self { identity, .. } = Self::file(picture.media.clone());
        Self {
            identity: Identity {
                index: Some(picture.index),
                sidecar_digest: picture.sidecar_digest,
                ..identity
            },
            place: OriginalSource::Embedded(picture),
        }
    }

    /// A file that is a picture and has been opened.
    pub(super) fn opened(media: OpenedMedia) -> Self {
        Self {
            identity: Identity {
                file: media.id,
                name: media.name.clone(),
                size: media.length,
                mtime_ns: media.mtime_ns,
                index: None,
                sidecar_digest: None,
            },
            place: OriginalSource::Opened(media),
        }
    }

    pub(super) fn page(page: PageOriginal) -> Self {
        let media = page.media();
        Self {
            identity: Identity {
                file: media.id,
                name: page.name(),
                size: media.length,
                mtime_ns: media.mtime_ns,
                index: None,
                sidecar_digest: None,
            },
            place: OriginalSource::Page(page),
        }
    }

    pub(super) fn renderer(&self, plugins: &Plugins) -> Option<PluginHandle> {
        match &self.place {
            OriginalSource::File(_) | OriginalSource::Opened(_) => {
                plugins.thumbnailer_for(&extension(&self.identity.name))
            }
            // The stated media type may be missing or wrong. The plugin for JPEG detects the format by the content.
            OriginalSource::Embedded(picture) => by_type(plugins, &picture.mime),
            OriginalSource::Page(page) => by_type(plugins, page.mime()),
        }
    }

    /// Opens it. Blocks.
    pub(super) fn open(self, plugins: &Plugins) -> Result<OpenedOriginal> {
        let identity = self.identity;
        let opened = match self.place {
            OriginalSource::File(media) => open_file(&media)?,
            OriginalSource::Opened(media) => media,
            OriginalSource::Embedded(picture) => return open_embedded(identity, picture, plugins),
            // The file is open already, so its identity is that on disk.
            OriginalSource::Page(page) => {
                let source = source_of(page.open()?, &identity.name);
                return Ok(OpenedOriginal { identity, source });
            }
        };
        Ok(OpenedOriginal {
            identity: Identity {
                size: opened.length,
                mtime_ns: opened.mtime_ns,
                ..identity
            },
            source: Arc::new(SourceFile::part(
                opened.file,
                opened.name,
                opened.offset,
                opened.length,
            )),
        })
    }
}

/// The renderer for a picture of this MIME type.
fn by_type(plugins: &Plugins, mime: &str) -> Option<PluginHandle> {
    let named = plugins.thumbnailer_for(mime);
    named.or_else(|| plugins.thumbnailer_for("image/jpeg"))
}

fn source_of(bytes: PictureBytes, name: &str) -> Arc<SourceFile> {
    Arc::new(match bytes {
        PictureBytes::InFile(part) => SourceFile::part(part.file, part.name, part.offset, part.length),
        PictureBytes::InMemory(bytes) => SourceFile::in_memory(bytes, name),
    })
}

fn open_embedded(identity: Identity, picture: EmbeddedPicture, plugins: &Plugins) -> Result<OpenedOriginal> {
    let OpenedPicture {
        bytes,
        file_size,
        mtime_ns,
        ..
    } = open_picture(plugins, picture)?;
    let source = source_of(bytes, &identity.name);
    Ok(OpenedOriginal {
        identity: Identity {
            size: file_size,
            mtime_ns,
            ..identity
        },
        source,
    })
}

impl Identity {
    /// The cache key of this original, in this size and with this plugin.
    pub(super) fn key(&self, size: ThumbnailSize, renderer: &PluginHandle) -> CacheKey {
        let sidecars = self
            .sidecar_digest
            .map_or_else(String::new, |digest| format!("-{digest:x}"));
        let index = self.index.map_or_else(String::new, |index| index.to_string());
        CacheKey::of(&[
            "drawn picture, form 1",
            &self.file.to_string(),
            &self.name,
            &self.size.to_string(),
            &self.mtime_ns.to_string(),
            &(index + &sidecars),
            &size.longest_edge().to_string(),
            renderer.digest(),
        ])
    }
}
