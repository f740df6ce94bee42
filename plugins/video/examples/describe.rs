//! `cargo run --example describe FILE...`: prints the fields of video files, one line of JSON each.
#![allow(clippy::unwrap_used, reason = "a tool for development")]

use std::fs::File;

use serde_json::{Map, json};
use svc_plugin_api::{ExtractionBuilder, Source, Value};

fn main() {
    for path in std::env::args().skip(1) {
        let mut source = Source::from_reader(&path, File::open(&path).unwrap()).unwrap();
        let found = video::read(&mut source);
        let mut line = Map::from_iter([
            ("path".to_owned(), path.into()),
            ("reads".to_owned(), source.host_reads().into()),
        ]);
        match found {
            Ok(video) => {
                let mut extraction = ExtractionBuilder::new();
                video.write(&mut extraction);
                let extraction = extraction.finish().unwrap();
                line.insert("duration-ms".into(), extraction.duration_ms.into());
                line.insert("pictures".into(), extraction.pictures.len().into());
                for field in extraction.fields {
                    let value = match field.value {
                        Value::Text(text) => json!(text),
                        Value::Texts(texts) => json!(texts),
                        Value::Integer(number) => json!(number),
                        other => json!(format!("{other:?}")),
                    };
                    line.insert(field.key, value);
                }
            }
            Err(error) => drop(line.insert("error".into(), error.to_string().into())),
        }
        println!("{}", serde_json::Value::Object(line));
    }
}
