//! Responses with the bytes of a media file or image, in full or in part (`Range`).

use std::borrow::Cow;
use std::fs::File;

use bytes::Bytes;
use salvo::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue, LAST_MODIFIED,
};
use salvo::http::{Method, ResBody, StatusCode};
use salvo::oapi::SchemaFormat;
use salvo::oapi::{
    self, BasicType, Components, Content, EndpointOutRegister, KnownFormat, Object, Operation,
};
use salvo::{Depot, Request, Response, Writer, async_trait};

use crate::api_error::ApiError;
use crate::binary_content::ANY_BYTES;
use crate::response::{NOT_MODIFIED, register_statuses, set_header};
use crate::response_cache::Cacheable;
use svc_domain::path::extension;
use svc_http_io::connection::Connection;
use svc_http_io::file_body::FileBody;
use svc_http_io::limits::MEDIA_MAX_AGE;
use svc_http_io::range::{Decision, Representation, decide, format_date};
use svc_library::item_kinds::OpenedPart;
use svc_library::item_pages::OpenedPage;
use svc_library::media::{OpenedMedia, OpenedPicture, PictureBytes};
use svc_library::media_types::{
    PICTURE_TYPES, PLAIN_BYTES, SUBTITLE_TYPES, TYPES, VIDEO_TYPES, is_rendered_safely, type_of,
};
use svc_library::open_streams::OpenStream;
use svc_library::thumbnails::{Thumbnail, ThumbnailBytes};

#[derive(Debug)]
enum Source {
    File(OpenedMedia),
    Thumbnail { file: File, length: u64 },
    Memory(Bytes),
}

/// A response with the bytes of a media file or image.
#[derive(Debug)]
pub struct MediaResponse {
    source: Source,
    tag: String,
    modified: i64,
    content_type: Cow<'static, str>,
    stream: Option<OpenStream>,
    /// Sent as an attachment, which browsers do not render.
    is_attachment: bool,
    /// The response may be cached until the index changes.
    is_cacheable: bool,
}

impl MediaResponse {
    /// The file of a track or photo.
    pub fn file(media: OpenedMedia) -> Self {
        let content_type = type_of(&media.name, TYPES);
        Self::of(media, content_type)
    }

    /// The file of a movie or episode.
    pub fn video(media: OpenedMedia) -> Self {
        let content_type = type_of(&media.name, VIDEO_TYPES);
        Self::of(media, content_type)
    }

    /// An image file beside a video.
    pub fn picture_file(media: OpenedMedia) -> Self {
        // Thumbnails of Kodi, most of them JPEG.
        let content_type = match &*extension(&media.name) {
            "tbn" => "image/jpeg",
            _ => type_of(&media.name, TYPES),
        };
        Self::of(media, content_type)
    }

    /// A subtitle file. Always an attachment: subtitles may hold markup, which a browser must not render.
    pub fn subtitle(media: OpenedMedia) -> Self {
        let content_type = type_of(&media.name, SUBTITLE_TYPES);
        Self {
            is_attachment: true,
            ..Self::of(media, content_type)
        }
    }

    /// A file of an item of a kind that a plugin defines, whose type the plugin may name.
    pub fn part(opened: OpenedPart) -> Self {
        let OpenedPart { media, media_type } = opened;
        let known = [TYPES, VIDEO_TYPES].map(|types| type_of(&media.name, types));
        let known = known.into_iter().find(|known| *known != PLAIN_BYTES);
        let content_type = media_type.map_or(Cow::Borrowed(known.unwrap_or(PLAIN_BYTES)), Cow::Owned);
        Self {
            is_attachment: !is_rendered_safely(&content_type),
            ..Self::of(media, content_type)
        }
    }

    fn of(media: OpenedMedia, content_type: impl Into<Cow<'static, str>>) -> Self {
        let content_type = content_type.into();
        Self {
            tag: format!("\"{}-{:x}-{:x}\"", media.id, media.length, media.mtime_ns),
            modified: media.mtime_ns.div_euclid(1_000_000_000),
            is_attachment: content_type == PLAIN_BYTES,
            content_type,
            source: Source::File(media),
            stream: None,
            is_cacheable: false,
        }
    }

    /// Counts the response as an open stream of the user until it is sent.
    #[must_use]
    pub fn as_stream(self, stream: OpenStream) -> Self {
        Self {
            stream: Some(stream),
            ..self
        }
    }

    /// A picture that is embedded in a media file, or that its plugin reads beside it.
    pub fn picture(picture: OpenedPicture) -> Self {
        let claimed = picture.mime.to_ascii_lowercase();
        let claimed = if claimed == "image/jpg" {
            "image/jpeg"
        } else {
            claimed.as_str()
        };
        let content_type = PICTURE_TYPES
            .into_iter()
            .find(|known| *known == claimed)
            .unwrap_or(PLAIN_BYTES);
        let OpenedPicture {
            id,
            index,
            file_size,
            mtime_ns,
            sidecar_digest,
            ..
        } = picture;
        let sidecars = sidecar_digest.map_or_else(String::new, |digest| format!("-{digest:x}"));
        Self {
            tag: format!("\"{id}-p{index}-{file_size:x}-{mtime_ns:x}{sidecars}\""),
            modified: mtime_ns.div_euclid(1_000_000_000),
            content_type: content_type.into(),
            stream: None,
            is_attachment: content_type == PLAIN_BYTES,
            is_cacheable: false,
            source: match picture.bytes {
                PictureBytes::InFile(media) => Source::File(media),
                PictureBytes::InMemory(bytes) => Source::Memory(bytes.into()),
            },
        }
    }

