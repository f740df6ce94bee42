//! Tests of the host interface `settings`, and of built-in plugins that nobody needs.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Value as Json, json};

use crate::tests::*;

fn manifest() -> String {
    let log = "log = \"Says what it finds\"";
    guests::manifest("settings").replace(log, &format!("{log}\nsettings = \"Titles\""))
}

/// A server with a plugin whose titles are its setting `title`, of this type and with this default.
fn harness(setting_type: &str, default: &str) -> Harness {
    let declared = format!(
        "[settings.title]\ntype = \"{setting_type}\"\nlabel = {{ en = \"Title\" }}\ndefault = {default}\n"
    );
    let component = guests::component(&guests::body("settings"));
    Harness::new().with(
        "settings.wasm",
        &guests::with_manifest(component, &(manifest() + &declared)),
    )
}

/// The decision that `title` has this value.
fn choices(value: Json) -> PluginChoices {
    let values = BTreeMap::from([("title".to_owned(), value)]);
    PluginChoices {
        values: BTreeMap::from([("settings".to_owned(), values)]),
        ..PluginChoices::default()
    }
}

fn outcome(harness: &Harness, plugins: &Plugins) -> ExtractOutcome {
    let plugin = plugins
        .handle("settings")
        .unwrap_or_else(|| panic!("{:?}", plugins.list()));
    plugins.worker().extract(&plugin, &harness.source(b"x"))
}

#[test]
fn setting_reaches_the_plugin_with_its_type() {
    let harness = harness("integer", "3");
    // The guest takes texts for titles, and returns nothing for a value of another type.
    assert_eq!(outcome(&harness, &harness.load()), Ok(None));
}

#[test]
fn plugin_gets_the_default_unless_another_value_is_allowed_and_chosen() {
    let mut harness = harness("text", "\"usual\"");
    assert_eq!(title(outcome(&harness, &harness.load())), "usual");
    for (value, expected) in [
        (json!("chosen"), "chosen"),
        (json!(3), "usual"),
        (json!("two\nlines"), "usual"),
    ] {
        harness.settings.choices = choices(value);
        assert_eq!(title(outcome(&harness, &harness.load())), expected);
    }
}

#[test]
fn change_of_a_setting_makes_records_stale_until_it_is_taken_back() {
    let harness = harness("text", "\"usual\"");
    let plugins = harness.load();
    let kinds = |choices: PluginChoices| plugins.reload(&choices).unwrap();
    let digest = || plugins.handle("settings").unwrap().digest().to_owned();
    let usual = digest();
    assert!(
        kinds(choices(json!("usual"))).is_empty(),
        "the default is no change"
    );
    assert_eq!(
        kinds(choices(json!("chosen"))),
        HashSet::from([MediaKind::music()])
    );
    let chosen = digest();
    assert_ne!(usual, chosen);
    assert_eq!(title(outcome(&harness, &plugins)), "chosen");
    kinds(choices(json!("other")));
    assert_ne!(digest(), chosen);
    kinds(PluginChoices::default());
    assert_eq!(digest(), usual);
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
