//! Compresses the files of Swagger UI that the page loads.

#![expect(clippy::disallowed_methods, reason = "a build script reads its environment")]

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use salvo_oapi::swagger_ui;

/// Compression level, from 0 (stored) to 10 (smallest).
const EFFORT: u8 = 9;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let config = swagger_ui::Config::new([""]);
    for name in ["swagger-ui.css", "swagger-ui-bundle.js"] {
        let file = swagger_ui::serve(name, "", "", "", &config)?;
        let file = file.ok_or_else(|| format!("salvo-oapi has no {name}"))?;
        let deflated = miniz_oxide::deflate::compress_to_vec(&file.bytes, EFFORT);
        fs::write(out.join(name), deflated)?;
    }
    Ok(())
}
