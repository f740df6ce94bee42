//! Tests of the host interface `settings`, and of built-in plugins that nobody needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::tests::*;
use svc_domain::extraction::Value;

fn manifest() -> String {
    let log = "log = \"Says what it finds\"";
    guests::manifest("settings").replace(log, &format!("{log}\nsettings = \"Titles\""))
}

fn with_value(value: Option<Value>) -> ExtractOutcome {
    let bytes = guests::with_manifest(guests::component(&guests::body("settings")), &manifest());
    let mut harness = Harness::new().with("settings.wasm", &bytes);
    let values = value.map(|value| ("title".to_owned(), value));
    let values = BTreeMap::from_iter(values);
    harness.settings.values = BTreeMap::from([("settings".to_owned(), values)]);
    let plugins = harness.load();
    let plugin = plugins
        .handle("settings")
        .unwrap_or_else(|| panic!("{:?}", plugins.list()));
    plugins.worker().extract(&plugin, &harness.source(b"x"))
}

#[test]
fn setting_reaches_the_plugin_with_its_type() {
    assert_eq!(
        title(with_value(Some(Value::Text("chosen".to_owned())))),
        "chosen"
    );
    assert_eq!(with_value(Some(Value::Integer(3))), Ok(None));
    assert_eq!(with_value(None), Ok(None));
}

#[test]
fn plugin_gets_the_default_unless_a_value_is_chosen() {
    let declared = "[settings.title]\ntype = \"text\"\nlabel = { en = \"Title\" }\ndefault = \"usual\"\n";
    let manifest = manifest() + declared;
    let bytes = guests::with_manifest(guests::component(&guests::body("settings")), &manifest);
    let mut harness = Harness::new().with("settings.wasm", &bytes);
    let title_with = |harness: &Harness| {
        let plugins = harness.load();
        let plugin = plugins.handle("settings").unwrap();
        title(plugins.worker().extract(&plugin, &harness.source(b"x")))
    };
    assert_eq!(title_with(&harness), "usual");
    let chosen = BTreeMap::from([("title".to_owned(), Value::Text("chosen".to_owned()))]);
    harness.settings.values = BTreeMap::from([("settings".to_owned(), chosen)]);
    assert_eq!(title_with(&harness), "chosen");
}

#[test]
fn settings_without_a_permission_are_rejected() {
    let manifest = guests::manifest("settings");
    let bytes = guests::with_manifest(guests::component(&guests::body("settings")), &manifest);
    let state = only_state(&Harness::new().with("x.wasm", &bytes).load());
    assert!(
        matches!(&state, PluginState::Failed { reason } if reason.contains("no permission `settings`")),
        "{state:?}"
    );
}

/// The state of the built-in guest `good`, which reads music, under another kind.
fn built_in_state(kind: &str, in_use: Option<&[&str]>) -> PluginState {
    let manifest = match kind {
        "music" => guests::manifest("good"),
        kind => guests::kind_manifest("good", kind),
    };
    let bytes = guests::with_manifest(guests::component(&guests::body("good")), &manifest);
    let built_in = [BuiltIn {
        name: "good",
        component: Component::Plain(bytes.leak()),
    }];
    let mut harness = Harness::new();
    let in_use = in_use.map(|kinds| kinds.iter().map(|kind| kind.parse().unwrap()));
    harness.settings.kinds_in_use = in_use.map(BTreeSet::from_iter);
    let plugins = Plugins::load(&harness.settings, &built_in).unwrap();
    let compiled = fs::read_dir(&harness.settings.cache_dir).unwrap().count();
    let state = only_state(&plugins);
    assert_eq!(state == PluginState::Idle, compiled == 0);
    state
}

#[test]
fn built_in_plugin_of_a_kind_without_roots_is_not_compiled() {
    assert_eq!(built_in_state("music", Some(&[])), PluginState::Active);
    assert_eq!(built_in_state("notes", Some(&["music"])), PluginState::Idle);
    assert_eq!(built_in_state("notes", Some(&["notes"])), PluginState::Active);
    assert_eq!(built_in_state("notes", None), PluginState::Active);
}
