//! Tests of the owners of kinds: a newcomer does not take a kind in use, whatever its id, file name or origin.

use std::collections::{BTreeMap, BTreeSet};

use crate::tests::*;

fn definer(id: &str) -> Vec<u8> {
    guests::kind_plugin(&guests::body("good"), id, "sheets")
}

fn sheets() -> MediaKind {
    "sheets".parse().unwrap()
}

fn owner(plugins: &Plugins) -> Option<String> {
    let kinds = plugins.kind_schemas().into_iter();
    let mut owners = kinds.filter(|kind| kind.schema.kind == sheets());
    owners.next().map(|kind| kind.plugin_id)
}

fn state(plugins: &Plugins, id: &str) -> PluginState {
    let statuses = plugins.list().into_iter();
    let mut of_id = statuses.filter(|status| status.id() == id);
    of_id.next().unwrap().state
}

/// Choices with this owner, as the database has them.
fn remembering(id: &str) -> PluginChoices {
    PluginChoices {
        kind_owners: BTreeMap::from([(sheets(), id.to_owned())]),
        ..PluginChoices::default()
    }
}

fn uploaded(id: &str) -> UploadedPlugin {
    UploadedPlugin {
        id: id.to_owned(),
        component: definer(id).into(),
        granted: Some(BTreeSet::from(["log".to_owned(), "source".to_owned()])),
        signed_by: None,
    }
}

#[test]
fn file_with_an_earlier_name_does_not_take_a_kind_in_use() {
    let harness = Harness::new().with("sheets.wasm", &definer("sheets"));
    let plugins = harness.load();
    let kept = plugins.handle("sheets").unwrap();
    fs::write(harness.plugin_dir().join("aaa.wasm"), definer("aaa")).unwrap();
    plugins.reload(&PluginChoices::default()).unwrap();
    assert_eq!(owner(&plugins).as_deref(), Some("sheets"));
    assert!(Arc::ptr_eq(&plugins.handle("sheets").unwrap().0, &kept.0));
    assert_eq!(state(&plugins, "sheets"), PluginState::Active);
    let newcomer = state(&plugins, "aaa");
    assert_eq!(newcomer.name(), "failed");
    let reason = newcomer.reason().unwrap();
    assert!(
        reason.contains("which belongs to one: it is that of `sheets` 1.0.0"),
        "{reason}"
    );

    fs::remove_file(harness.plugin_dir().join("sheets.wasm")).unwrap();
    plugins.reload(&PluginChoices::default()).unwrap();
    assert_eq!(owner(&plugins).as_deref(), Some("aaa"), "the owner is removed");
}

#[test]
fn uploaded_plugin_does_not_take_the_kind_of_a_file() {
    let harness = Harness::new().with("sheets.wasm", &definer("sheets"));
    let plugins = harness.load();
    let choices = PluginChoices {
        uploaded: vec![uploaded("aaa")],
        ..PluginChoices::default()
    };
    plugins.reload(&choices).unwrap();
    assert_eq!(owner(&plugins).as_deref(), Some("sheets"));
    assert!(matches!(state(&plugins, "aaa"), PluginState::Excluded { .. }));
}

#[test]
fn owner_of_the_last_run_comes_first_at_a_start() {
    let mut harness = Harness::new()
        .with("aaa.wasm", &definer("aaa"))
        .with("sheets.wasm", &definer("sheets"));
    assert_eq!(owner(&harness.load()).as_deref(), Some("aaa"), "nobody owns it");
    harness.settings.choices = remembering("sheets");
    assert_eq!(owner(&harness.load()).as_deref(), Some("sheets"));
    harness.settings.choices = remembering("gone");
    assert_eq!(
        owner(&harness.load()).as_deref(),
        Some("aaa"),
        "the owner is gone"
    );
}

#[test]
fn disabled_owner_keeps_its_kind_until_it_is_removed() {
    let mut harness = Harness::new()
        .with("aaa.wasm", &definer("aaa"))
        .with("sheets.wasm", &definer("sheets"));
    harness.settings.choices = PluginChoices {
        disabled: BTreeSet::from(["sheets".to_owned()]),
        ..remembering("sheets")
    };
    let plugins = harness.load();
    assert_eq!(owner(&plugins), None);
    assert_eq!(plugins.kind_state(&sheets()).code(), "plugin_disabled");
    let newcomer = state(&plugins, "aaa");
    assert!(
        newcomer
            .reason()
            .unwrap()
            .contains("which is not loaded (disabled)"),
        "{newcomer:?}"
    );
    plugins.reload(&remembering("sheets")).unwrap();
    assert_eq!(owner(&plugins).as_deref(), Some("sheets"));
    assert_eq!(plugins.kind_state(&sheets()), KindState::Active);
}

#[test]
fn built_in_plugin_gives_its_kind_up_while_it_is_disabled() {
    let mut harness = Harness::new().with("aaa.wasm", &definer("aaa"));
    let built_in = [BuiltIn {
        name: "sheets",
        component: Component::Plain(definer("sheets").leak()),
    }];
    harness.settings.choices = remembering("sheets");
    let plugins = Plugins::load(&harness.settings, &built_in).unwrap();
    assert_eq!(owner(&plugins).as_deref(), Some("sheets"));
    let disabled = PluginChoices {
        disabled: BTreeSet::from(["sheets".to_owned()]),
        ..remembering("sheets")
    };
    plugins.reload(&disabled).unwrap();
    assert_eq!(owner(&plugins).as_deref(), Some("aaa"));
}

#[test]
fn manifest_with_a_kind_of_another_plugin_conflicts_and_that_of_the_owner_does_not() {
    let harness = Harness::new().with("sheets.wasm", &definer("sheets"));
    let plugins = harness.load();
    let conflict = |id: &str, kind: &str| {
        let manifest = Manifest::parse(guests::kind_manifest(id, kind).as_bytes()).unwrap();
        plugins.kind_conflict(&manifest)
    };
    assert_eq!(conflict("sheets", "sheets"), None);
    assert_eq!(conflict("aaa", "tunebooks"), None);
    let reason = conflict("aaa", "sheets").unwrap();
    assert!(
        reason.contains("the kind `sheets`, which belongs to `sheets` 1.0.0"),
        "{reason}"
    );
}
