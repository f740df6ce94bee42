//! Plugins for accounts and plugins for files are told apart before anything of them runs.

use std::collections::BTreeMap;

use crate::cloud::CloudComponent;
use crate::cloud::guest::{CloudError, ServiceFeatures};
use crate::tests::*;

const MANIFEST: &str = r#"
id = "club"
name = "Club"
version = "1.0.0"
interface = "0.1"
[cloud]
[permissions]
http = "Asks the club"
log = "Says what it finds"
"#;

fn problem(manifest: &str) -> String {
    Manifest::parse(manifest.as_bytes()).unwrap_err().to_string()
}

#[test]
fn manifest_of_a_plugin_for_accounts_stands_alone() {
    let manifest = Manifest::parse(MANIFEST.as_bytes()).unwrap();
    assert!(manifest.cloud && manifest.kinds.is_empty());
    let waveform = format!("{MANIFEST}\n[waveform]\nextensions = [\"mp3\"]\n");
    assert!(
        problem(&waveform).contains("`cloud` stands alone"),
        "{}",
        problem(&waveform)
    );
    let keys = MANIFEST.replace("[cloud]", "[cloud]\nurl = \"https://club.example\"");
    assert!(
        problem(&keys).contains("`cloud` has no keys"),
        "{}",
        problem(&keys)
    );
    let source = MANIFEST.replace("http =", "source =");
    assert!(
        problem(&source).contains("there are `http`, `clock`, `state`"),
        "{}",
        problem(&source)
    );
    let limits = format!("{MANIFEST}\n[limits]\nmemory-mib = 512\n");
    assert!(
        problem(&limits).contains("the same for all"),
        "{}",
        problem(&limits)
    );
    let files = guests::manifest("good").replace("source =", "http =");
    assert!(
        problem(&files).contains("is not a permission"),
        "{}",
        problem(&files)
    );
}

/// A component of another world with this manifest: its manifest alone decides where it belongs.
fn component_with(manifest: &str) -> Vec<u8> {
    guests::with_manifest(guests::component(&guests::body("good")), manifest)
}

#[test]
fn plugin_for_accounts_is_refused_among_those_for_files() {
    let harness = Harness::new().with("club.wasm", &component_with(MANIFEST));
    let state = only_state(&harness.load());
    let reason = state.reason().unwrap();
    assert_eq!(state.name(), "failed");
    assert!(reason.contains("`cloud-plugin`"), "{reason}");
}

#[test]
fn plugin_for_files_is_refused_for_accounts() {
    let harness = Harness::new().with_guest("good");
    let refused = CloudComponent::file(&harness.plugin_dir().join("good.wasm"))
        .err()
        .unwrap();
    assert!(refused.to_string().contains("`plugin-dir`"), "{refused}");
    let missing = CloudComponent::file(&harness.plugin_dir().join("none.wasm"))
        .err()
        .unwrap();
    assert!(missing.to_string().contains("cannot be read"), "{missing}");
    let harness = harness.with("other.wasm", &component_with(MANIFEST));
    let refused = CloudComponent::file(&harness.plugin_dir().join("other.wasm"))
        .err()
        .unwrap();
    assert!(
        refused
            .to_string()
            .contains("it imports `svc:plugin/source@0.1.0`"),
        "{refused}"
    );
}

#[test]
fn built_in_plugin_for_accounts_loads_without_a_request() {
    let harness = Harness::new();
    let component = CloudComponent::built_in(first_party::built("cloud")).unwrap();
    assert_eq!(component.manifest().id, "cloud");
    let host = stub::host();
    let plugin = component.load(&harness.settings, &BTreeMap::new(), host).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let until = tokio::time::Instant::now() + crate::cloud::CLOUD_CALL;
    let features = runtime.block_on(plugin.features(until)).unwrap();
    for feature in [ServiceFeatures::ACCOUNTS, ServiceFeatures::RELEASES] {
        assert!(features.contains(feature), "{features:?}");
    }
    // Without an address it asks nobody, and says so.
    let answer = runtime
        .block_on(plugin.account("token".to_owned(), until))
        .unwrap();
    assert!(matches!(answer, Err(CloudError::Unavailable)));
    assert_eq!(plugin.status().abilities, ["cloud"]);
    assert_eq!(plugin.status().stats.unwrap().calls, 2);
}

/// A host that fails the test when it is asked to send anything.
pub(crate) mod stub {
    use std::sync::Arc;

    use crate::cloud::{
        CloudHost, HostFuture, HttpClient, HttpError, HttpRequest, HttpResponse, StateError, StateStore,
    };
    use svc_domain::time::SystemClock;

    #[derive(Debug)]
    struct Nothing;

    impl HttpClient for Nothing {
        fn send(&self, _: HttpRequest) -> HostFuture<'_, Result<HttpResponse, HttpError>> {
            panic!("nothing is sent");
        }
    }

    impl StateStore for Nothing {
        fn get<'a>(&'a self, _: &'a str) -> HostFuture<'a, Option<Vec<u8>>> {
            Box::pin(async { None })
        }

        fn set<'a>(&'a self, _: &'a str, _: Option<Vec<u8>>) -> HostFuture<'a, Result<(), StateError>> {
            Box::pin(async { Ok(()) })
        }
    }

    pub(crate) fn host() -> CloudHost {
        CloudHost {
            http: Arc::new(Nothing),
            state: Arc::new(Nothing),
            settings: Arc::new(()),
            clock: Arc::new(SystemClock),
        }
    }
}
