//! What plugins of the cloud remember.

use std::sync::Arc;

use crate::StateValue;
use crate::tests::*;

fn value(sealed: &[u8], size: i64) -> StateValue<'_> {
    StateValue { sealed, size }
}

#[tokio::test]
async fn values_of_plugins_are_kept_apart_and_replaced() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        let state = &test_store.store.plugin_state;
        assert_eq!(state.value("cloud", "keys").await.unwrap(), None);
        assert!(
            state
                .store("cloud", "keys", value(&[0, 255], 10), 20)
                .await
                .unwrap()
        );
        assert!(state.store("oidc", "keys", value(&[7], 20), 20).await.unwrap());
        assert!(state.store("cloud", "keys", value(&[1], 20), 20).await.unwrap());
        test_store.reopen().await;
        let state = &test_store.store.plugin_state;
        assert_eq!(state.value("cloud", "keys").await.unwrap(), Some(vec![1]));
        assert_eq!(state.value("oidc", "keys").await.unwrap(), Some(vec![7]));
        state.remove("cloud", "keys").await.unwrap();
        state.remove("cloud", "keys").await.unwrap();
        assert_eq!(state.value("cloud", "keys").await.unwrap(), None);
        assert_eq!(state.value("oidc", "keys").await.unwrap(), Some(vec![7]));
    })
    .await;
}

#[tokio::test]
async fn parallel_writers_do_not_pass_the_limit_together() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.instance().await;
        let state = Arc::new(test_store.store.plugin_state.clone());
        let mut writers = tokio::task::JoinSet::new();
        for key in 0..10 {
            let state = Arc::clone(&state);
            writers.spawn(async move { state.store("cloud", &key.to_string(), value(&[1], 3), 10).await });
        }
        let outcomes = writers.join_all().await;
        let stored = outcomes
            .into_iter()
            .filter(|stored| *stored.as_ref().unwrap())
            .count();
        assert_eq!(stored, 3);
        assert!(!state.store("cloud", "0", value(&[1], 11), 10).await.unwrap());
    })
    .await;
}
