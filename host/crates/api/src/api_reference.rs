//! The bytes of the API description and of its page.

use std::sync::OnceLock;

use bytes::Bytes;
use svc_swagger_ui::ASSETS;

/// The document and the files of the page, made on first use. All responses share the bytes.
#[derive(Debug, Default)]
pub struct ApiReference {
    document: OnceLock<Bytes>,
    files: OnceLock<Vec<(&'static str, &'static str, Bytes)>>,
}

impl ApiReference {
    /// The document, which `describe` writes at the first call.
    pub fn document(&self, describe: impl FnOnce() -> String) -> Bytes {
        self.document.get_or_init(|| describe().into()).clone()
    }

    /// Name, content type and decompressed bytes of each file.
    pub fn files(&self) -> &[(&'static str, &'static str, Bytes)] {
        self.files.get_or_init(|| {
            let files = ASSETS
                .iter()
                .filter_map(|asset| Some((asset.name, asset.content_type, asset.bytes().ok()?.into())));
            files.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_share_the_files_of_the_reference() {
        let reference = ApiReference::default();
        assert_eq!(reference.files().len(), ASSETS.len());
        for ((name, _, bytes), (_, _, again)) in reference.files().iter().zip(reference.files()) {
            assert!(!bytes.is_empty(), "{name}");
            assert_eq!(bytes.as_ptr(), again.clone().as_ptr(), "{name}");
        }
    }
}
