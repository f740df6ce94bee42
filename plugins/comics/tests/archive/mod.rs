//! Archives made in code, with each feature and each lie that the tests need.
#![allow(dead_code, unreachable_pub, reason = "every test file uses some of it")]

use svc_plugin_api::{Extraction, Source, Value};

/// A file of an archive.
#[derive(Debug, Clone)]
pub struct File {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    pub deflated: bool,
    /// Sizes and checksum stand behind the bytes.
    pub descriptor: bool,
    /// Sizes and offset stand in a field of ZIP64.
    pub zip64: bool,
    pub flags: u16,
    pub extra: Vec<u8>,
    /// What the directory says instead of the truth.
    pub lie: Lie,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Lie {
    pub size: Option<u32>,
    pub packed: Option<u32>,
    pub offset: Option<u32>,
    pub crc: Option<u32>,
    pub method: Option<u16>,
}

pub fn stored(name: &str, content: impl Into<Vec<u8>>) -> File {
    File {
        name: name.as_bytes().to_vec(),
        content: content.into(),
        deflated: false,
        descriptor: false,
        zip64: false,
        flags: 0,
        extra: Vec::new(),
        lie: Lie::default(),
    }
}

pub fn deflated(name: &str, content: impl Into<Vec<u8>>) -> File {
    File {
        deflated: true,
        ..stored(name, content)
    }
}

/// A PNG header of this size, followed by bytes that depend on `seed`.
pub fn png(width: u32, height: u32, seed: u8) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend((0..3000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 ^ seed));
    bytes
}

/// An archive of these files.
pub fn zip(files: &[File]) -> Vec<u8> {
    Archive::new(files).bytes()
}

pub struct Archive {
    /// Everything before the directory.
    pub files: Vec<u8>,
    pub directory: Vec<u8>,
    pub count: usize,
    pub comment: Vec<u8>,
    pub zip64_end: bool,
}

impl Archive {
    pub fn new(files: &[File]) -> Self {
        let mut archive = Self {
            files: Vec::new(),
            directory: Vec::new(),
            count: files.len(),
            comment: Vec::new(),
            zip64_end: false,
        };
        for file in files {
            archive.add(file);
        }
        archive
    }

