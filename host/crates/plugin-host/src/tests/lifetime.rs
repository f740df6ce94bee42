//! Tests of the lifetime of instances and plugins: recycling, state, quarantine.

use crate::limits;
use crate::tests::*;
use svc_domain::extraction::ExtractFailure;
use svc_domain::rendering::ImageBounds;

fn titles(isolation: Isolation, files: usize) -> Vec<String> {
    let mut harness = Harness::new().with_guest("leaky");
    harness.settings.isolation.third_party = isolation;
    let plugins = harness.load();
    let (plugin, source) = (plugins.handle("leaky").unwrap(), harness.source(b"x"));
    let mut worker = plugins.worker();
    (0..files)
        .map(|_| title(worker.extract(&plugin, &source)))
        .collect()
}

#[test]
fn state_of_a_guest_lives_as_long_as_its_isolation_permits() {
    assert_eq!(titles(Isolation::PerFile, 3), ["1", "1", "1"]);
    assert_eq!(titles(Isolation::Recycle(2), 5), ["1", "2", "1", "2", "1"]);
    assert_eq!(titles(Isolation::Worker, 3), ["1", "2", "3"]);
}

#[test]
fn plugins_are_shared_between_threads_and_workers_move_to_one() {
    fn shared<T: Send + Sync + Clone>() {}
    fn moved<T: Send>() {}
    shared::<Plugins>();
    shared::<PluginHandle>();
    moved::<Worker>();
}

#[test]
fn workers_do_not_share_instances() {
    let harness = Harness::new().with_guest("leaky");
    let plugins = harness.load();
    let (plugin, source) = (plugins.handle("leaky").unwrap(), harness.source(b"x"));
    let (mut one, mut other) = (plugins.worker(), plugins.worker());
    assert_eq!(title(one.extract(&plugin, &source)), "1");
    assert_eq!(title(other.extract(&plugin, &source)), "1");
}

#[test]
fn instance_with_much_memory_is_not_reused() {
    let mut harness = Harness::new().with_guest("long_string");
    harness.settings.isolation.third_party = Isolation::Worker;
    let plugins = harness.load();
    let (plugin, source) = (plugins.handle("long-string").unwrap(), harness.source(b"x"));
    let mut worker = plugins.worker();
    for _ in 0..4 {
        assert_eq!(code(&worker.extract(&plugin, &source)), "budget");
    }
    drop(worker);
    // A reused instance would grow by 30 MiB with each file.
    assert!(plugin.status().stats.unwrap().max_memory < 40 << 20);
}

#[test]
fn five_consecutive_faults_quarantine_a_plugin_until_it_is_released() {
    let harness = Harness::new().with_guest("by_first_byte");
    let plugins = harness.load();
    let plugin = plugins.handle("by-first-byte").unwrap();
    let (good, bad) = (harness.source(b"good"), harness.source(b"trap"));
    let mut worker = plugins.worker();
    for _ in 0..4 {
        assert_eq!(code(&worker.extract(&plugin, &bad)), "trap");
    }
    assert_eq!(title(worker.extract(&plugin, &good)), "ok");
    assert!(plugin.is_active(), "a success in between");
    for _ in 0..5 {
        assert_eq!(code(&worker.extract(&plugin, &bad)), "trap");
    }
    let state = only_state(&plugins);
    assert!(
        matches!(&state, PluginState::Quarantined { reason } if reason.contains("5 failures in a row")),
        "{state:?}"
    );
    assert!(plugins.for_file(&MediaKind::music(), "shared").is_none());
    assert_eq!(
        code(&worker.extract(&plugin, &good)),
        "io",
        "to be read again later"
    );
    assert!(plugin.release());
    assert!(!plugin.release(), "once is enough");
    assert_eq!(title(worker.extract(&plugin, &good)), "ok");
    assert_eq!(only_state(&plugins), PluginState::Active);
}

#[test]
fn calls_that_say_nothing_of_the_plugin_do_not_interrupt_its_faults() {
    let harness = Harness::new().with_guest("by_first_byte");
    let plugins = harness.load();
    let plugin = plugins.handle("by-first-byte").unwrap();
    let bad = harness.source(b"trap");
    // A directory can be opened like a file and fails when read.
    let file = std::fs::File::open(harness.dir.path()).unwrap();
    let unreadable = Arc::new(SourceFile::new(file, "x", 100));
    let mut worker = plugins.worker();
    for _ in 0..4 {
        assert_eq!(code(&worker.extract(&plugin, &bad)), "trap");
        assert_eq!(code(&worker.extract(&plugin, &unreadable)), "io");
    }
    assert!(plugin.is_active());
    assert_eq!(code(&worker.extract(&plugin, &bad)), "trap");
    assert!(!plugin.is_active(), "five faults without a success");
}

#[test]
fn plugin_that_hangs_on_every_file_is_quarantined() {
    let harness = Harness::new().with_guest("endless_loop");
    let plugins = harness.load();
    let plugin = plugins.handle("endless-loop").unwrap();
    let source = harness.source(b"x");
    let mut worker = plugins.worker();
    for _ in 0..limits::CONSECUTIVE_FAILURES {
        assert!(plugin.is_active());
        assert_eq!(code(&worker.extract(&plugin, &source)), "timeout");
    }
    assert!(!plugin.is_active());
}

