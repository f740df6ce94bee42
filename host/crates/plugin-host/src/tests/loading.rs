//! Tests of rejected plugins and the reasons that operators read.

use svc_covers::covers;
use svc_test_support::interfaces;

use crate::tests::*;

fn state_of(bytes: &[u8]) -> PluginState {
    only_state(&Harness::new().with("x.wasm", bytes).load())
}

#[track_caller]
fn fails_with(bytes: &[u8], expected: &str) {
    let state = state_of(bytes);
    assert!(
        matches!(&state, PluginState::Failed { reason } if reason.contains(expected)),
        "{state:?}"
    );
}

#[test]
fn other_version_of_the_interface_is_incompatible_and_names_both() {
    let bytes = guests::with_manifest(interfaces::good_guest("9.0.0"), &guests::manifest("guest"));
    let reason = "it is built for svc:plugin@9.0.0, this server supports svc:plugin@0.1.0".to_owned();
    assert_eq!(state_of(&bytes), PluginState::Incompatible { reason });
}

#[test]
fn other_version_in_the_manifest_is_incompatible() {
    let manifest = guests::manifest("guest").replace("interface = \"0.1\"", "interface = \"0.2\"");
    let bytes = guests::with_manifest(guests::component(&guests::body("good")), &manifest);
    assert!(matches!(state_of(&bytes), PluginState::Incompatible { .. }));
}

