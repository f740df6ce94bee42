//! Pinned contracts: the API description and the plugin interface.

use sha2::{Digest, Sha256};
use svc_tests::workspace;

#[test]
fn openapi_document_is_the_pinned_one() {
    let made = serde_json::to_value(svc_api::openapi::document(&svc_api::router::routes())).unwrap();
    let pinned = std::fs::read_to_string(workspace().join("host/openapi.json")).unwrap();
    let pinned: serde_json::Value = serde_json::from_str(&pinned).unwrap();
    assert!(
        made == pinned,
        "host/openapi.json is not what the handlers say: run `cargo xtask openapi` and review"
    );
}

#[test]
fn plugin_interface_is_the_released_one() {
    let wit = workspace().join("wit");
    let pinned = std::fs::read_to_string(wit.join("released.txt")).unwrap();
    for line in pinned.lines().filter(|line| !line.starts_with('#')) {
        let (version, digest) = line.split_once(' ').unwrap();
        let mut files: Vec<_> = std::fs::read_dir(wit.join(version))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        files.sort();
        let mut hash = Sha256::new();
        for file in &files {
            hash.update(file.file_name().unwrap().as_encoded_bytes());
            hash.update(std::fs::read(file).unwrap());
        }
        let made: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            made, digest,
            "wit/{version} is released and frozen; make a new folder instead"
        );
    }
}

/// A package of crates.io contains its own files alone, so the SDK has a copy.
#[test]
fn interface_in_the_sdk_is_that_of_the_repository() {
    let files = |folder: &str| -> std::collections::BTreeMap<_, _> {
        let entries = std::fs::read_dir(workspace().join(folder)).unwrap();
        let read = |entry: std::io::Result<std::fs::DirEntry>| {
            let path = entry.unwrap().path();
            (
                path.file_name().unwrap().to_owned(),
                std::fs::read_to_string(path).unwrap(),
            )
        };
        entries.map(read).collect()
    };
    assert!(
        files("wit/v0.1") == files("plugin-api/wit/v0.1"),
        "copy wit/v0.1/*.wit to plugin-api/wit/v0.1/"
    );
    for source in svc_tests::rust_sources(&workspace().join("plugin-api/src")) {
        assert!(
            !source.text.contains("\"../"),
            "{} leaves the package",
            source.path
        );
    }
}

#[test]
fn example_of_the_sdk_has_a_valid_manifest() {
    let text = std::fs::read(workspace().join("plugin-api/plugin.toml")).unwrap();
    let manifest = svc_plugin_host::Manifest::parse(&text).unwrap();
    assert_eq!((manifest.id.as_str(), manifest.kinds.len()), ("notes", 1));
}
