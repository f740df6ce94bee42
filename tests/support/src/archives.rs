//! ZIP archives made in code.

/// A file of an archive.
#[derive(Debug, Clone)]
pub struct Packed<'a> {
    pub name: &'a str,
    pub content: &'a [u8],
    /// Deflated, otherwise stored.
    pub is_deflated: bool,
    /// The size that the archive states instead of the true one.
    pub stated_size: Option<u32>,
}

impl<'a> Packed<'a> {
    /// A file that is stored unchanged.
    pub fn stored(name: &'a str, content: &'a [u8]) -> Self {
        Self {
            name,
            content,
            is_deflated: false,
            stated_size: None,
        }
    }

    /// A file that is compressed.
    pub fn deflated(name: &'a str, content: &'a [u8]) -> Self {
        Self {
            is_deflated: true,
            ..Self::stored(name, content)
        }
    }
}

/// An archive of these files.
pub fn zip(files: &[Packed<'_>]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let packed = if file.is_deflated {
            miniz_oxide::deflate::compress_to_vec(file.content, 6)
        } else {
            file.content.to_vec()
        };
        let size = file.stated_size.unwrap_or(file.content.len() as u32);
        let mut header = vec![20, 0, 0, 0];
        header.extend(if file.is_deflated { [8, 0] } else { [0, 0] });
        header.extend([0; 4]);
        header.extend(checksum(file.content).to_le_bytes());
        header.extend((packed.len() as u32).to_le_bytes());
        header.extend(size.to_le_bytes());
        header.extend((file.name.len() as u16).to_le_bytes());
        header.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&header);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(file.name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&header);
        archive.extend(file.name.as_bytes());
        archive.extend(packed);
    }
    let (count, size, offset) = (files.len() as u16, directory.len() as u32, archive.len() as u32);
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    archive.extend(size.to_le_bytes());
    archive.extend(offset.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| {
        let shifted = sum >> 1;
        if sum & 1 == 1 {
            shifted ^ 0xedb8_8320
        } else {
            shifted
        }
    };
    let each = |sum: u32, byte: &u8| (0..8).fold(sum ^ u32::from(*byte), step);
    !bytes.iter().fold(!0, each)
}
