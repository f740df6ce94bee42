//! `cargo run --example describe FILE...`: what the library finds in files, one line of JSON each.
#![allow(clippy::unwrap_used, reason = "a tool for development")]

use std::fs::File;

use serde_json::json;
use svc_plugin_api::Source;

fn main() {
    for path in std::env::args().skip(1) {
        let mut source = Source::from_reader(&path, File::open(&path).unwrap()).unwrap();
        let found = match video::read(&mut source) {
            Ok(video) => json!({
                "path": path,
                "reads": source.host_reads(),
                "container": video.container,
                "durationMs": video.duration_ms,
                "bitrate": video.bitrate,
                "streams": video.streams,
                "chapters": video.chapters,
                "title": video.tags.title,
                "tags": format!("{:?}", video.tags),
                "pictures": video.pictures.len(),
            }),
            Err(error) => json!({ "path": path, "error": error.to_string() }),
        };
        println!("{found}");
    }
}
