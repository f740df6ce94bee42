//! Tests of the built-in plugins, as built by `cargo xtask build`, with real files.

use crate::tests::*;

pub(super) fn built(name: &'static str) -> BuiltIn {
    let path = guests::repository()
        .join("target/plugins")
        .join(format!("{name}.wasm"));
    let bytes = fs::read(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; build the plugins first: cargo xtask build",
            path.display()
        )
    });
    BuiltIn {
        name,
        component: Component::Plain(bytes.leak()),
    }
}

#[test]
fn first_party_plugins_load_and_import_what_they_declare() {
    let harness = Harness::new();
    let plugins = Plugins::load(&harness.settings, &[built("music"), built("photos")]).unwrap();
    for status in plugins.list() {
        assert_eq!(status.state, PluginState::Active, "{status:?}");
    }
    assert!(plugins.for_file(&MediaKind::music(), "mp3").is_some());
    assert!(plugins.for_file(&MediaKind::photos(), "jpg").is_some());
}

#[test]
fn plugins_that_define_kinds_load_like_those_of_outsiders() {
    let harness = Harness::new();
    let plugins = Plugins::load(&harness.settings, &[built("audiobooks"), built("comics")]).unwrap();
    for (kind, extension, abilities) in [
        ("audiobooks", "m4b", &["extractor", "artwork"][..]),
        ("comics", "cbz", &["extractor", "artwork", "pages"]),
    ] {
        let kind: MediaKind = kind.parse().unwrap();
        let plugin = plugins
            .for_file(&kind, extension)
            .unwrap_or_else(|| panic!("{:?}", plugins.list()));
        assert_eq!(plugin.status().abilities, abilities);
        assert!(plugins.kind_schema(&kind).is_some());
    }
}

#[test]
fn music_plugin_reads_a_title_from_a_tag() {
    let harness = Harness::new();
    let plugins = Plugins::load(&harness.settings, &[built("music")]).unwrap();
    let plugin = plugins.for_file(&MediaKind::music(), "mp3").unwrap();
    let outcome = plugins
        .worker()
        .extract(&plugin, &harness.source(&mp3_with_title("A title")));
    assert_eq!(title(outcome), "A title");
}

#[test]
fn music_plugin_keeps_no_state_between_files() {
    let mut harness = Harness::new();
    harness.settings.isolation.built_in = Isolation::Worker;
    let plugins = Plugins::load(&harness.settings, &[built("music")]).unwrap();
    let plugin = plugins.for_file(&MediaKind::music(), "mp3").unwrap();
    let (first, second) = (mp3_with_title("First"), mp3_with_title("A second one"));
    let fresh = plugins.worker().extract(&plugin, &harness.source(&first));
    let mut worker = plugins.worker();
    let reused = [&first, &second, &first].map(|content| worker.extract(&plugin, &harness.source(content)));
    assert_eq!(reused[0], fresh);
    assert_ne!(reused[1], fresh);
    assert_eq!(reused[2], fresh);
}

/// An ID3v2.4 tag with a title, and ten frames of silence (MPEG 1, layer III, 128 kbit/s, 44.1 kHz).
fn mp3_with_title(text: &str) -> Vec<u8> {
    let mut frame = b"TIT2\0\0\0".to_vec();
    frame.extend([text.len() as u8 + 1, 0, 0, 3]);
    frame.extend(text.as_bytes());
    let mut file = b"ID3\x04\0\0\0\0\0".to_vec();
    file.push(frame.len() as u8);
    file.extend(frame);
    for _ in 0..10 {
        file.extend([0xff, 0xfb, 0x90, 0x00]);
        file.extend([0; 413]);
    }
    file
}
