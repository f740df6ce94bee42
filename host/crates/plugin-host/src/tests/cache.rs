//! Tests of the cache of compiled code: used if authentic, compiled again otherwise.

use std::os::unix::fs::{PermissionsExt, symlink};

use svc_covers::covers;

use crate::tests::*;

fn cached(harness: &Harness) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(&harness.settings.cache_dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[track_caller]
fn works(harness: &Harness) {
    let plugins = harness.load();
    let plugin = plugins
        .handle("good")
        .unwrap_or_else(|| panic!("{:?}", plugins.list()));
    assert_eq!(
        title(plugins.worker().extract(&plugin, &harness.source(b"x"))),
        "ok"
    );
}

#[test]
fn code_is_cached_privately_and_reused() {
    let harness = Harness::new().with_guest("good");
    works(&harness);
    let [file] = cached(&harness).try_into().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&harness.settings.cache_dir), mode(&file)), (0o700, 0o600));
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    works(&harness);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written);
}

#[covers("T43")]
#[test]
fn forged_code_is_not_loaded_but_compiled_again() {
    let harness = Harness::new().with_guest("good");
    works(&harness);
    let [file] = cached(&harness).try_into().unwrap();
    let genuine = fs::read(&file).unwrap();
    let foreign = engine::new_engine(engine::AddressSpace::Ample)
        .unwrap()
        .precompile_component(&guests::plugin("trap", "good"))
        .unwrap();
    let mut altered = genuine.clone();
    *altered.last_mut().unwrap() ^= 1;
    let with_old_mac = [&genuine[..32], &foreign].concat();
    for forged in [
        foreign,
        altered,
        with_old_mac,
        genuine[..100].to_vec(),
        Vec::new(),
    ] {
        fs::write(&file, forged).unwrap();
        works(&harness);
        assert_eq!(fs::read(&file).unwrap(), genuine);
    }
}

#[test]
fn authentic_code_under_another_name_is_not_loaded() {
    let harness = Harness::new().with_guest("good").with_guest("trap");
    works(&harness);
    let digest_of = |guest: &str| cache_digest(&guests::plugin(guest, guest));
    let file_of = |guest: &str| {
        let digest = digest_of(guest);
        let files = cached(&harness);
        files
            .into_iter()
            .find(|file| file.to_string_lossy().contains(&digest))
            .unwrap()
    };
    fs::copy(file_of("trap"), file_of("good")).unwrap();
    works(&harness);
}

#[test]
fn code_of_another_installation_is_not_loaded() {
    let mut harness = Harness::new().with_guest("good");
    works(&harness);
    let [file] = cached(&harness).try_into().unwrap();
    let theirs = fs::read(&file).unwrap();
    harness.settings.cache_key = [8; 32];
    works(&harness);
    let ours = fs::read(&file).unwrap();
    assert_ne!(ours[..32], theirs[..32]);
}

#[test]
fn link_or_readable_file_in_the_cache_is_not_loaded() {
    let harness = Harness::new().with_guest("good");
    works(&harness);
    let [file] = cached(&harness).try_into().unwrap();
    let elsewhere = harness.dir.path().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    works(&harness);
    assert!(fs::symlink_metadata(&file).unwrap().is_file());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    works(&harness);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // Rejected files are removed.
    assert_eq!(cached(&harness).len(), 1);
}

#[test]
fn compiler_that_cannot_be_run_fails_the_plugin_and_not_the_host() {
    let mut harness = Harness::new().with_guest("good");
    harness.settings.compiler = Compiler::Child {
        program: "/does/not/exist".into(),
    };
    let state = only_state(&harness.load());
    assert!(
        matches!(&state, PluginState::Failed { reason } if reason.contains("could not be run")),
        "{state:?}"
    );
    // A program that exits without output is not a compiler either.
    harness.settings.compiler = Compiler::Child {
        program: "/bin/false".into(),
    };
    assert!(matches!(only_state(&harness.load()), PluginState::Failed { .. }));
    harness.settings.compiler = Compiler::Child {
        program: "/bin/true".into(),
    };
    assert!(matches!(only_state(&harness.load()), PluginState::Failed { .. }));
}

fn cache_digest(bytes: &[u8]) -> String {
    super::super::cache::digest(bytes)
}
