//! Where the bytes of a source come from: the host, memory or a reader.

use std::io::{Read, Seek, SeekFrom};

use crate::IoError;

pub(super) enum Backend {
    /// The import `svc:plugin/source`.
    #[cfg(target_arch = "wasm32")]
    Host,
    Bytes(Vec<u8>),
    Reader(Box<dyn ReadSeek>),
}

/// `Send` and `Sync` because some decoders require them of their input.
pub(super) trait ReadSeek: Read + Seek + Send + Sync {}
impl<T: Read + Seek + Send + Sync> ReadSeek for T {}

impl Backend {
    pub(super) fn read_at(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, IoError> {
        match self {
            #[cfg(target_arch = "wasm32")]
            Self::Host => crate::bindings::source::read_at(offset, u32::try_from(length).unwrap_or(u32::MAX)),
            Self::Bytes(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                Ok(bytes.get(start..end).unwrap_or_default().to_vec())
            }
            Self::Reader(reader) => {
                let mut bytes = Vec::with_capacity(length);
                reader
                    .seek(SeekFrom::Start(offset))
                    .and_then(|_| reader.take(length as u64).read_to_end(&mut bytes))
                    .map_err(|error| IoError::Failed(error.to_string()))?;
                Ok(bytes)
            }
        }
    }
}
