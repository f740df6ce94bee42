//! The folder names and sidecar files of the current call, from the host or from a test.

use super::{HOST_READ_BYTES, Source};
use crate::{IoError, RelatedFile};

pub(crate) enum Related {
    /// The import `svc:plugin/related`.
    #[cfg(target_arch = "wasm32")]
    Host,
    Given(Given),
}

/// The folders and files that a test provides.
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
    /// Adds to what the test provides.
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
                let (_, bytes) = file.ok_or_else(|| IoError::Failed(format!("no related file {name}")))?;
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                Ok(bytes.get(start..end).unwrap_or_default().to_vec())
            }
        }
    }
}

impl Source {
    /// Sets the folders of the file for a test, outermost first.
    #[must_use]
    pub fn with_folders<N: Into<String>>(mut self, folders: impl IntoIterator<Item = N>) -> Self {
        self.related
            .give(|given| given.folders.extend(folders.into_iter().map(Into::into)));
        self
    }

    /// Adds a sidecar file for a test.
    #[must_use]
    pub fn with_related(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.related
            .give(|given| given.files.push((name.to_owned(), bytes.into())));
        self
    }

    /// The names of the folders between the media root and the file, outermost first.
    pub fn folders(&self) -> Vec<String> {
        self.related.folders()
    }

    /// The sidecar files with an extension that the manifest's `related` lists. Their names are relative to the
    /// file's folder: `movie.nfo`, `Subs/English.srt`, `../tvshow.nfo`.
    pub fn related(&self) -> Vec<RelatedFile> {
        self.related.files()
    }

    /// The first `most` bytes of one of the [`related`](Self::related) files.
    ///
    /// # Errors
    /// If the read failed. Unlike a failed read of the source, this does not fail the call of [`run`](crate::run).
    pub fn read_related(&mut self, name: &str, most: usize) -> Result<Vec<u8>, IoError> {
        let mut bytes = Vec::new();
        while bytes.len() < most {
            let wanted = (most - bytes.len()).min(HOST_READ_BYTES);
            let part = self.related.read_at(name, bytes.len() as u64, wanted)?;
            if part.is_empty() {
                break;
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_has_folders_and_related_files() {
        let mut source = Source::from_bytes("a.mkv", vec![0; 10])
            .with_folders(["Show", "Season 1"])
            .with_related("a.nfo", vec![7; 3000]);
        assert_eq!(source.folders(), ["Show", "Season 1"]);
        let files = source.related();
        assert_eq!((files[0].name.as_str(), files[0].size), ("a.nfo", 3000));
        assert_eq!(source.read_related("a.nfo", 2000).unwrap(), vec![7; 2000]);
        assert_eq!(source.read_related("a.nfo", 9000).unwrap(), vec![7; 3000]);
        assert!(matches!(source.read_related("b.nfo", 1), Err(IoError::Failed(_))));
    }
}
