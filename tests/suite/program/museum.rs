//! The plugins of `tests/museum`: each still loads, passes the conformance tests and returns its records.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use svc_tests::program::program;
use svc_tests::workspace;

/// The folders below a folder.
fn folders(path: PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The component of a plugin; a large one is unpacked beside its fixtures in a folder of the test.
fn piece(plugin: &Path, language: &str, unpacked: &Path) -> PathBuf {
    let component = plugin.join(format!("museum-{language}.wasm"));
    if component.is_file() {
        return component;
    }
    let parts = (1..).map(|number| component.with_extension(format!("wasm.deflate.{number}")));
    let packed: Vec<u8> = parts.map_while(|part| fs::read(part).ok()).flatten().collect();
    let folder = unpacked.join(language);
    fs::create_dir_all(folder.join("fixtures")).unwrap();
    for fixture in fs::read_dir(plugin.join("fixtures")).unwrap() {
        let fixture = fixture.unwrap();
        fs::copy(fixture.path(), folder.join("fixtures").join(fixture.file_name())).unwrap();
    }
    let component = folder.join(format!("museum-{language}.wasm"));
    fs::write(
        &component,
        miniz_oxide::inflate::decompress_to_vec(&packed).unwrap(),
    )
    .unwrap();
    component
}

#[test]
fn plugins_of_every_version_of_the_interface_are_served() {
    let names = |folders: &[PathBuf]| -> Vec<String> {
        let names = folders.iter().map(|folder| folder.file_name().unwrap());
        names.map(|name| name.to_str().unwrap().to_owned()).collect()
    };
    let versions = folders(workspace().join("tests/museum"));
    assert_eq!(names(&versions), names(&folders(workspace().join("wit"))));
    let cache = tempfile::tempdir().unwrap();
    for version in versions {
        let plugins = folders(version.clone());
        assert_eq!(
            names(&plugins),
            ["c", "js", "python", "rust"],
            "{}",
            version.display()
        );
        for plugin in plugins {
            let language = plugin.file_name().unwrap().to_str().unwrap();
            let component = piece(&plugin, language, cache.path());
            let output = Command::new(program())
                .args(["plugin", "--json", "test", component.to_str().unwrap()])
                .env_clear()
                .env("XDG_CACHE_HOME", cache.path())
                .output()
                .unwrap();
            let said: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(0), "{}: {said:#}", component.display());
            assert_eq!(said["golden"][0]["status"], "passed", "{said:#}");
        }
    }
}
