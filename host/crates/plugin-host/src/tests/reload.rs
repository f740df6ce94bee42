//! Tests of changes in the plugin directory while the server runs.

use std::collections::HashSet;

use crate::tests::*;

fn states(plugins: &Plugins) -> Vec<(String, &'static str)> {
    let statuses = plugins.list().into_iter();
    statuses
        .map(|status| (status.id(), status.state.name()))
        .collect()
}

#[test]
fn changes_of_the_directory_are_noticed_and_loaded() {
    let harness = Harness::new().with_guest("good");
    let plugins = harness.load();
    assert_eq!(plugins.directory_change().unwrap(), None);
    let kept = plugins.handle("good").unwrap();
    let source = harness.source(b"x");
    plugins.worker().extract(&kept, &source).unwrap();

    fs::write(
        harness.plugin_dir().join("more.WASM"),
        guests::plugin("good", "more"),
    )
    .unwrap();
    fs::write(harness.plugin_dir().join("notes.txt"), "no plugin").unwrap();
    assert!(plugins.directory_change().unwrap().is_some());
    assert_eq!(
        plugins.reload(&PluginChoices::default()).unwrap(),
        HashSet::from([MediaKind::music()])
    );
    assert_eq!(plugins.directory_change().unwrap(), None);
    assert_eq!(
        states(&plugins),
        [("good".to_owned(), "active"), ("more".to_owned(), "active")]
    );
    let calls = plugins.handle("good").unwrap().status().stats.unwrap().calls;
    assert_eq!(calls, 1, "an unchanged plugin keeps its statistics");
    assert_eq!(
        plugins.reload(&PluginChoices::default()).unwrap(),
        HashSet::new(),
        "nothing changed"
    );

    fs::write(harness.plugin_dir().join("more.WASM"), "half a file").unwrap();
    assert!(plugins.directory_change().unwrap().is_some());
    plugins.reload(&PluginChoices::default()).unwrap();
    assert_eq!(states(&plugins)[1], ("more.WASM".to_owned(), "failed"));

    fs::remove_file(harness.plugin_dir().join("good.wasm")).unwrap();
    let mut worker = plugins.worker();
    plugins.reload(&PluginChoices::default()).unwrap();
    assert!(plugins.handle("good").is_none());
    assert!(plugins.for_file(&MediaKind::music(), "good").is_none());
    assert_eq!(
        title(worker.extract(&kept, &source)),
        "ok",
        "a call in progress ends as it began"
    );
}

#[test]
fn vanished_directory_is_an_error_and_the_plugins_stay() {
    let harness = Harness::new().with_guest("good");
    let plugins = harness.load();
    fs::remove_dir_all(harness.plugin_dir()).unwrap();
    assert!(plugins.directory_change().is_err());
    assert!(plugins.reload(&PluginChoices::default()).is_err());
    assert!(plugins.handle("good").is_some());
}