#[test]
fn too_much_output_is_no_fault() {
    let harness = Harness::new().with_guest("million_fields");
    let plugins = harness.load();
    let plugin = plugins.handle("million-fields").unwrap();
    let source = harness.source(b"x");
    let mut worker = plugins.worker();
    for _ in 0..2 * limits::CONSECUTIVE_FAILURES {
        assert_eq!(code(&worker.extract(&plugin, &source)), "budget");
    }
    assert!(plugin.is_active(), "the file may be the reason");
}

/// Number of calls until the result changes.
fn calls_until(expected: &str, mut call: impl FnMut() -> &'static str) -> usize {
    (0..1_000).take_while(|_| call() == expected).count()
}

#[test]
fn faults_outside_of_scans_exhaust_a_budget_and_never_quarantine() {
    let harness = Harness::new()
        .with_guest("by_first_byte")
        .with("drawer.wasm", &guests::renderer("thumbnailer", "drawer"));
    let plugins = harness.load();
    let (reader, drawer) = (
        plugins.handle("by-first-byte").unwrap(),
        plugins.handle("drawer").unwrap(),
    );
    let (good, bad, html) = (
        harness.source(b"good"),
        harness.source(b"trap"),
        harness.source(b"html"),
    );
    let mut worker = plugins.worker();
    let explained = calls_until("trap", || code(&worker.explain(&reader, &bad)));
    assert_eq!(explained, limits::BUDGET_FAILURES);
    let Err(ExtractFailure::Later { retry_after }) = worker.explain(&reader, &good) else {
        panic!("the budget is spent");
    };
    assert!(retry_after <= limits::BUDGET_WINDOW, "{retry_after:?}");
    assert!(reader.is_active() && !reader.status().degraded);
    // Artwork has a budget of its own; scans have none.
    let sizes = [ImageBounds::square(10)];
    let failed = |outcome: Result<_, ExtractFailure>| {
        outcome.map_or_else(|failure| failure.code(), |_: Vec<_>| "drawn")
    };
    let drawn = calls_until("bad_output", || failed(worker.render(&drawer, &html, &sizes)));
    assert_eq!(drawn, limits::BUDGET_FAILURES);
    assert_eq!(failed(worker.render(&drawer, &good, &sizes)), "later");
    assert!(drawer.is_active());
    assert_eq!(title(worker.extract(&reader, &good)), "ok");
    // Faults of a scan are consecutive whatever other purposes come in between; after quarantine no purpose calls the
    // plugin.
    let scanned = calls_until("trap", || code(&worker.extract(&reader, &bad)));
    assert_eq!(scanned, limits::CONSECUTIVE_FAILURES);
    assert!(!reader.is_active());
    for outcome in [worker.extract(&reader, &good), worker.explain(&reader, &good)] {
        assert_eq!(code(&outcome), "io");
    }
}

#[test]
fn one_damaged_file_in_ten_affects_no_other() {
    let harness = Harness::new().with_guest("by_first_byte");
    let plugins = harness.load();
    let plugin = plugins.handle("by-first-byte").unwrap();
    let (good, bad) = (harness.source(b"good"), harness.source(b"trap"));
    let mut worker = plugins.worker();
    for number in 0..2_000 {
        if number % 10 == 3 {
            assert_eq!(code(&worker.extract(&plugin, &bad)), "trap");
        } else {
            assert_eq!(title(worker.extract(&plugin, &good)), "ok");
        }
    }
    drop(worker);
    let status = plugin.status();
    assert!(
        status.degraded,
        "more than one in twenty: a fresh instance for each file"
    );
    let stats = status.stats.unwrap();
    assert_eq!((stats.calls, stats.plugin_errors), (2_000, 200));
}

#[test]
fn one_fault_in_three_quarantines_the_plugin() {
    let harness = Harness::new().with_guest("by_first_byte");
    let plugins = harness.load();
    let plugin = plugins.handle("by-first-byte").unwrap();
    let (good, bad) = (harness.source(b"good"), harness.source(b"trap"));
    let mut worker = plugins.worker();
    for _ in 0..60 {
        for source in [&bad, &good, &good] {
            let _ = worker.extract(&plugin, source);
        }
    }
    assert!(!plugin.is_active());
}

#[test]
fn artwork_of_a_plugin_without_artwork_is_unsupported() {
    let harness = Harness::new().with_guest("good");
    let plugins = harness.load();
    let plugin = plugins.handle("good").unwrap();
    assert!(!plugin.has_artwork());
    let failure = plugins
        .worker()
        .read_picture(&plugin, &harness.source(b"x"), 0)
        .unwrap_err();
    assert_eq!(failure.code(), "unsupported");
}

#[test]
fn artwork_is_returned_up_to_its_limit() {
    let harness = Harness::new().with_guest("artwork");
    let plugins = harness.load();
    let (plugin, source) = (plugins.handle("artwork").unwrap(), harness.source(b"x"));
    assert!(plugin.has_artwork());
    let mut worker = plugins.worker();
    assert_eq!(
        worker.read_picture(&plugin, &source, 0).unwrap(),
        [0xff, 0xd8, 0xff]
    );
    assert_eq!(
        worker.read_picture(&plugin, &source, 1).unwrap_err().code(),
        "budget"
    );
    assert_eq!(
        worker.read_picture(&plugin, &source, 2).unwrap_err().code(),
        "refused"
    );
    assert_eq!(worker.extract(&plugin, &source), Ok(None));
}