    /// A page of an item.
    pub fn page(page: OpenedPage) -> Self {
        let content_type = match page.mime.as_str() {
            "text/plain" => "text/plain; charset=utf-8".to_owned(),
            _ => page.mime,
        };
        Self {
            tag: format!("\"{}\"", page.tag),
            modified: page.mtime_ns.div_euclid(1_000_000_000),
            is_attachment: !is_rendered_safely(&content_type),
            content_type: content_type.into(),
            stream: None,
            is_cacheable: false,
            source: match page.bytes {
                PictureBytes::InFile(media) => Source::File(media),
                PictureBytes::InMemory(bytes) => Source::Memory(bytes.into()),
            },
        }
    }

    /// A thumbnail.
    pub fn thumbnail(thumbnail: Thumbnail) -> Self {
        Self {
            tag: format!("\"{}\"", thumbnail.tag),
            modified: thumbnail.mtime_ns.div_euclid(1_000_000_000),
            content_type: thumbnail.format.mime().into(),
            stream: None,
            is_attachment: false,
            is_cacheable: thumbnail.is_as_indexed,
            source: match thumbnail.bytes {
                ThumbnailBytes::InFile { file, length } => Source::Thumbnail { file, length },
                ThumbnailBytes::InMemory(bytes) => Source::Memory(bytes),
            },
        }
    }

    fn length(&self) -> u64 {
        match &self.source {
            Source::File(media) => media.length,
            Source::Thumbnail { length, .. } => *length,
            Source::Memory(bytes) => bytes.len() as u64,
        }
    }

    fn set_headers(&self, res: &mut Response) {
        let headers = res.headers_mut();
        let mut set = |name, value| set_header(headers, name, value);
        set(ETAG, self.tag.clone());
        set(LAST_MODIFIED, format_date(self.modified));
        set(ACCEPT_RANGES, "bytes".to_owned());
        // Not for shared caches: the URL may hold a token.
        set(
            CACHE_CONTROL,
            format!("private, max-age={}", MEDIA_MAX_AGE.as_secs()),
        );
        set(CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned());
        // A browser must not render a file of an unknown type.
        let disposition = if self.is_attachment {
            "attachment"
        } else {
            "inline"
        };
        set(CONTENT_DISPOSITION, disposition.to_owned());
    }

    fn body(self, req: &Request, start: u64, length: u64) -> ResBody {
        match self.source {
            Source::File(media) => {
                let body = FileBody::new(media.file, media.offset.saturating_add(start), length);
                if let (Some(stream), Some(connection)) =
                    (&self.stream, req.extensions().get::<Connection>().cloned())
                {
                    stream.close_by(move || connection.abort());
                }
                let body = match self.stream {
                    Some(stream) => body.until(move || stream.has_ended()),
                    None => body,
                };
                ResBody::Boxed(Box::pin(body.on(Connection::own(req))))
            }
            Source::Thumbnail { file, .. } => ResBody::Boxed(Box::pin(FileBody::new(file, start, length))),
            Source::Memory(bytes) => {
                let (start, length) = (
                    usize::try_from(start).unwrap_or(0),
                    usize::try_from(length).unwrap_or(0),
                );
                let end = start.saturating_add(length).min(bytes.len());
                ResBody::Once(bytes.slice(start.min(end)..end))
            }
        }
    }
}

#[async_trait]
impl Writer for MediaResponse {
    async fn write(self, req: &mut Request, depot: &mut Depot, res: &mut Response) {
        if self.is_cacheable {
            depot.insert_typed(Cacheable);
        }
        let whole = self.length();
        let what = Representation {
            tag: &self.tag,
            modified: self.modified,
            length: whole,
        };
        let (status, start, length) = match decide(req.method(), req.headers(), what) {
            Decision::Full => (StatusCode::OK, 0, whole),
            Decision::Partial { start, end } => (StatusCode::PARTIAL_CONTENT, start, end - start + 1),
            Decision::NotModified => {
                self.set_headers(res);
                res.status_code(StatusCode::NOT_MODIFIED);
                return;
            }
            Decision::PreconditionFailed => {
                return ApiError::of_status(StatusCode::PRECONDITION_FAILED).render(res);
            }
            Decision::Unsatisfiable => {
                ApiError::of_status(StatusCode::RANGE_NOT_SATISFIABLE).render(res);
                set_header(res.headers_mut(), CONTENT_RANGE, format!("bytes */{whole}"));
                return;
            }
        };
        self.set_headers(res);
        res.status_code(status);
        set_header(res.headers_mut(), CONTENT_TYPE, self.content_type.to_string());
        res.headers_mut()
            .insert(CONTENT_LENGTH, HeaderValue::from(length));
        if status == StatusCode::PARTIAL_CONTENT {
            set_header(
                res.headers_mut(),
                CONTENT_RANGE,
                format!("bytes {start}-{}/{whole}", start + length - 1),
            );
        }
        if req.method() != Method::HEAD {
            res.replace_body(self.body(req, start, length));
        }
    }
}

impl EndpointOutRegister for MediaResponse {
    fn register(_components: &mut Components, operation: &mut Operation) {
        let bytes = |about: &str| {
            let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
            let schema = Object::with_type(BasicType::String).format(binary);
            oapi::Response::new(about).add_content(ANY_BYTES, Content::new(schema))
        };
        operation.responses.insert("200", bytes("The whole file"));
        operation.responses.insert("206", bytes("The requested range"));
        let statuses = [
            NOT_MODIFIED,
            ("412", "A precondition failed"),
            ("416", "The range cannot be satisfied"),
        ];
        register_statuses(operation, &statuses);
    }
}