    fn add(&mut self, file: &File) {
        let offset = self.files.len() as u32;
        let packed = if file.deflated {
            miniz_oxide::deflate::compress_to_vec(&file.content, 6)
        } else {
            file.content.clone()
        };
        let method: u16 = file.lie.method.unwrap_or(if file.deflated { 8 } else { 0 });
        let crc = file.lie.crc.unwrap_or_else(|| crc32fast::hash(&file.content));
        let flags = file.flags | if file.descriptor { 8 } else { 0 };
        let (size, packed_size) = (file.content.len() as u32, packed.len() as u32);
        let size = file.lie.size.unwrap_or(size);
        let packed_size = file.lie.packed.unwrap_or(packed_size);
        let sizes = |zip64: bool| {
            if zip64 { [u32::MAX; 2] } else { [packed_size, size] }
        };

        self.files.extend(b"PK\x03\x04\x2d\0");
        self.files.extend(flags.to_le_bytes());
        self.files.extend(method.to_le_bytes());
        self.files.extend([0; 4]);
        let (local_crc, local_sizes) = if file.descriptor {
            (0, [0; 2])
        } else {
            (crc, sizes(file.zip64))
        };
        self.files.extend(local_crc.to_le_bytes());
        self.files
            .extend(local_sizes.into_iter().flat_map(u32::to_le_bytes));
        let mut extra = file.extra.clone();
        if file.zip64 && !file.descriptor {
            extra.extend([1, 0, 16, 0]);
            extra.extend(u64::from(size).to_le_bytes());
            extra.extend(u64::from(packed_size).to_le_bytes());
        }
        self.files.extend((file.name.len() as u16).to_le_bytes());
        self.files.extend((extra.len() as u16).to_le_bytes());
        self.files.extend(&file.name);
        self.files.extend(&extra);
        self.files.extend(&packed);
        if file.descriptor {
            self.files.extend(b"PK\x07\x08");
            self.files.extend(crc.to_le_bytes());
            self.files.extend(packed_size.to_le_bytes());
            self.files.extend(size.to_le_bytes());
        }

        self.directory.extend(b"PK\x01\x02\x2d\0\x2d\0");
        self.directory.extend(flags.to_le_bytes());
        self.directory.extend(method.to_le_bytes());
        self.directory.extend([0; 4]);
        self.directory.extend(crc.to_le_bytes());
        self.directory
            .extend(sizes(file.zip64).into_iter().flat_map(u32::to_le_bytes));
        let mut extra = file.extra.clone();
        if file.zip64 {
            extra.extend([1, 0, 24, 0]);
            extra.extend(u64::from(size).to_le_bytes());
            extra.extend(u64::from(packed_size).to_le_bytes());
            extra.extend(u64::from(offset).to_le_bytes());
        }
        self.directory.extend((file.name.len() as u16).to_le_bytes());
        self.directory.extend((extra.len() as u16).to_le_bytes());
        self.directory.extend([0; 10]);
        let offset = if file.zip64 { u32::MAX } else { offset };
        self.directory
            .extend(file.lie.offset.unwrap_or(offset).to_le_bytes());
        self.directory.extend(&file.name);
        self.directory.extend(&extra);
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = [self.files.as_slice(), &self.directory].concat();
        let (size, offset, count) = (self.directory.len(), self.files.len(), self.count);
        if self.zip64_end {
            let end = bytes.len() as u64;
            bytes.extend(b"PK\x06\x06");
            bytes.extend(44_u64.to_le_bytes());
            bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for number in [count, count, size, offset] {
                bytes.extend((number as u64).to_le_bytes());
            }
            bytes.extend(b"PK\x06\x07\0\0\0\0");
            bytes.extend(end.to_le_bytes());
            bytes.extend([1, 0, 0, 0]);
        }
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        let (count, size, offset) = if self.zip64_end {
            (u16::MAX, u32::MAX, u32::MAX)
        } else {
            (count as u16, size as u32, offset as u32)
        };
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes.extend((self.comment.len() as u16).to_le_bytes());
        bytes.extend(&self.comment);
        bytes
    }
}

pub fn source(bytes: &[u8]) -> Source {
    Source::from_bytes("A comic.cbz", bytes.to_vec())
}

/// The bytes of each page as a client gets them: from the file, or from the plugin.
pub fn pages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut source = source(bytes);
    let list = svc_plugin_api::list_pages::<comics::Comics>(&mut source).unwrap();
    let pages = list.into_iter().enumerate().map(|(index, page)| match page.data {
        svc_plugin_api::PageData::At(span) => bytes[span.offset as usize..][..span.length as usize].to_vec(),
        svc_plugin_api::PageData::OnRequest => {
            svc_plugin_api::read_page::<comics::Comics>(&mut source, index as u32).unwrap()
        }
    });
    pages.collect()
}

pub fn extract(mut source: Source) -> Extraction {
    svc_plugin_api::run::<comics::Comics>(&mut source)
        .unwrap()
        .unwrap()
}

/// A field of the plugin, or one with its whole key, as text: `-` if it is missing, several texts joined by `|`, a date as `year-month-day`.
pub fn value(extraction: &Extraction, key: &str) -> String {
    let part = |part: Option<u8>| part.map(|part| format!("-{part:02}")).unwrap_or_default();
    let own = format!("x.comics.{key}");
    match extraction.value(if key.contains('.') { key } else { &own }) {
        None => "-".to_owned(),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Texts(texts)) => texts.join("|"),
        Some(Value::Integer(integer)) => integer.to_string(),
        Some(Value::Real(real)) => real.to_string(),
        Some(Value::Boolean(yes)) => yes.to_string(),
        Some(Value::Date(date)) => format!("{}{}{}", date.year, part(date.month), part(date.day)),
        Some(other) => format!("{other:?}"),
    }
}
