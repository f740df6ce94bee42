//! The state of plugins, in a real database.

use svc_identity::keys::{KeyRing, Keys};
use svc_platform::random::SystemRandom;
use svc_platform::secret_key::SecretKey;
use svc_plugin_host::cloud::{StateError, StateStore as _};
use svc_store::{Instance, StateValue, Store, StoreOptions};

use crate::limits;
use crate::state::SealedState;
use crate::tests::*;

/// An empty store in this directory.
pub(super) async fn store(directory: &tempfile::TempDir) -> Store {
    let url = format!("sqlite:{}", directory.path().join("svc.db").display());
    let store = Store::open(&url, StoreOptions::default()).await.unwrap();
    let instance = Instance {
        instance_id: "i".into(),
        created_at: svc_domain::time::Timestamp::from_millis(0),
    };
    store.instance.create_instance_if_absent(&instance).await.unwrap();
    store
}

/// The state of a plugin under a secret key of this byte.
pub(super) fn sealed_state(store: &Store, plugin: &str, secret: u8) -> SealedState {
    let keys = KeyRing::new(Keys::new("i", &SecretKey::from_bytes([secret; 32])));
    SealedState::new(plugin, store.plugin_state.clone(), keys, Arc::new(SystemRandom))
}

#[tokio::test]
async fn state_is_encrypted_and_opens_for_its_plugin_and_key_only() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(&directory).await;
    let cloud = sealed_state(&store, "cloud", 1);
    cloud.set("jwks", Some(b"provider keys".to_vec())).await.unwrap();
    assert_eq!(cloud.get("jwks").await.as_deref(), Some(&b"provider keys"[..]));
    assert_eq!(sealed_state(&store, "oidc", 1).get("jwks").await, None);
    assert_eq!(
        sealed_state(&store, "cloud", 2).get("jwks").await,
        None,
        "another secret key"
    );
    let sealed = store.plugin_state.value("cloud", "jwks").await.unwrap().unwrap();
    assert!(!sealed.windows(8).any(|part| part == b"provider"));
    // A row that somebody with access to the database moved.
    for (plugin, key) in [("oidc", "jwks"), ("cloud", "other")] {
        let value = StateValue {
            sealed: &sealed,
            size: 1,
        };
        assert!(store.plugin_state.store(plugin, key, value, 100).await.unwrap());
        assert_eq!(
            sealed_state(&store, plugin, 1).get(key).await,
            None,
            "{plugin} {key}"
        );
    }
    cloud.set("jwks", None).await.unwrap();
    assert_eq!(cloud.get("jwks").await, None);
    store.database.close().await;
}

#[tokio::test]
async fn keys_and_values_are_limited_together() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(&directory).await;
    let cloud = sealed_state(&store, "cloud", 1);
    let half = limits::STATE / 2 - 1;
    cloud.set("a", Some(vec![1; half])).await.unwrap();
    cloud.set("b", Some(vec![2; half])).await.unwrap();
    assert_eq!(cloud.set("c", Some(Vec::new())).await, Err(StateError::TooLarge));
    assert_eq!(
        cloud.set("a", Some(vec![1; half + 1])).await,
        Err(StateError::TooLarge)
    );
    assert_eq!(
        cloud.set("a", Some(vec![1; limits::STATE + 1])).await,
        Err(StateError::TooLarge)
    );
    assert_eq!(cloud.get("a").await, Some(vec![1; half]), "unchanged");
    cloud.set("b", None).await.unwrap();
    cloud.set("c", Some(Vec::new())).await.unwrap();
    assert_eq!(cloud.get("c").await, Some(Vec::new()));
    for key in ["", "a\0", &"k".repeat(limits::STATE_KEY + 1)] {
        assert_eq!(cloud.set(key, Some(vec![1])).await, Err(StateError::Key));
        assert_eq!(cloud.get(key).await, None);
    }
    store.database.close().await;
}
