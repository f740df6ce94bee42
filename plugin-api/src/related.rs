//! What lies around the file of one call: asked of the host, or given by a test.

use crate::{IoError, RelatedFile};

/// Where the answers come from.
pub(crate) enum Related {
    /// The import `svc:plugin/related`.
    #[cfg(target_arch = "wasm32")]
    Host,
    Given(Given),
}

/// What a test says.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) folders: Vec<String>,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

impl Default for Related {
    fn default() -> Self {
        Self::Given(Given::default())
    }
}

impl Related {
    /// Adds to what is given.
    pub(crate) fn give(&mut self, add: impl FnOnce(&mut Given)) {
        let mut given = match std::mem::take(self) {
            Self::Given(given) => given,
            #[cfg(target_arch = "wasm32")]
            Self::Host => Given::default(),
        };
        add(&mut given);
        *self = Self::Given(given);
    }

    pub(crate) fn folders(&self) -> Vec<String> {
        match self {
            #[cfg(target_arch = "wasm32")]
            Self::Host => crate::bindings::related::folders(),
            Self::Given(given) => given.folders.clone(),
        }
    }

    pub(crate) fn files(&self) -> Vec<RelatedFile> {
        match self {
            #[cfg(target_arch = "wasm32")]
            Self::Host => crate::bindings::related::files(),
            Self::Given(given) => {
                let file = |(name, bytes): &(String, Vec<u8>)| RelatedFile {
                    name: name.clone(),
                    size: bytes.len() as u64,
                };
                given.files.iter().map(file).collect()
            }
        }
    }

    pub(crate) fn read_at(&self, name: &str, offset: u64, length: usize) -> Result<Vec<u8>, IoError> {
        match self {
            #[cfg(target_arch = "wasm32")]
            Self::Host => {
                crate::bindings::related::read_at(name, offset, u32::try_from(length).unwrap_or(u32::MAX))
            }
            Self::Given(given) => {
                let file = given.files.iter().find(|(known, _)| known == name);
                let (_, bytes) = file.ok_or_else(|| IoError::Failed(format!("no file {name} beside it")))?;
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                Ok(bytes.get(start..end).unwrap_or_default().to_vec())
            }
        }
    }
}
