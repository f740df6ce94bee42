//! The files of Swagger UI that the API reference page loads. The build script compresses them.

use std::io;

/// A file of Swagger UI.
#[derive(Debug)]
pub struct Asset {
    /// File name, without a directory.
    pub name: &'static str,
    /// Value of `Content-Type`.
    pub content_type: &'static str,
    deflated: &'static [u8],
}

/// The style sheet and the script.
pub static ASSETS: [Asset; 2] = [
    Asset {
        name: "swagger-ui.css",
        content_type: "text/css",
        deflated: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css")),
    },
    Asset {
        name: "swagger-ui-bundle.js",
        content_type: "text/javascript",
        deflated: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js")),
    },
];

impl Asset {
    /// Decompresses the file.
    ///
    /// # Errors
    /// If the program's own data is damaged.
    pub fn bytes(&self) -> io::Result<Vec<u8>> {
        miniz_oxide::inflate::decompress_to_vec(self.deflated).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_what_its_name_says() {
        let text = |index: usize| String::from_utf8(ASSETS[index].bytes().unwrap()).unwrap();
        assert!(text(0).starts_with(".swagger-ui"));
        assert!(text(1).contains("SwaggerUIBundle"));
        for asset in &ASSETS {
            assert!(
                asset.deflated.len() * 3 < asset.bytes().unwrap().len(),
                "{}",
                asset.name
            );
        }
    }
}
