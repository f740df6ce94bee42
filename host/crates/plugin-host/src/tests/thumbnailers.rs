//! Tests of thumbnailers: their input, and the validation of their output.

use crate::tests::*;
use svc_domain::rendering::{ImageBounds, ImageFormat};

const SIZES: [ImageBounds; 2] = [ImageBounds::square(10), ImageBounds::square(20)];

fn rendered(content: &[u8]) -> Result<usize, &'static str> {
    let bytes = guests::renderer("thumbnailer", "drawer");
    let harness = Harness::new().with("drawer.wasm", &bytes);
    let plugins = harness.load();
    let plugin = plugins
        .thumbnailer_for("JPG")
        .unwrap_or_else(|| panic!("{:?}", plugins.list()));
    let images = plugins.worker().render(&plugin, &harness.source(content), &SIZES);
    let images = images.map_err(|failure| failure.code())?;
    assert!(images.iter().all(|image| image.format == ImageFormat::Jpeg));
    Ok(images.len())
}

#[test]
fn thumbnailer_returns_one_image_per_size() {
    assert_eq!(rendered(b"any"), Ok(2));
}

#[test]
fn thumbnailer_failures_and_invalid_output_are_distinguished() {
    assert_eq!(rendered(b"broken"), Err("invalid"));
    assert_eq!(rendered(b"html"), Err("bad_output"));
    assert_eq!(rendered(b"one more"), Err("bad_output"));
    assert_eq!(rendered(b"slow"), Err("timeout"));
}

#[test]
fn thumbnailer_reads_parts_of_files_and_bytes_in_memory() {
    let bytes = guests::renderer("thumbnailer", "drawer");
    let harness = Harness::new().with("drawer.wasm", &bytes);
    let plugins = harness.load();
    let plugin = plugins.thumbnailer_for("image/png").unwrap();
    let path = harness.dir.path().join("file");
    fs::write(&path, b"any broken any").unwrap();
    let part = |offset, size| SourceFile::part(fs::File::open(&path).unwrap(), "x.mp3", offset, size);
    let mut worker = plugins.worker();
    let mut code = |source: SourceFile| {
        let outcome = worker.render(&plugin, &Arc::new(source), &SIZES);
        outcome.map_or_else(|failure| failure.code(), |_| "drawn")
    };
    assert_eq!(code(part(4, 6)), "invalid");
    assert_eq!(code(part(0, 14)), "drawn");
    assert_eq!(code(part(11, 3)), "drawn");
    assert_eq!(code(SourceFile::in_memory(b"broken".to_vec(), "x")), "invalid");
    assert_eq!(code(SourceFile::in_memory(b"any".to_vec(), "x")), "drawn");
}

#[test]
fn thumbnailer_is_not_an_extractor() {
    let bytes = guests::renderer("thumbnailer", "drawer");
    let harness = Harness::new().with("drawer.wasm", &bytes).with_guest("good");
    let plugins = harness.load();
    assert_eq!(plugins.kinds(), [MediaKind::music()]);
    assert!(plugins.for_extension("jpg").is_none());
    assert!(plugins.thumbnailer_for("shared").is_none());
    assert!(plugins.waveform_analyzer_for("jpg").is_none());
    let drawer = plugins.handle("drawer").unwrap();
    let mut worker = plugins.worker();
    assert_eq!(
        code(&worker.extract(&drawer, &harness.source(b"x"))),
        "unsupported"
    );
    let good = plugins.handle("good").unwrap();
    let outcome = worker.render(&good, &harness.source(b"x"), &SIZES);
    assert_eq!(outcome.unwrap_err().code(), "unsupported");
}

#[test]
fn manifest_and_exports_have_to_match() {
    let state = |manifest: &str| {
        let component = guests::component(&guests::body("good"));
        only_state(
            &Harness::new()
                .with("x.wasm", &guests::with_manifest(component, manifest))
                .load(),
        )
    };
    let thumbnailer = guests::manifest("guest") + "\n[thumbnailer]\nextensions = [\"jpg\"]\n";
    assert!(
        matches!(state(&thumbnailer), PluginState::Failed { reason } if reason.contains("does not export `svc:plugin/thumbnailer"))
    );
    let waveform = guests::manifest("guest").replace("[[kinds]]\nkind = \"music\"", "[waveform]");
    assert!(
        matches!(state(&waveform), PluginState::Failed { reason } if reason.contains("has no `[[kinds]]`"))
    );
}
