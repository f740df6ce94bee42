//! `Attachments`: lists the positions of pictures, without reading their content.

use std::io::Result;

use svc_plugin_api::{Picture, PictureData, Source, Span, picture_media_type};

use crate::video::Video;
use containers::bytes::text;
use containers::ebml::Element;

const FILE: u32 = 0x61a7;
const NAME: u32 = 0x466e;
const MEDIA_TYPE: u32 = 0x4660;
const DATA: u32 = 0x465c;
/// The most attached files, elements of a file, and pictures.
const MAX_FILES: usize = 128;
const MAX_PARTS: usize = 32;
const MAX_PICTURES: usize = 32;

pub(super) fn read(source: &mut Source, attachments: &Element, video: &mut Video) -> Result<()> {
    let size = source.size();
    let end = attachments.end.unwrap_or(size).min(size);
    let mut offset = attachments.start;
    for _ in 0..MAX_FILES {
        let Some(file) = Element::at(source, offset)?.filter(|_| offset < end) else {
            break;
        };
        let Some(next) = file.end else { break };
        if file.id == FILE && video.pictures.len() < MAX_PICTURES {
            video.pictures.extend(picture(source, &file, next.min(end))?);
        }
        offset = next;
    }
    Ok(())
}

fn picture(source: &mut Source, file: &Element, end: u64) -> Result<Option<Picture>> {
    let (mut name, mut stated, mut data) = (String::new(), String::new(), None);
    let mut offset = file.start;
    for _ in 0..MAX_PARTS {
        let Some(part) = Element::at(source, offset)?.filter(|_| offset < end) else {
            break;
        };
        match part.id {
            NAME => name = text(&part.bytes(source, 1024)?).to_ascii_lowercase(),
            MEDIA_TYPE => stated = text(&part.bytes(source, 128)?),
            DATA => {
                data = part
                    .end
                    .filter(|stop| *stop <= end && *stop > part.start)
                    .map(|stop| (part.start, stop))
            }
            _ => {}
        }
        let Some(next) = part.end else { break };
        offset = next;
    }
    let Some((start, stop)) = data.filter(|_| stated.starts_with("image/")) else {
        return Ok(None);
    };
    let head = source.bytes_at(start, 16)?;
    Ok(picture_media_type(&head).map(|mime| Picture {
        purpose: purpose(&name).to_owned(),
        mime: mime.to_owned(),
        data: PictureData::At(Span {
            offset: start,
            length: stop - start,
        }),
    }))
}

/// The purpose of the file names that the specification recommends.
fn purpose(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or(name, |(stem, _)| stem) {
        "cover" => "front",
        "small_cover" | "small_cover_land" => "icon",
        "cover_land" => "landscape",
        _ => "other",
    }
}
