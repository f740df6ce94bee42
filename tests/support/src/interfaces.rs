//! Versions of the plugin interface as folders of WIT: made-up ones, and whether one grows into the next.

use std::collections::BTreeSet;
use std::path::Path;

use tempfile::TempDir;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata, semver_check};
use wit_parser::{InterfaceId, ManglingAndAbi, PackageId, Resolve, WorldId};

use crate::guests::{body, component_for, repository};

/// A change of a file: its name, a text in it and what replaces it.
pub type Change<'a> = (&'a str, &'a str, &'a str);

/// The interface 0.1 as a folder of another version, such as `0.2.0`, after these changes.
pub fn made_up(version: &str, changes: &[Change<'_>]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut unused: BTreeSet<_> = changes.iter().collect();
    for entry in std::fs::read_dir(repository().join("wit/v0.1")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        for change in changes.iter().filter(|(file, ..)| *file == name) {
            let (_, from, to) = change;
            assert!(text.contains(from), "{name} does not contain {from:?}");
            text = text.replacen(from, to, 1);
            unused.remove(change);
        }
        std::fs::write(dir.path().join(name), text.replace("0.1.0", version)).unwrap();
    }
    assert!(unused.is_empty(), "no such file: {unused:?}");
    dir
}

/// The guest `good` for another version of the interface.
pub fn good_guest(version: &str) -> Vec<u8> {
    let interface = made_up(version, &[]);
    component_for(interface.path(), version, &body("good"))
}

/// A component that imports every function that the worlds of this folder import, and exports all that they export.
/// Without some worlds.
pub fn everything(wit: &Path, without: &[&str]) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(wit).unwrap();
    let worlds = resolve.packages[package].worlds.keys();
    let includes: Vec<String> = worlds
        .filter(|world| !without.contains(&world.as_str()))
        .map(|world| format!("include {};", resolve.id_of_name(package, world)))
        .collect();
    let text = format!(
        "package svc:everything; world everything {{ {} }}",
        includes.join("\n")
    );
    let package = resolve.push_str("everything.wit", &text).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .unwrap()
        .encode()
        .unwrap()
}

/// What keeps plugins that are built for the interface of one folder from being served by the next; nothing if the next
/// has additions alone.
pub fn breaks(before: &Path, next: &Path) -> Vec<String> {
    let mut resolve = Resolve::default();
    let (before, _) = resolve.push_dir(before).unwrap();
    let (next, _) = resolve.push_dir(next).unwrap();
    let mut breaks = Vec::new();
    for (name, world) in &resolve.packages[before].worlds {
        match resolve.packages[next].worlds.get(name) {
            Some(next) => breaks.extend(world_breaks(&resolve, name, *world, *next)),
            None => breaks.push(format!("the world `{name}` is gone")),
        }
    }
    breaks.extend(missing(&resolve, before, next));
    breaks
}

/// A world is served if each component of the old one is one of the new one: it may have more to import, and exports
/// what it did.
fn world_breaks(resolve: &Resolve, name: &str, before: WorldId, next: WorldId) -> Vec<String> {
    let exports = |world: WorldId| -> BTreeSet<String> {
        let keys = resolve.worlds[world].exports.keys();
        let names = keys.map(|key| resolve.name_world_key(key));
        names
            .map(|name| name.split('@').next().unwrap_or_default().to_owned())
            .collect()
    };
    let gone = exports(before);
    let gone = gone.difference(&exports(next)).cloned().collect::<Vec<_>>();
    let gone = gone
        .into_iter()
        .map(|export| format!("the world `{name}` does not export `{export}`"));
    let changed = semver_check(resolve.clone(), before, next).err();
    gone.chain(changed.map(|error| format!("the world `{name}`: {error:#}")))
        .collect()
}

/// Interfaces, functions and types that are gone, whether a world uses them or not.
fn missing(resolve: &Resolve, before: PackageId, next: PackageId) -> Vec<String> {
    let names = |id: InterfaceId| -> BTreeSet<&String> {
        let interface = &resolve.interfaces[id];
        interface.functions.keys().chain(interface.types.keys()).collect()
    };
    let mut missing = Vec::new();
    for (name, interface) in &resolve.packages[before].interfaces {
        let Some(next) = resolve.packages[next].interfaces.get(name) else {
            missing.push(format!("the interface `{name}` is gone"));
            continue;
        };
        let gone = names(*interface);
        let gone = gone.difference(&names(*next)).copied().collect::<Vec<_>>();
        missing.extend(
            gone.into_iter()
                .map(|item| format!("`{item}` of the interface `{name}` is gone")),
        );
    }
    missing
}
