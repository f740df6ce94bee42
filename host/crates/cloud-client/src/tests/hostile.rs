//! A plugin that attacks, `tests/guests/cloud_hostile.wat`, on the real engine behind the real rules: each attack is held,
//! the caller gets an answer in time, and the next call of the plugin is one as any other.

use std::collections::BTreeMap;
use std::time::Instant;

use svc_covers::covers;
use svc_domain::time::SystemClock;
use svc_identity::cloud::{Cloud as _, CloudError};
use svc_plugin_host::cloud::{CLOUD_CALL, CloudComponent, CloudHost};
use svc_plugin_host::{Compiler, PluginSettings};
use svc_test_support::guests;
use tokio::task::JoinSet;

use crate::client::PluginCloud;
use crate::limits;
use crate::state::SealedState;
use crate::tests::server::{Server, response};
use crate::tests::state::{sealed_state, store};
use crate::tests::*;

/// The plugin, configured for the cloud at this URL.
struct Hostile {
    cloud: PluginCloud,
    url: String,
    state: SealedState,
    _directory: tempfile::TempDir,
}

impl Hostile {
    async fn start(url: &str) -> Self {
        Self::with_lookup(url, ScriptedLookup::new(&[&["127.0.0.1"]])).await
    }

    async fn with_lookup(url: &str, lookup: Arc<ScriptedLookup>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("hostile.wasm");
        std::fs::write(&file, guests::cloud_plugin("cloud_hostile", "hostile")).unwrap();
        let settings = PluginSettings {
            cache_dir: directory.path().join("cache"),
            cache_key: [7; 32],
            compiler: Compiler::InProcess,
            plugin_dir: None,
            choices: Default::default(),
            kinds_in_use: None,
            isolation: Default::default(),
            caps: Default::default(),
        };
        let state = sealed_state(&store(&directory).await, "hostile", 1);
        let host = CloudHost {
            http: Arc::new(client_of(&options(url), lookup)),
            state: Arc::new(state.clone()),
            settings: Arc::new(()),
            clock: Arc::new(SystemClock),
        };
        let component = CloudComponent::file(&file).unwrap();
        let plugin = component.load(&settings, &BTreeMap::new(), host).unwrap();
        Self {
            cloud: PluginCloud::start(plugin, url).await.unwrap(),
            url: url.to_owned(),
            state,
            _directory: directory,
        }
    }

    /// What becomes of an attack. It never takes longer than a call may.
    async fn attack(&self, token: &str) -> CloudError {
        let start = Instant::now();
        let outcome = self.cloud.account(token).await.unwrap_err();
        assert!(
            start.elapsed() < CLOUD_CALL * 2,
            "{token} took {:?}",
            start.elapsed()
        );
        outcome
    }

    /// What becomes of a request, as the plugin says.
    async fn request(&self, letter: char, url: &str) -> String {
        match self.attack(&format!("{letter}{url}")).await {
            CloudError::Refused(code) => code,
            other => panic!("{letter}{url}: {other:?}"),
        }
    }

    fn max_memory(&self) -> u64 {
        self.cloud.plugin().status().stats.unwrap().max_memory
    }
}

fn refused(code: &str) -> CloudError {
    CloudError::Refused(code.to_owned())
}

#[covers("T44")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_plugin_end_its_call_and_nothing_else() {
    let server = Server::with(response("200 OK", ""));
    // An endless loop, memory without end, endless recursion, 10,000 log lines, a text beyond its memory.
    for token in ["l", "m", "r", "g", "z"] {
        let hostile = Hostile::start(&server.url()).await;
        assert_eq!(hostile.attack(token).await, CloudError::Unavailable, "{token}");
        assert!(
            hostile.max_memory() <= 64 << 20,
            "{token}: {}",
            hostile.max_memory()
        );
        assert_eq!(hostile.request('u', &hostile.url).await, "sent", "after {token}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_loops_leave_the_threads_to_others() {
    let hostile = Arc::new(Hostile::start("http://127.0.0.1:9").await);
    let mut attacks = JoinSet::new();
    for _ in 0..3 {
        let hostile = Arc::clone(&hostile);
        attacks.spawn(async move { hostile.attack("l").await });
    }
    // Other work of the same threads goes on while more loops run than there are threads.
    let mut turns = 0;
    while attacks.try_join_next().is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
        turns += 1;
    }
    assert!(turns > 2, "{turns}");
    assert!(
        attacks
            .join_all()
            .await
            .iter()
            .all(|outcome| *outcome == CloudError::Unavailable)
    );
}

