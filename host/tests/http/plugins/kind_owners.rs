//! A kind belongs to the plugin that defined it until that is removed, also across a start.

use serde_json::{Value, json};

use crate::plugins::PLUGINS;
use crate::support::databases::on_each_database;
use crate::support::write_requests::to_grant;
use crate::support::{Client, Reply};
use svc_domain::kind::MediaKind;
use svc_plugin_host::PluginState;
use svc_test_support::guests;

async fn upload(owner: &Client, id: &str) -> Reply {
    let component = guests::kind_plugin(&guests::body("good"), id, "sheets");
    owner.post_bytes(PLUGINS, "application/wasm", component).await
}

async fn grant(owner: &Client, id: &str) -> Reply {
    let target = format!("{PLUGINS}/{id}");
    let digest = to_grant(&owner.get(&target).await.json());
    let grants = json!({"grants": ["log", "source"], "digest": digest});
    owner.patch(&target, &grants).await
}

async fn states(owner: &Client) -> Vec<(String, String)> {
    let plugins = owner.get(PLUGINS).await.json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let plugins = plugins.as_array().unwrap().iter();
    plugins
        .map(|plugin| (text(&plugin["pluginId"]), text(&plugin["state"])))
        .collect()
}

fn pair(id: &str, state: &str) -> (String, String) {
    (id.to_owned(), state.to_owned())
}

#[tokio::test]
async fn newcomer_gets_a_kind_only_after_its_owner_is_removed_and_with_a_grant() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        for id in ["sheets", "aaa"] {
            assert_eq!(upload(&owner, id).await.status, 201, "nobody has the kind yet");
        }
        assert_eq!(grant(&owner, "sheets").await.json()["state"], "active");
        let refused = grant(&owner, "aaa").await;
        assert_eq!(
            (refused.status, refused.code()),
            (409, Some("plugin_kind_taken".to_owned()))
        );
        assert_eq!(
            states(&owner).await,
            [pair("aaa", "waiting"), pair("sheets", "active")]
        );

        // A plugin that is only disabled is not removed.
        let disabled = owner
            .patch(&format!("{PLUGINS}/sheets"), &json!({"enabled": false}))
            .await;
        assert_eq!(disabled.json()["state"], "disabled");
        assert_eq!(grant(&owner, "aaa").await.status, 409);

        assert_eq!(owner.delete(&format!("{PLUGINS}/sheets")).await.status, 200);
        assert_eq!(states(&owner).await, [pair("aaa", "waiting")]);
        assert_eq!(grant(&owner, "aaa").await.json()["state"], "active");
        let taken = upload(&owner, "sheets").await;
        assert_eq!(taken.status, 409, "{}", taken.json());
    })
    .await;
}

#[tokio::test]
async fn rollback_to_a_kind_that_another_plugin_has_by_now_is_refused() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        upload(&owner, "sheets").await;
        assert_eq!(grant(&owner, "sheets").await.json()["state"], "active");
        let renamed = guests::kind_manifest("sheets", "tunebooks").replace("1.0.0", "2.0.0");
        let renamed = guests::with_manifest(guests::component(&guests::body("good")), &renamed);
        let uploaded = owner.post_bytes(PLUGINS, "application/wasm", renamed).await;
        assert_eq!(uploaded.status, 201, "{}", uploaded.json());
        assert_eq!(grant(&owner, "sheets").await.json()["version"], "2.0.0");
        assert_eq!(upload(&owner, "aaa").await.status, 201, "the kind is free");
        assert_eq!(grant(&owner, "aaa").await.json()["state"], "active");

        let rollback = format!("{PLUGINS}/sheets/rollback");
        let refused = owner.post(&rollback, &json!({})).await;
        assert_eq!(
            (refused.status, refused.code()),
            (409, Some("plugin_kind_taken".to_owned()))
        );
        assert_eq!(
            states(&owner).await,
            [pair("aaa", "active"), pair("sheets", "active")]
        );
        assert_eq!(owner.delete(&format!("{PLUGINS}/aaa")).await.status, 200);
        let back = owner.post(&rollback, &json!({})).await;
        assert_eq!(back.json()["version"], "1.0.0", "{}", back.json());
    })
    .await;
}

#[tokio::test]
async fn stored_owner_of_a_kind_is_among_the_choices_of_the_next_start() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        upload(&owner, "sheets").await;
        assert_eq!(grant(&owner, "sheets").await.status, 200);
        let store = &server.store;
        let mut choices = svc_library::plugins::stored_choices(&store.plugins, &store.kinds)
            .await
            .unwrap();
        let owners: Vec<_> = choices.kind_owners.iter().collect();
        assert_eq!(
            owners,
            [(&"sheets".parse::<MediaKind>().unwrap(), &"sheets".to_owned())]
        );

        // One that comes first by its id, as if it had been put there while the server was down.
        let mut newcomer = choices.uploaded[0].clone();
        newcomer.id = "aaa".to_owned();
        newcomer.component = guests::kind_plugin(&guests::body("good"), "aaa", "sheets").into();
        choices.uploaded.insert(0, newcomer);
        let plugins = server.plugins.clone();
        let reload = tokio::task::spawn_blocking(move || plugins.reload(&choices).unwrap());
        reload.await.unwrap();
        let states: Vec<_> = server
            .plugins
            .list()
            .into_iter()
            .map(|plugin| (plugin.id(), plugin.state))
            .collect();
        assert_eq!(states.len(), 2);
        for (id, state) in states {
            assert_eq!(state == PluginState::Active, id == "sheets", "{id}: {state:?}");
        }
    })
    .await;
}
