//! Tests of several versions of the interface at once, with a made-up 0.2 that grew from 0.1.

use svc_test_support::interfaces;
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use crate::bindings::svc::plugin::source::Host as _;
use crate::call::CallState;
use crate::interface::InterfaceVersion;
use crate::served::{Served, ServedVersion};
use crate::tests::*;

/// What the made-up version adds to 0.1.
const ADDED: interfaces::Change<'_> = (
    "source.wit",
    "size: func() -> u64;",
    "size: func() -> u64;\n    is-empty: func() -> bool;",
);

/// The functions of the made-up version: those of 0.1 and one more.
fn v0_2(linker: &mut Linker<CallState>, version: InterfaceVersion) -> wasmtime::Result<()> {
    host_functions::v0_1(linker, version)?;
    let mut source = linker.instance(&version.name_of("source"))?;
    source.func_wrap(
        "is-empty",
        |mut caller: StoreContextMut<'_, CallState>, (): ()| Ok((caller.data_mut().size()? == 0,)),
    )
}

static BOTH: [ServedVersion; 2] = [
    ServedVersion {
        version: InterfaceVersion("0.2.0"),
        link: v0_2,
    },
    ServedVersion {
        version: InterfaceVersion("0.1.0"),
        link: host_functions::v0_1,
    },
];

/// A title `ok` for a file that is empty, by the function that the made-up version adds.
const NEW_GUEST: &str = r#"
(import "svc:plugin/source@0.1.0" "is-empty" (func $is_empty (result i32)))
(data (i32.const 1040) "\01\00\00\00\00\20\00\00\02\00\00\00")
(data (i32.const 8192) "ok")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (i32.store8 (i32.const 1032) (call $is_empty))
  (i32.const 1024))
"#;

fn load(harness: &Harness) -> Plugins {
    Plugins::load_for(Served(&BOTH), &harness.settings, &[]).unwrap()
}

/// The guest for the made-up version, whose manifest names this version.
fn new_guest(interface: &str) -> Vec<u8> {
    let wit = interfaces::made_up("0.2.0", &[ADDED]);
    let component = guests::component_for(wit.path(), "0.2.0", NEW_GUEST);
    let manifest = guests::manifest("new").replace("\"0.1\"", &format!("\"{interface}\""));
    guests::with_manifest(component, &manifest)
}

/// A plugin of the museum and the record that it returns for its file.
fn piece(language: &str) -> (Vec<u8>, Vec<u8>) {
    let folder = guests::repository().join("tests/museum/v0.1").join(language);
    let component = fs::read(folder.join(format!("museum-{language}.wasm"))).unwrap();
    (component, fs::read(folder.join("fixtures/example.note")).unwrap())
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = (0..=bytes.len() - from.len())
        .filter(|&at| bytes[at..].starts_with(from))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + from.len()].copy_from_slice(to);
    }
    bytes
}

#[test]
fn plugins_for_both_versions_return_the_same_records() {
    for language in ["rust", "c"] {
        let (old, file) = piece(language);
        // The same code as its author would build it for the newer version.
        let new = replaced(&old, b"@0.1.0", b"@0.2.0");
        let new = replaced(&new, b"interface = \"0.1\"", b"interface = \"0.2\"");
        let records = [old, new].map(|component| {
            let harness = Harness::new().with("museum.wasm", &component);
            let plugins = load(&harness);
            assert_eq!(only_state(&plugins), PluginState::Active, "{language}");
            let plugin = plugins.handle(&format!("museum-{language}")).unwrap();
            let source = harness.source(&file);
            plugins.worker().extract(&plugin, &source).unwrap().unwrap()
        });
        assert!(!records[0].fields.is_empty(), "{records:?}");
        assert_eq!(records[0], records[1]);
    }
}

#[test]
fn plugins_of_both_versions_work_side_by_side() {
    let harness = Harness::new()
        .with_guest("good")
        .with("new.wasm", &new_guest("0.2"));
    let plugins = load(&harness);
    let read = |id: &str, content: &[u8]| {
        let plugin = plugins
            .handle(id)
            .unwrap_or_else(|| panic!("{:?}", plugins.list()));
        let outcome = plugins.worker().extract(&plugin, &harness.source(content));
        outcome.unwrap().and_then(|extraction| extraction.title)
    };
    assert_eq!(read("good", b"x").as_deref(), Some("ok"));
    assert_eq!(read("new", b"").as_deref(), Some("ok"));
    assert_eq!(read("new", b"x"), None);
}

#[test]
fn version_that_is_not_served_is_incompatible_and_the_served_ones_are_named() {
    let manifest = guests::manifest("later").replace("interface = \"0.1\"", "interface = \"0.3\"");
    let later = guests::with_manifest(interfaces::good_guest("0.3.0"), &manifest);
    let reason =
        "it is built for svc:plugin@0.3.0, this server supports svc:plugin@0.2.0 and svc:plugin@0.1.0";
    assert_eq!(
        only_state(&load(&Harness::new().with("later.wasm", &later))),
        PluginState::Incompatible {
            reason: reason.to_owned()
        }
    );
}

#[test]
fn function_of_a_newer_version_is_not_there_under_older_names() {
    let wit = interfaces::made_up("0.1.0", &[ADDED]);
    let component = guests::component_for(wit.path(), "0.1.0", NEW_GUEST);
    let ahead = guests::with_manifest(component, &guests::manifest("ahead"));
    let state = only_state(&load(&Harness::new().with("ahead.wasm", &ahead)));
    assert!(
        matches!(&state, PluginState::Failed { reason } if reason.contains("is-empty")),
        "{state:?}"
    );
}

#[test]
fn plugin_of_another_version_than_its_manifest_says_is_rejected() {
    let harness = Harness::new().with("new.wasm", &new_guest("0.1"));
    let state = only_state(&load(&harness));
    assert!(
        matches!(&state, PluginState::Failed { reason } if reason.contains("its manifest says `interface = \"0.1\"`")),
        "{state:?}"
    );
}

#[test]
fn every_function_of_the_interface_is_linked_and_called_with_its_types() {
    // Plugins of the cloud have another engine, and functions of their own.
    let component = interfaces::everything(&guests::repository().join("wit/v0.1"), &["cloud-client"]);
    let engine = engine::new_engine(engine::AddressSpace::Ample).unwrap();
    let component = wasmtime::component::Component::new(&engine, component).unwrap();
    let linker = Served::default().linker(&engine).unwrap();
    let mut store = wasmtime::Store::new(&engine, CallState::new("all".into(), Default::default(), 1 << 20));
    store.set_epoch_deadline(1);
    let instance = linker.instantiate(&mut store, &component).unwrap();
    let indices = exports::ExportIndices::new(&component, InterfaceVersion(INTERFACE_VERSION)).unwrap();
    let found = indices.load(&mut store, &instance).unwrap();
    assert!(found.extract.is_some() && found.read_picture.is_some());
    assert!(found.list_pages.is_some() && found.read_page.is_some());
    assert!(found.render.is_some() && found.analyze.is_some());
}