#[tokio::test]
async fn plugin_that_keeps_failing_is_no_longer_called() {
    let hostile = Hostile::start("http://127.0.0.1:9").await;
    for _ in 0..20 {
        assert_eq!(hostile.attack("z").await, CloudError::Unavailable);
    }
    assert!(hostile.cloud.plugin().status().stats.unwrap().calls < 20);
    assert!(hostile.cloud.plugin().release());
    assert_eq!(hostile.request('u', "http://127.0.0.1:9").await, "unreachable");
}

#[covers("T44")]
#[tokio::test]
async fn requests_to_other_places_are_denied() {
    let (cloud, other) = (
        Server::with(response("200 OK", "")),
        Server::with(response("200 OK", "")),
    );
    let hostile = Hostile::start(&cloud.url()).await;
    for url in [
        other.url(),
        format!("http://localhost:{}", other.address.port()),
        format!("http://127.0.0.1:{}", other.address.port()),
        format!("http://2130706433:{}", other.address.port()),
        format!("http://0x7f.1:{}", other.address.port()),
        format!("http://[::ffff:127.0.0.1]:{}", other.address.port()),
        format!("{}@127.0.0.1:{}", cloud.url(), other.address.port()),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "https://10.0.0.1/".to_owned(),
        "https://[::1]/".to_owned(),
        "https://example.com/".to_owned(),
        "file:///etc/passwd".to_owned(),
        String::new(),
        "x".repeat(100),
    ] {
        assert_eq!(hostile.request('u', &url).await, "denied", "{url}");
    }
    assert_eq!((cloud.accepted(), other.accepted()), (0, 0));
    assert_eq!(
        hostile
            .request('u', &format!("{}/{}", cloud.url(), "x".repeat(limits::URL)))
            .await,
        "too_large"
    );
    assert_eq!(hostile.request('u', &cloud.url()).await, "sent");
}

#[covers("T44")]
#[tokio::test]
async fn name_that_changes_its_address_is_denied() {
    let server = Server::raw(drop);
    let lookup = ScriptedLookup::new(&[&[], &["127.0.0.1"], &["10.0.0.1"], &["169.254.169.254"], &[]]);
    let url = format!("https://cloud.test:{}", server.address.port());
    let hostile = Hostile::with_lookup(&url, Arc::<ScriptedLookup>::clone(&lookup)).await;
    for expected in ["unreachable", "denied", "denied", "denied", "unreachable"] {
        assert_eq!(hostile.request('u', &url).await, expected);
    }
    assert_eq!((server.accepted(), lookup.asked().len()), (0, 5));
}

#[tokio::test]
async fn injected_headers_and_long_bodies_are_not_sent() {
    let server = Server::with(response("200 OK", ""));
    let hostile = Hostile::start(&server.url()).await;
    for letter in ['i', 'v', 'h'] {
        assert_eq!(hostile.request(letter, &hostile.url).await, "denied", "{letter}");
    }
    // Twice as much as a request may have is more than a call may hand over at all: it ends the call.
    let long = format!("b{}", hostile.url);
    assert_eq!(hostile.attack(&long).await, CloudError::Unavailable);
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn endless_and_slow_bodies_are_cut_off() {
    let endless = Server::start(|mut connection| {
        let mut is_open = connection.write(b"HTTP/1.1 200 OK\r\n\r\n");
        while is_open {
            is_open = connection.write(&[b'x'; 0x10000]);
        }
    });
    let hostile = Hostile::start(&endless.url()).await;
    assert_eq!(hostile.request('u', &endless.url()).await, "too_large");
    assert!(hostile.max_memory() <= 64 << 20);
    let silent = Server::start(|mut connection| {
        connection.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
        assert!(connection.is_closed_by_client());
    });
    let hostile = Hostile::start(&silent.url()).await;
    assert_eq!(hostile.request('u', &silent.url()).await, "timeout");
}

#[tokio::test]
async fn requests_of_one_call_are_limited() {
    let server = Server::with(response("200 OK", ""));
    let hostile = Hostile::start(&server.url()).await;
    assert_eq!(hostile.request('q', &server.url()).await, "denied");
    assert_eq!(server.accepted(), 16);
}

#[tokio::test]
async fn state_beyond_its_limit_is_refused() {
    let hostile = Hostile::start("http://127.0.0.1:9").await;
    assert_eq!(hostile.attack("s").await, refused("state_refused"));
    assert_eq!(hostile.attack("f").await, refused("state_refused"));
    let mut stored = 0;
    for key in 1..100_u8 {
        let key = char::from(key).to_string();
        stored += svc_plugin_host::cloud::StateStore::get(&hostile.state, &key)
            .await
            .map_or(0, |value| value.len() + 1);
    }
    assert!(
        stored > limits::STATE - 4001 && stored <= limits::STATE,
        "{stored}"
    );
}
