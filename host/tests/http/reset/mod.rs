//! `/reset`, and the restart after it.

mod checks;
mod deindex;
mod factory;
mod restart;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;

use crate::support::accounts::PASSWORD;
use crate::support::{Client, Reply, TestServer};
use svc_domain::kind::MediaKind;
use svc_domain::time::SystemClock;
use svc_host::installation;
use svc_platform::data_dir::DataDir;
use svc_platform::random::SystemRandom;
use svc_store::{Instance, Store, StoreOptions};
use svc_test_support::databases::sqlite_url;

const TARGET: &str = "/api/v1/reset";

pub(crate) async fn reset(token: &Client, kind: &str, phrase: &str) -> Reply {
    token
        .post(TARGET, &json!({"type": kind, "validationPhrase": phrase}))
        .await
}

async fn factory_reset(token: &Client) {
    let reply = reset(token, "factory", "Factory reset").await;
    assert_eq!((reply.status, reply.json()), (201, json!(true)));
}

pub(crate) async fn set_up(server: &TestServer, name: &str) -> Reply {
    server
        .post("/api/v1/setup", &json!({"username": name, "password": PASSWORD}))
        .await
}

async fn sign_in(server: &TestServer, name: &str) -> Reply {
    let body = json!({"username": name, "password": PASSWORD});
    server.login(&[("svc-app", "admin")], &body).await
}

/// Name and value of the refresh cookie of a response.
fn cookie(reply: &Reply) -> (String, String) {
    let text = reply.header("set-cookie");
    let (pair, _) = text.split_once(';').unwrap();
    let (name, value) = pair.split_once('=').unwrap();
    (name.to_owned(), value.to_owned())
}

/// Contents and modification times of all files below a directory.
fn tree(at: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            let modified = path.metadata().unwrap().modified().unwrap();
            found.insert(path.clone(), (std::fs::read(&path).unwrap(), modified));
        }
    }
    found
}

pub(crate) async fn with_media() -> TestServer {
    let server = TestServer::start().await;
    let folder = server.folder(MediaKind::music()).await;
    server.track(folder, "one.mp3", "One", b"0123456789").await;
    server.track(folder, "two.mp3", "Two", b"9876543210").await;
    server
}

/// Opens the installation in a directory as the next start does.
pub(crate) async fn restarted(directory: &tempfile::TempDir) -> (Store, Result<(Instance, String), String>) {
    let store = Store::open(&sqlite_url(directory), StoreOptions::default())
        .await
        .unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let found = installation::identify(&store.instance, &data_dir, &SystemRandom, &SystemClock).await;
    let found = found
        .map(|(instance, key)| (instance, key.id()))
        .map_err(|error| error.to_string());
    (store, found)
}

/// Stops a server and keeps its directory.
pub(crate) async fn stopped(server: TestServer) -> tempfile::TempDir {
    let TestServer {
        service,
        state,
        store,
        directory,
        ..
    } = server;
    drop((service, state));
    store.database.close().await;
    directory
}

pub(crate) fn marker(directory: &tempfile::TempDir) -> Vec<String> {
    let text = std::fs::read_to_string(directory.path().join("instance-id")).unwrap();
    text.lines().map(str::to_owned).collect()
}

pub(crate) fn signing_key(directory: &tempfile::TempDir) -> Vec<u8> {
    std::fs::read(directory.path().join("keys/signing.key")).unwrap()
}
