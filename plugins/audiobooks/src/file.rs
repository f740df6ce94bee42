//! One file: its format by its first bytes, and what the `lofty` crate and [`crate::mp4`] read of it.

use lofty::config::{ParseOptions, ParsingMode};
use lofty::file::AudioFile as _;
use lofty::flac::FlacFile;
use lofty::id3::v2::{Frame, Id3v2Tag};
use lofty::mp4::Mp4File;
use lofty::mpeg::MpegFile;
use lofty::ogg::tag::VorbisComments;
use lofty::ogg::{OggPictureStorage as _, OpusFile, VorbisFile};
use lofty::properties::FileProperties;
use svc_plugin_api::{ExtractError, Source, Span};

use crate::chapters::{self, Chapter, MAX_CHAPTERS};
use crate::folder_cover;
use crate::mp4;
use crate::tags::Tags;

/// Pictures of a file that are kept.
const MAX_COVERS: usize = 8;

/// The bytes of an embedded picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Cover {
    /// In the file.
    At(Span),
    /// Stored in parts or encoded.
    Bytes(Vec<u8>),
    /// A file of this name beside it.
    Beside(String),
}

/// What a file contains beside the sound.
#[derive(Debug, Default)]
pub struct AudioFile {
    pub tags: Tags,
    pub duration_ms: u64,
    pub chapters: Vec<Chapter>,
    pub covers: Vec<Cover>,
}

/// As tolerant as possible.
fn options() -> ParseOptions {
    ParseOptions::new().parsing_mode(ParsingMode::Relaxed)
}

impl AudioFile {
    /// Reads a file; without a picture in it, its cover is one beside it.
    ///
    /// # Errors
    /// `Refused` for another format, `Invalid` for a damaged file, `Io` if a read failed.
    pub fn read(source: &mut Source) -> Result<Self, ExtractError> {
        let mut read = Self::by_format(source)?;
        if read.covers.is_empty() {
            read.covers.extend(folder_cover::find(source).map(Cover::Beside));
        }
        Ok(read)
    }

    fn by_format(source: &mut Source) -> Result<Self, ExtractError> {
        let start = source.bytes_at(0, 64)?;
        let is_opus = start.windows(8).any(|window| window == b"OpusHead");
        let damaged = |error: &dyn std::fmt::Display| ExtractError::invalid(None, error.to_string());
        match start.as_slice() {
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => {
                let file = Mp4File::read_from(source, options().read_cover_art(false));
                Self::of_mp4(source, file.map_err(|error| damaged(&error))?)
            }
            [b'f', b'L', b'a', b'C', ..] => {
                let file = FlacFile::read_from(source, options()).map_err(|error| damaged(&error))?;
                let mut read = Self::of_comments(*file.properties(), file.vorbis_comments());
                let pictures = file.pictures().iter().map(|(picture, _)| picture.data().to_vec());
                read.covers.extend(pictures.map(Cover::Bytes));
                Ok(read.bounded())
            }
            [b'O', b'g', b'g', b'S', ..] if is_opus => {
                let file = OpusFile::read_from(source, options()).map_err(|error| damaged(&error))?;
                let comments = Some(file.vorbis_comments());
                Ok(Self::of_comments(*file.properties(), comments).bounded())
            }
            [b'O', b'g', b'g', b'S', ..] => {
                let file = VorbisFile::read_from(source, options()).map_err(|error| damaged(&error))?;
                let comments = Some(file.vorbis_comments());
                Ok(Self::of_comments(*file.properties(), comments).bounded())
            }
            [b'I', b'D', b'3', ..] | [0xff, 0xe0..=0xff, ..] => {
                let file = MpegFile::read_from(source, options()).map_err(|error| damaged(&error))?;
                Ok(Self::of_mpeg(&file).bounded())
            }
            [] => Err(ExtractError::invalid(Some(0), "the file is empty")),
            _ => Err(ExtractError::Refused("not a format of audiobooks".into())),
        }
    }

    fn of_mp4(source: &mut Source, file: Mp4File) -> Result<Self, ExtractError> {
        let mut read = Self::with_duration(file.properties().clone());
        if let Some(list) = file.ilst() {
            for atom in list {
                read.tags.add_atom(atom);
            }
        }
        let found = mp4::find(source)?;
        read.chapters = chapters::longer(found.track, found.list);
        read.covers.extend(found.covers.into_iter().map(Cover::At));
        Ok(read.bounded())
    }

    fn of_mpeg(file: &MpegFile) -> Self {
        let mut read = Self::with_duration(*file.properties());
        if let Some(tag) = file.id3v2() {
            read.add_id3v2(tag);
        }
        if let Some(tag) = file.ape() {
            for item in tag {
                read.tags
                    .add_named(item.key(), item.value().text().unwrap_or_default());
            }
        }
        if let Some(tag) = file.id3v1() {
            let texts = [
                ("title", &tag.title),
                ("album", &tag.album),
                ("artist", &tag.artist),
            ];
            for (name, text) in texts {
                read.tags.add(name, text.as_deref().unwrap_or_default());
            }
        }
        read
    }

    fn add_id3v2(&mut self, tag: &Id3v2Tag) {
        for frame in tag {
            match frame {
                Frame::Picture(picture) => self.covers.push(Cover::Bytes(picture.picture.data().to_vec())),
                Frame::Chapter(chapter) if self.chapters.len() < MAX_CHAPTERS => {
                    let title = chapter.children.iter().find_map(|child| match child {
                        Frame::Text(text) => Some(text.value.to_string()),
                        _ => None,
                    });
                    self.chapters.push(Chapter {
                        start_ms: chapter.times.start.into(),
                        end_ms: Some(chapter.times.end.into()),
                        title,
                    });
                }
                frame => self.tags.add_frame(frame),
            }
        }
    }

    fn of_comments(properties: impl Into<FileProperties>, comments: Option<&VorbisComments>) -> Self {
        let mut read = Self::with_duration(properties);
        if let Some(comments) = comments {
            read.chapters = chapters::of_comments(comments.items());
            for (key, value) in comments.items() {
                read.tags.add_named(key, value);
            }
            let pictures = comments
                .pictures()
                .iter()
                .map(|(picture, _)| picture.data().to_vec());
            read.covers.extend(pictures.map(Cover::Bytes));
        }
        read
    }

    fn with_duration(properties: impl Into<FileProperties>) -> Self {
        let properties: FileProperties = properties.into();
        Self {
            duration_ms: u64::try_from(properties.duration().as_millis()).unwrap_or(u64::MAX),
            ..Self::default()
        }
    }

    /// Without empty pictures, and more than anyone looks at.
    fn bounded(mut self) -> Self {
        self.covers.retain(|cover| match cover {
            Cover::At(span) => span.length > 0,
            Cover::Bytes(bytes) => !bytes.is_empty(),
            Cover::Beside(_) => true,
        });
        self.covers.truncate(MAX_COVERS);
        self
    }
}