#[covers("T44")]
#[test]
fn import_that_is_not_offered_is_rejected() {
    let component =
        wat::parse_str(r#"(component (import "wasi:filesystem/preopens@0.2.0" (instance)))"#).unwrap();
    let bytes = guests::with_manifest(component, &guests::manifest("guest"));
    fails_with(&bytes, "imports `wasi:filesystem/preopens@0.2.0`");
    fails_with(
        &bytes,
        "build for wasm32-unknown-unknown instead of wasm32-wasip2",
    );
    let other = wat::parse_str(r#"(component (import "svc:plugin/network@0.1.0" (instance)))"#).unwrap();
    let bytes = guests::with_manifest(other, &guests::manifest("guest"));
    fails_with(
        &bytes,
        "there are `source`, `related`, `settings`, `log` of svc:plugin",
    );
}

#[test]
fn import_without_a_permission_is_rejected() {
    let manifest = guests::manifest("guest").replace("log =", "# log =");
    let bytes = guests::with_manifest(guests::component(&guests::body("good")), &manifest);
    fails_with(
        &bytes,
        "no permission `log`: add `log = \"(the reason)\"` to `[permissions]`",
    );
}

#[test]
fn bytes_that_are_no_component_are_rejected() {
    fails_with(b"", "not WebAssembly");
    fails_with(&[0x5a; 4096], "not WebAssembly");
    fails_with(
        &wat::parse_str("(module)").unwrap(),
        "core module, not a component: `svc plugin build`",
    );
    fails_with(
        &guests::with_manifest(wat::parse_str("(component)").unwrap(), &guests::manifest("guest")),
        "does not export",
    );
}

#[test]
fn compiled_code_in_the_plugin_directory_is_not_a_plugin() {
    let code = engine::new_engine(engine::AddressSpace::Ample)
        .unwrap()
        .precompile_component(&guests::plugin("good", "guest"))
        .unwrap();
    fails_with(&code, "not WebAssembly");
    let plugins = Harness::new().with("x.cwasm", &code).load();
    assert!(plugins.list().is_empty());
}

#[test]
fn export_of_another_type_is_rejected() {
    let component = wat::parse_str(
        r#"(component
            (core module $m (func (export "extract") (result i32) (i32.const 0)))
            (core instance $i (instantiate $m))
            (func $f (result u32) (canon lift (core func $i "extract")))
            (instance $e (export "extract" (func $f)))
            (export "svc:plugin/extractor@0.1.0" (instance $e)))"#,
    );
    fails_with(
        &guests::with_manifest(component.unwrap(), &guests::manifest("guest")),
        "does not start",
    );
}

#[test]
fn truncated_and_altered_components_are_rejected_quickly() {
    let good = guests::plugin("good", "guest");
    let harness = Harness::new();
    let plugins = harness.load();
    drop(plugins);
    for cut in (0..good.len()).step_by(good.len() / 40) {
        let state = state_of(&good[..cut]);
        assert!(
            matches!(state, PluginState::Failed { .. }),
            "cut at {cut}: {state:?}"
        );
    }
    for at in (0..good.len()).step_by(good.len() / 100) {
        let mut altered = good.clone();
        altered[at] ^= 0x55;
        let before = std::time::Instant::now();
        // Some alterations, in a name or a constant, are harmless; none may crash the host.
        state_of(&altered);
        assert!(before.elapsed().as_secs() < 5, "altered at {at}");
    }
}

#[test]
fn oversized_file_is_rejected_without_reading_it_all() {
    let harness = Harness::new();
    let file = fs::File::create(harness.plugin_dir().join("x.wasm")).unwrap();
    file.set_len(10 << 30).unwrap();
    let state = only_state(&harness.load());
    assert!(
        matches!(&state, PluginState::Failed { reason } if reason.contains("at most")),
        "{state:?}"
    );
}

#[test]
fn directory_named_like_a_plugin_is_rejected() {
    let harness = Harness::new();
    fs::create_dir(harness.plugin_dir().join("x.wasm")).unwrap();
    assert!(matches!(only_state(&harness.load()), PluginState::Failed { .. }));
}

#[test]
fn missing_plugin_directory_is_an_error() {
    let mut harness = Harness::new();
    harness.settings.plugin_dir = Some(harness.dir.path().join("nowhere"));
    let error = Plugins::load(&harness.settings, &[]).err().unwrap();
    assert!(error.to_string().contains("nowhere cannot be read"), "{error}");
}

#[test]
fn disabled_plugin_is_listed_and_not_used() {
    let mut harness = Harness::new().with_guest("good");
    harness.settings.choices.disabled.insert("good".to_owned());
    let plugins = harness.load();
    assert_eq!(only_state(&plugins), PluginState::Disabled);
    assert!(plugins.for_file(&MediaKind::music(), "good").is_none());
}

#[test]
fn plugins_for_one_extension_are_ordered_with_the_operators_first() {
    let built_in = Box::leak(guests::plugin("good", "aaa").into_boxed_slice());
    let harness = Harness::new()
        .with("z.wasm", &guests::plugin("good", "mmm"))
        .with("a.wasm", &guests::plugin("good", "zzz"));
    let plugins = Plugins::load(
        &harness.settings,
        &[BuiltIn {
            name: "aaa",
            component: Component::Plain(built_in),
        }],
    )
    .unwrap();
    let ids = |extension| {
        let found = plugins.candidates(&MediaKind::music(), extension);
        found
            .iter()
            .map(|plugin| plugin.id().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("SHARED"), ["mmm", "zzz", "aaa"]);
    assert_eq!(ids("aaa"), ["aaa"]);
    assert!(plugins.for_file(&MediaKind::photos(), "shared").is_none());
    assert_eq!(plugins.for_extension("shared").unwrap().1.id(), "mmm");
    assert_eq!(plugins.kinds(), [MediaKind::music()]);
}

#[test]
fn duplicate_id_is_rejected_and_the_first_plugin_stays() {
    let harness = Harness::new()
        .with("1.wasm", &guests::plugin("good", "same"))
        .with("2.wasm", &guests::plugin("trap", "same"));
    let plugins = harness.load();
    let states: Vec<_> = plugins.list().into_iter().map(|status| status.state).collect();
    assert_eq!(states[0], PluginState::Active);
    let reason = states[1].reason().unwrap();
    let path = harness.plugin_dir().join("1.wasm").display().to_string();
    assert!(
        reason.contains(&format!(
            "the id `same` is taken by `same` 1.0.0 ({path}, sha256 "
        )),
        "{reason}"
    );
    let digests: Vec<_> = plugins.list().into_iter().map(|status| status.digest).collect();
    assert_ne!(digests[0], digests[1]);
}
