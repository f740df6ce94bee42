//! The bytes of the API description and of its page.

use std::sync::OnceLock;

use bytes::Bytes;
use svc_swagger_ui::ASSETS;

use crate::openapi;
use crate::route::Route;

/// The document and the files of the page, made on first use. All responses share the bytes.
#[derive(Debug, Default)]
pub struct ApiReference {
    document: OnceLock<Bytes>,
    files: OnceLock<Vec<(&'static str, &'static str, Bytes)>>,
}

impl ApiReference {
    /// The document that describes these routes.
    pub fn document(&self, routes: &[Route]) -> Bytes {
        let document = self
            .document
            .get_or_init(|| openapi::document_text(routes).into());
        document.clone()
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
