//! Tests of uploaded plugins: nothing runs without its permissions, and a change of terms loads a plugin again.

use std::collections::BTreeSet;

use crate::tests::*;

fn uploaded(name: &str, granted: &[&str]) -> UploadedPlugin {
    UploadedPlugin {
        id: name.to_owned(),
        component: guests::plugin(name, name).into(),
        granted: Some(granted.iter().map(|name| (*name).to_owned()).collect()),
        signed_by: None,
    }
}

fn choices(uploaded: UploadedPlugin) -> PluginChoices {
    PluginChoices {
        uploaded: vec![uploaded],
        ..PluginChoices::default()
    }
}

#[test]
fn uploaded_plugin_waits_for_all_its_permissions() {
    let harness = Harness::new();
    let plugins = harness.load();
    let state_with = |granted: &[&str]| {
        plugins.reload(&choices(uploaded("good", granted))).unwrap();
        only_state(&plugins)
    };
    let PluginState::Waiting { reason } = state_with(&[]) else {
        panic!("{:?}", plugins.list());
    };
    assert!(
        reason.contains("`log`") && reason.contains("`source`"),
        "{reason}"
    );
    let nobody_asked = UploadedPlugin {
        granted: None,
        ..uploaded("good", &[])
    };
    plugins.reload(&choices(nobody_asked)).unwrap();
    assert!(matches!(only_state(&plugins), PluginState::Waiting { .. }));
    let compiled = fs::read_dir(&harness.settings.cache_dir).unwrap().count();
    assert_eq!(compiled, 0, "nothing of it was even compiled");
    assert!(matches!(state_with(&["source"]), PluginState::Waiting { .. }));
    assert_eq!(state_with(&["source", "log"]), PluginState::Active);
    let status = plugins.list().remove(0);
    assert_eq!(status.origin, PluginOrigin::Uploaded("good".to_owned()));
    assert!(
        matches!(state_with(&["log"]), PluginState::Waiting { .. }),
        "revoked"
    );
}

#[test]
fn plugin_is_kept_while_bytes_and_terms_are_the_same() {
    let harness = Harness::new();
    let plugins = harness.load();
    let all = ["source", "log"];
    plugins.reload(&choices(uploaded("good", &all))).unwrap();
    let first = plugins.handle("good").unwrap();
    let is_kept = |choices: &PluginChoices| {
        plugins.reload(choices).unwrap();
        plugins
            .handle("good")
            .is_some_and(|plugin| Arc::ptr_eq(&plugin.0, &first.0))
    };
    assert!(is_kept(&choices(uploaded("good", &all))));
    let signed = UploadedPlugin {
        signed_by: Some("key".to_owned()),
        ..uploaded("good", &all)
    };
    assert!(!is_kept(&choices(signed)));
    let disabled = PluginChoices {
        disabled: BTreeSet::from(["good".to_owned()]),
        ..choices(uploaded("good", &all))
    };
    assert!(!is_kept(&disabled));
    assert_eq!(only_state(&plugins), PluginState::Disabled);
}

#[test]
fn plugin_loaded_beside_the_others_reads_files_but_gets_none() {
    let harness = Harness::new();
    let plugins = harness.load();
    let candidate = uploaded("good", &["source", "log"]);
    let handle = plugins
        .load_beside(&candidate, &PluginChoices::default())
        .unwrap();
    let outcome = plugins.worker().explain(&handle, &harness.source(b"x"));
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(plugins.list().is_empty() && plugins.for_extension("mp3").is_none());
    let waiting = plugins.load_beside(&uploaded("good", &[]), &PluginChoices::default());
    assert!(matches!(waiting, Err(PluginState::Waiting { .. })));
}

#[test]
fn examination_finds_what_loading_would_find_and_runs_nothing() {
    let harness = Harness::new();
    let plugins = harness.load();
    let examined = plugins.examine(&guests::plugin("good", "good")).unwrap();
    assert_eq!(examined.manifest.id, "good");
    assert!(!examined.limits.is_empty());
    for damaged in [&b""[..], b"\0asm\x01\0\0\0", &guests::plugin("good", "Not An Id")] {
        assert!(matches!(
            plugins.examine(damaged),
            Err(PluginState::Failed { .. })
        ));
    }
}

#[test]
fn signature_beside_a_file_has_to_be_valid() {
    use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
    let bytes = guests::plugin("good", "good");
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let encode = |bytes: &[u8]| data_encoding::BASE64.encode(bytes);
    let key = encode(pair.public_key().as_ref());
    let text_for = |component: &[u8]| {
        let signature = encode(pair.sign(&signed_message(component)).as_ref());
        format!("key = \"{key}\"\nsignature = \"{signature}\"\n")
    };
    let status_with = |text: &str| {
        let harness = Harness::new().with("good.wasm", &bytes);
        fs::write(harness.plugin_dir().join("good.wasm.sig"), text).unwrap();
        harness.load().list().remove(0)
    };
    let signed = status_with(&text_for(&bytes));
    assert_eq!(
        (signed.state, signed.signed_by),
        (PluginState::Active, Some(key.clone()))
    );
    for text in [&text_for(b"another file"), "key = 1", "", &"#".repeat(10_000)] {
        let status = status_with(text);
        assert!(
            matches!(&status.state, PluginState::Failed { reason } if reason.contains("signature")),
            "{:?}",
            status.state
        );
        assert_eq!(status.signed_by, None);
    }
}
